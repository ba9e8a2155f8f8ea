// Which transactions of a principal are counted, and when: each once, when it is deep enough in the chain. Pure.
//
// The horizon is a height: everything canonical up to it has been counted. Of what was counted in the last blocks below it the
// identities are kept, so that a transaction that appears late is told from one that was counted, and one that disappears is
// noticed. Nothing is kept of older ones: they are beyond doubt, and the state of a quiet principal is small.

/** Where a transaction is on the chain. */
export interface Place {
  readonly txId: string;
  readonly height: number;
  /** Its position in the block. */
  readonly index: number;
  readonly blockHash: string;
}

/** A transaction as a list shows it. */
export interface Listed extends Place {
  readonly isCanonical: boolean;
  readonly isMicroblockCanonical: boolean;
  /** In a microblock that no block has taken up yet. */
  readonly isUnanchored: boolean;
}

/** A counted transaction that can still turn out to be replaced. */
export interface Counted extends Place {
  /** Reads in a row in which it should have been and was not. */
  readonly missing: number;
  /** When it was seen last before it was missed. Unix time, milliseconds. */
  readonly seenAt?: number | undefined;
}

/** What is known between polls; plain data. */
export interface Horizon {
  /** Every canonical transaction from `floor` up to this height has been counted. */
  readonly height: number;
  /** What is before it in chain order is never counted: it was there before the principal was watched, or is part of a gap. */
  readonly floor: { readonly height: number; readonly index: number };
  /** Those counted within the window below the height. */
  readonly window: readonly Counted[];
  /** Counted and reverted, with the horizon at that time: mined again within a window, they are not counted again. */
  readonly reverted: readonly { readonly txId: string; readonly at: number }[];
  /** When the list was last read. Unix time, milliseconds. */
  readonly checkedAt: number;
}

/** A part of the list. */
export interface Read<Tx extends Listed> {
  /** Each transaction once. */
  readonly items: readonly Tx[];
  /** Every transaction from this height to `to` is among them. */
  readonly from: number;
  readonly to: number;
}

/** What became of a horizon. */
export interface Advance<Tx extends Listed> {
  readonly horizon: Horizon;
  /** To be counted, in chain order. */
  readonly counted: readonly Tx[];
  /** Those of them whose height had been passed already. */
  readonly late: number;
  readonly reverted: Readonly<Record<RevertReason, number>>;
  /** Reverted before, and there again. */
  readonly restored: number;
}

/** Why a counted transaction does not count any more. */
export const REVERT_REASONS = ["non_canonical", "microblock_orphaned", "vanished"] as const;
export type RevertReason = (typeof REVERT_REASONS)[number];

/** What is known of the chain beside the list. */
export interface Evidence {
  /** Unix time, milliseconds. */
  readonly now: number;
  readonly lastReorg?: { readonly at: number; readonly height: number } | undefined;
}

/** Blocks below the horizon within which late and replaced transactions are noticed. */
export function windowOf(confirmations: number): number {
  return Math.max(16, confirmations * 8);
}

/** Height up to which transactions have the wanted number of confirmations; the block of the tip has one. */
export function depthOf(tipHeight: number, confirmations: number): number {
  return tipHeight - confirmations + 1;
}

/** A horizon of which everything at and after `floor` is still to be counted. */
export function horizonFrom(floor: Horizon["floor"], now: number): Horizon {
  return { height: floor.height - 1, floor, window: [], reverted: [], checkedAt: now };
}

// A list read from a server that is behind, or torn by a reorganisation in the middle, misses things that are there. So
// missing once is never enough; missing twice is, when the chain has been reorganised there or the list shows newer ones;
// and missing this often is by itself.
const MISSING_ENOUGH = 2;
const MISSING_ALONE = 4;

/** The horizon moved up to `height` (never down) by what was read, and what is to be counted. */
export function advance<Tx extends Listed>(
  before: Horizon,
  read: Read<Tx>,
  height: number,
  window: number,
  evidence: Evidence,
): Advance<Tx> {
  // After a deep reorganisation the tip can be lower than it was: what is not deep enough any more has to wait again.
  const deepEnough = Math.min(height, read.to);
  const to = Math.max(before.height, deepEnough);
  const known = new Map(before.window.map((counted) => [counted.txId, counted]));
  const formerly = new Set(before.reverted.map(({ txId }) => txId));
  const kept = new Map<string, Counted>();
  const counted: Tx[] = [];
  const reverted = { non_canonical: 0, microblock_orphaned: 0, vanished: 0 };
  const gone: string[] = [];
  let late = 0;
  let restored = 0;
  let newest = -1;

  const seen = new Set<string>();
  for (const item of [...read.items].sort(inChainOrder)) {
    const entry = known.get(item.txId);
    if (!item.isCanonical || !item.isMicroblockCanonical) {
      if (entry === undefined) continue;
      reverted[item.isCanonical ? "microblock_orphaned" : "non_canonical"] += 1;
      gone.push(item.txId);
      seen.add(item.txId);
      continue;
    }
    if (item.isUnanchored) continue;
    newest = Math.max(newest, item.height);
    if (entry !== undefined) {
      // Mined again elsewhere it is still the same transaction, also where it is not deep enough anew.
      kept.set(item.txId, { ...placeOf(item), missing: 0 });
      seen.add(item.txId);
      continue;
    }
    if (item.height > deepEnough || item.height <= before.height - window || isBelow(item, before.floor)) continue;
    kept.set(item.txId, { ...placeOf(item), missing: 0 });
    if (formerly.has(item.txId)) {
      formerly.delete(item.txId);
      restored += 1;
      continue;
    }
    counted.push(item);
    if (item.height <= before.height) late += 1;
  }

  for (const entry of before.window) {
    if (seen.has(entry.txId)) continue;
    if (entry.height < read.from || entry.height > read.to) {
      kept.set(entry.txId, entry);
      continue;
    }
    const missed = { ...entry, missing: entry.missing + 1, seenAt: entry.seenAt ?? before.checkedAt };
    if (hasVanished(missed, newest, evidence)) {
      reverted.vanished += 1;
      gone.push(entry.txId);
    } else kept.set(entry.txId, missed);
  }

  return {
    horizon: {
      height: to,
      floor: before.floor,
      window: [...kept.values()].filter((entry) => entry.height > to - window).sort(inChainOrder),
      reverted: [
        ...before.reverted.filter(({ txId, at }) => formerly.has(txId) && at > to - window),
        ...gone.map((txId) => ({ txId, at: to })),
      ],
      checkedAt: evidence.now,
    },
    counted,
    late,
    reverted,
    restored,
  };
}

/** The horizon moved up to `height` (never down) by a list that has not changed, of which everything had been counted. */
export function advanceUnchanged(before: Horizon, height: number, window: number, now: number): Horizon {
  const to = Math.max(before.height, height);
  return {
    height: to,
    floor: before.floor,
    window: before.window.filter((entry) => entry.height > to - window),
    reverted: before.reverted.filter(({ at }) => at > to - window),
    checkedAt: now,
  };
}

function hasVanished({ missing, height, seenAt }: Counted, newest: number, { lastReorg }: Evidence): boolean {
  if (missing >= MISSING_ALONE) return true;
  if (missing < MISSING_ENOUGH) return false;
  const isReorganised = lastReorg !== undefined && lastReorg.height <= height && lastReorg.at >= (seenAt ?? 0);
  return isReorganised || newest > height;
}

const placeOf = ({ txId, height, index, blockHash }: Place): Place => ({ txId, height, index, blockHash });

/** Whether a place is before another in chain order. */
export function isBelow(place: Pick<Place, "height" | "index">, other: Pick<Place, "height" | "index">): boolean {
  return place.height < other.height || (place.height === other.height && place.index < other.index);
}

/** Chain order: by height, then by position in the block. */
export function inChainOrder(a: Place, b: Place): number {
  return a.height - b.height || a.index - b.index;
}
