// The past of the collector `transactions`.

import { type PlacedRow, withNewest } from "../collectors/transactions/baseline.ts";
import { busiest, callsOf } from "../collectors/transactions/busiest.ts";
import { chainFamilies, chainSamples } from "../collectors/transactions/families.ts";
import type { Options } from "../collectors/transactions/options.ts";
import * as recent from "../collectors/transactions/recent.ts";
import {
  type ChainTransaction,
  chainList,
  cursorAt,
  readPageAt,
  transactionList,
} from "../collectors/transactions/source.ts";
import { NOTHING, type Observation } from "../collectors/transactions/state.ts";
import { addUp } from "../collectors/transactions/totals.ts";
import { transactions } from "../collectors/transactions/transactions.ts";
import { rowsInWindow, WINDOW_SECONDS } from "../collectors/transactions/window.ts";
import { familiesNamed, type Past, type Replay, type Source } from "./past.ts";
import { pointAfter } from "./seek.ts";
import type { ReplayedRow } from "./spool.ts";
import { timedRows } from "./timed-rows.ts";

/** Name of the list. Its rows have ids. */
export const TRANSACTION_ROWS = transactions.name;

const NOTHING_ELSE = { gap: 0, reverted: 0, restored: 0 };

/** The mined transactions of a network, and the history of their metrics. */
export function pastOfTransactions(network: string, { top }: Options): Past {
  const source: Source<ChainTransaction> = {
    name: TRANSACTION_ROWS,
    operation: transactionList,
    list: chainList,
    async seek(api, time) {
      const [tip] = (await chainList(api).page(0, undefined))?.rows ?? [];
      if (tip?.at === undefined) return undefined;
      const found = new Map<number, ChainTransaction>();
      const pointAt = async (height: number) => {
        const [row] = await readPageAt(api, height);
        if (row?.at === undefined) return undefined;
        found.set(row.height, row);
        return { height: row.height, at: row.at };
      };
      const point = await pointAfter(time, { height: tip.height, at: tip.at }, pointAt);
      const row = point && found.get(point.height);
      return row && cursorAt(row);
    },
    place: (items) =>
      timedRows(
        transactionList,
        items,
        ({ at }) => at,
        ({ id, type, status, fee, called }) => ({
          id,
          body: [type, status, fee ?? null, ...(called === undefined ? [] : [called])],
        }),
      ),
  };
  return {
    collector: transactions.name,
    name: transactions.name,
    sources: [source],
    lead: WINDOW_SECONDS,
    unknown: familiesNamed(chainFamilies, [
      "stacks_chain_pending_depth_transactions",
      "stacks_chain_transactions_gap_total",
      "stacks_chain_reverted_transactions_total",
      "stacks_chain_restored_transactions_total",
    ]),
    replay: (): Replay<Observation> => ({
      list: source.name,
      begin: (rows, at) => next(NOTHING, rows.map(toTransaction), [], top, at),
      advance(state, rows, at) {
        const mined = rows.map(toTransaction);
        return next(state, mined, mined, top, at);
      },
      samples: (state) => chainSamples(state, network),
    }),
  };
}

/** @param mined oldest first */
function next(
  before: Observation,
  mined: readonly ChainTransaction[],
  counted: readonly ChainTransaction[],
  max: number,
  now: number,
): Observation {
  const read = { rows: mined.toReversed(), isFromTop: true };
  const blocks = recent.withRead(before.recent, read, undefined, now);
  const rows = recent.rowsOf(blocks);
  const calls = callsOf(rowsInWindow(rows, now));
  const placed: readonly PlacedRow[] = rows;
  return {
    ...before,
    totals: counted.length === 0 ? before.totals : addUp(before.totals, counted, NOTHING_ELSE),
    recent: blocks,
    baseline: withNewest(before.baseline, placed, now),
    busiest: busiest(before.busiest, calls, { max, spareSeries: Number.POSITIVE_INFINITY, now }),
    at: now * 1000,
  };
}

function toTransaction({ time, height, place, body }: ReplayedRow): ChainTransaction {
  const [type, status, fee, called] = body as [string, string, number | null, string?];
  return {
    id: `${height}:${place}`,
    height,
    index: place,
    hash: String(height),
    type,
    status,
    fee: fee ?? undefined,
    at: time,
    sender: undefined,
    nonce: 0,
    sponsor: undefined,
    recipient: undefined,
    called,
  };
}
