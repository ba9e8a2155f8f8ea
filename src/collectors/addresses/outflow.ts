// The outflow of an address within an hour, its limits in the configuration, and the last counted transactions, which
// it is about. The increase of a counter is not sufficient: after an outage, or with a long interval, one poll counts
// the outflow of many hours. Pure.
import type { Family, Sample } from "../../exposition/family.ts";
import { type CountedRow, STX, type Watched } from "../collector.ts";
import type { Labels } from "../counted.ts";
import { ofAddress } from "../subjects.ts";
import { TRANSFERS } from "./families.ts";
import type { Transfer, WholeTransaction } from "./transfers.ts";

/** The outflow of one block. */
interface Spent {
  /** Unix time in seconds. */
  readonly time: number;
  /** MicroSTX, or base units of a token. */
  readonly amount: bigint;
}

/** The largest amount within an hour that contains transactions of a poll. */
interface Peak {
  /** Time of the poll. Unix time in milliseconds. */
  readonly countedAt: number;
  readonly amount: bigint;
}

/** The outflow of one asset. */
export interface Outflow {
  /** Outflows of the last hour of block time, ascending: later ones can share an hour with them. */
  readonly recent: readonly Spent[];
  /** Peaks of the last hour, the largest first. A peak before a larger one is left out. */
  readonly peaks: readonly Peak[];
}

const HOUR_SECONDS = 3600;
const HOUR_MS = 3_600_000;

/** Adds what a poll has counted. @param now Unix time in milliseconds */
function withOutflow(before: Outflow, spent: readonly Spent[], now: number): Outflow {
  const peaks = before.peaks.filter(({ countedAt }) => Math.abs(now - countedAt) < HOUR_MS);
  if (spent.length === 0) return { ...before, peaks };
  const all = byBlock(before.recent, spent);
  const amounts = all.map(({ time }) => amountOfHour(all, time));
  const amount = amounts.reduce((a, b) => (b > a ? b : a), 0n);
  const lastHour = (all.at(-1)?.time ?? 0) - HOUR_SECONDS;
  return {
    recent: all.filter(({ time }) => time > lastHour).map(({ time, amount }) => ({ time, amount })),
    peaks: [...peaks.filter((peak) => peak.amount > amount), { countedAt: now, amount }],
  };
}

type Block = Spent & { readonly isNew: boolean };

function byBlock(recent: readonly Spent[], spent: readonly Spent[]): readonly Block[] {
  const blocks = new Map<number, Block>(recent.map((block) => [block.time, { ...block, isNew: false }]));
  for (const { time, amount } of spent) {
    blocks.set(time, { time, amount: amount + (blocks.get(time)?.amount ?? 0n), isNew: true });
  }
  return [...blocks.values()].sort((a, b) => a.time - b.time);
}

/** What was spent in the hour that ends with a block; 0 without a new block in it. */
function amountOfHour(blocks: readonly Block[], end: number): bigint {
  const hour = blocks.filter(({ time }) => time > end - HOUR_SECONDS && time <= end);
  return hour.some(({ isNew }) => isNew) ? hour.reduce((sum, { amount }) => sum + amount, 0n) : 0n;
}

const asset = "identifier of the asset";
const WITHIN =
  "within an hour of block time: the largest amount of the hours with a transaction counted in the last hour";

const families = {
  outflow: ofAddress.gauge({
    name: "stacks_address_outflow_microstx",
    help: `STX sent ${WITHIN}. Including fees. In microSTX. Absent without max_outflow.`,
    source: "stx_sent, tx.block_time of GET /extended/v2/addresses/{address}/transactions, or its replacement, polled",
  }),
  tokenOutflow: ofAddress.gauge({
    name: "stacks_address_ft_outflow_units",
    help: `Fungible tokens sent or burnt ${WITHIN}. In base units. Absent without max_outflow of the token.`,
    source: `ft_transfers.amount of ${TRANSFERS}`,
    labels: { asset },
  }),
};

/** Every family of the limits, in the order of the metrics page. */
export const limitFamilies: readonly Family[] = Object.values(families);

/** Outflow by asset: of those with a limit, and of no others. @param now Unix time in milliseconds */
export function limitedOutflow(
  before: Readonly<Record<string, Outflow>> = {},
  { maxOutflow = {} }: Pick<Watched, "maxOutflow">,
  counted: readonly Pick<WholeTransaction, "time" | "sent" | "transfers">[],
  now: number,
): Readonly<Record<string, Outflow>> {
  return Object.fromEntries(
    Object.keys(maxOutflow).map((asset) => {
      const spent = counted.flatMap(({ time = Math.floor(now / 1000), sent = 0n, transfers = [] }): Spent[] => {
        const amount = asset === STX ? sent : tokensSent(asset, transfers);
        return amount === 0n ? [] : [{ time, amount }];
      });
      return [asset, withOutflow(before[asset] ?? { recent: [], peaks: [] }, spent, now)];
    }),
  );
}

const tokensSent = (asset: string, transfers: readonly Transfer[]): bigint =>
  transfers
    .filter((transfer) => transfer.kind === "ft" && transfer.asset === asset)
    .filter(({ direction }) => direction === "out" || direction === "burn")
    .reduce((sum, { amount }) => sum + (amount ?? 0n), 0n);

/** The outflow of one address. @param hasTransfers whether the outflow of tokens is known */
export function* outflowSamples(
  outflow: Readonly<Record<string, Outflow>>,
  hasTransfers: boolean,
  labels: Labels,
  { maxOutflow = {} }: Pick<Watched, "maxOutflow">,
): Iterable<Sample> {
  for (const asset of Object.keys(maxOutflow)) {
    if (outflow[asset] === undefined) continue;
    const largest = outflow[asset].peaks[0]?.amount ?? 0n;
    const ofAsset: Labels = { ...labels, asset };
    if (asset === STX) yield families.outflow.at(labels, largest);
    else if (hasTransfers) yield families.tokenOutflow.at(ofAsset, largest);
  }
}

const MAX_ROWS = 10;

/**
 * The last counted transactions, the oldest first.
 * @param reverted those that are in no block any more
 * @param named the tokens whose amounts are kept
 */
export function lastCounted(
  before: readonly CountedRow[] = [],
  { counted, reverted }: { counted: readonly WholeTransaction[]; reverted: readonly { readonly id: string }[] },
  named: readonly string[] = [],
): readonly CountedRow[] {
  const gone = new Set(reverted.map(({ id }) => id));
  const left = before.filter(({ id }) => !gone.has(id));
  return [...left, ...counted.slice(-MAX_ROWS).map((row) => rowOf(row, named))].slice(-MAX_ROWS);
}

function rowOf({ id, time, sent = 0n, received = 0n, transfers = [] }: WholeTransaction, named: readonly string[]) {
  const amounts: Record<string, bigint> = { [STX]: received - sent };
  for (const { asset, direction, amount = 0n } of transfers) {
    if (!named.includes(asset) || direction === "self") continue;
    const isIn = direction === "in" || direction === "mint";
    amounts[asset] = (amounts[asset] ?? 0n) + (isIn ? amount : -amount);
  }
  return { id, time, amounts };
}
