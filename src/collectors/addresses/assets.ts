// What a principal moved of tokens, by asset. Identifiers come from strangers: only those of Clarity's form have
// series, and only as many as there are slots; all others are `other`. Pure.
import { isAssetId } from "../clarity-names.ts";
import { add, addAmount, type Counters, type Draft, keyOf, move } from "../counters.ts";
import { OTHER } from "../labels.ts";
import { meet, noSlots, type Room, type Slots, trim } from "../slots.ts";
import { TRANSFER_DIRECTIONS, type Transfer } from "./transfers.ts";

/** Totals by asset; `other` holds what has no slot. */
export interface AssetTotals {
  /** By asset, direction. */
  readonly ftTransfers: Counters<number>;
  readonly ftAmounts: Counters<bigint>;
  readonly nftTransfers: Counters<number>;
  /** By asset class: transfers in `other`. */
  readonly overflow: Counters<number>;
  /** Assets that have series of their own, by transfers. */
  readonly assets: { readonly ft: Slots; readonly nft: Slots };
}

/** Totals of nothing. */
export const NO_ASSETS: AssetTotals = {
  ftTransfers: {},
  ftAmounts: {},
  nftTransfers: {},
  overflow: {},
  assets: { ft: noSlots(), nft: noSlots() },
};

/** How many assets may have series of their own. */
export interface AssetLimits {
  /** Of a class, of one principal. */
  readonly perClass: number;
  /** Series that new assets may have, however many the class may still have. */
  readonly spareSeries: number;
  /** Identifiers of assets that have series of their own in any case. @default none */
  readonly named?: readonly string[] | undefined;
}

// Of a fungible asset: transfers and amounts, in every direction.
const SERIES_PER_ASSET = 2 * TRANSFER_DIRECTIONS.length;

/** The room for assets in one poll. */
export function roomOf({ perClass, spareSeries, named = [] }: AssetLimits): Room {
  return { most: perClass, named: new Set(named), spare: Math.floor(spareSeries / SERIES_PER_ASSET) };
}

type Token = Transfer & { readonly kind: "ft" | "nft" };

/** Whether a transfer is one of a token. */
export const isToken = (transfer: Transfer): transfer is Token => transfer.kind !== "stx";

/** Evicts assets beyond the limits in place. */
export function trimAssets(totals: Draft<AssetTotals>, room: Room): void {
  for (const kind of ["ft", "nft"] as const) {
    for (const asset of trim(totals.assets[kind], room)) moveToOther(totals, kind, asset);
  }
}

/** Counts a transfer of a token in place. */
export function addToken(totals: Draft<AssetTotals>, { kind, asset, direction, amount }: Token, room: Room): void {
  const { isOwn, evicted } = isAssetId(asset)
    ? meet(totals.assets[kind], asset, room)
    : { isOwn: false, evicted: undefined };
  if (evicted !== undefined) moveToOther(totals, kind, evicted);
  if (!isOwn) add(totals.overflow, kind);
  const key = keyOf(isOwn ? asset : OTHER, direction);
  add(kind === "ft" ? totals.ftTransfers : totals.nftTransfers, key);
  if (kind === "ft" && amount !== undefined) addAmount(totals.ftAmounts, key, amount);
}

// Counters never fall: what an asset had is in `other` from now on, and its series end.
function moveToOther(totals: Draft<AssetTotals>, kind: Token["kind"], asset: string): void {
  for (const direction of TRANSFER_DIRECTIONS) {
    const [from, to] = [keyOf(asset, direction), keyOf(OTHER, direction)];
    const moved = move(kind === "ft" ? totals.ftTransfers : totals.nftTransfers, from, to);
    if (moved !== undefined) add(totals.overflow, kind, moved);
    if (kind === "ft") move(totals.ftAmounts, from, to);
  }
}

/** As version 1 of the state has it: with any identifier that a server ever sent. */
export type OldAssetTotals = Omit<AssetTotals, "assets">;

/** Totals of version 1 in today's form, with the same sums: identifiers without Clarity's form are moved to `other`. */
export function cleanedAssets({ ftTransfers, ftAmounts, nftTransfers, overflow }: OldAssetTotals): AssetTotals {
  const [ft, nft] = [cleanedSums(ftTransfers), cleanedSums(nftTransfers)];
  const counts = { ...overflow };
  if (ft.moved > 0) add(counts, "ft", ft.moved);
  if (nft.moved > 0) add(counts, "nft", nft.moved);
  return {
    ftTransfers: ft.sums,
    ftAmounts: cleanedSums(ftAmounts).sums,
    nftTransfers: nft.sums,
    overflow: counts,
    assets: { ft: slotsOf(ft.sums), nft: slotsOf(nft.sums) },
  };
}

/** The sums with every identifier that is not valid moved to `other`, and how much that was. */
function cleanedSums<Value extends number | bigint>(
  sums: Counters<Value>,
): { sums: Record<string, Value>; moved: number } {
  const cleaned: Record<string, Value> = { ...sums };
  let moved = 0;
  for (const key of Object.keys(sums)) {
    const { asset, direction } = partsOf(key);
    if (asset === OTHER || isAssetId(asset)) continue;
    moved += Number(move(cleaned, key, keyOf(OTHER, direction)));
  }
  return { sums: cleaned, moved };
}

function slotsOf(transfers: Counters<number>): Slots {
  const own: Record<string, number> = {};
  for (const [key, count] of Object.entries(transfers)) {
    const { asset } = partsOf(key);
    if (asset !== OTHER) add(own, asset, count);
  }
  return { own, waiting: {} };
}

// An identifier of version 1 may hold tabs itself; a direction never does.
function partsOf(key: string): { readonly asset: string; readonly direction: string } {
  const at = key.lastIndexOf("\t");
  return { asset: key.slice(0, at), direction: key.slice(at + 1) };
}
