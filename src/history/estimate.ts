// Estimates what a history costs, without calling the API.
import { MINUTES_PER_MONTH, MonthBucket } from "../api/budget-limits.ts";
import { blocks } from "../collectors/blocks/blocks.ts";
import { PAGE as BLOCKS_PAGE } from "../collectors/chain/block-source.ts";
import { PAGE as TRANSACTIONS_PAGE } from "../collectors/transactions/source.ts";
import { transactions } from "../collectors/transactions/transactions.ts";
import type { Past } from "./past.ts";
import type { Range } from "./range.ts";

/** Blocks and transactions of mainnet in a day. */
export const TYPICAL = { blocks: 8640, transactions: 20_000 } as const;

/** Requests of one collector. */
export interface CollectorCost {
  readonly collector: string;
  readonly lists: number;
  readonly requests: number;
  /** Whether more are needed for targets with more transactions than one page. */
  readonly isLeast: boolean;
}

const DAY = 86_400;

/** The requests of each collector. */
export function requestsOf(pasts: readonly Past[], { since, until }: Range): readonly CollectorCost[] {
  const days = (until - since) / DAY;
  const ofChain: Readonly<Record<string, number>> = {
    [blocks.name]: (days * TYPICAL.blocks) / BLOCKS_PAGE,
    [transactions.name]: (days * TYPICAL.transactions) / TRANSACTIONS_PAGE,
  };
  return [...Map.groupBy(pasts, ({ collector }) => collector)].map(([collector, { length: lists }]) => ({
    collector,
    lists,
    requests: Math.ceil(ofChain[collector] ?? lists),
    isLeast: ofChain[collector] === undefined,
  }));
}

/**
 * Minutes that a number of requests take if nothing else uses the budget. A history uses only half of what the month
 * has saved up.
 */
export function minutesOf(
  requests: number,
  { perMinute, perMonth }: { readonly perMinute: number; readonly perMonth?: number | undefined },
): number {
  const byMinute = requests / perMinute;
  if (perMonth === undefined) return byMinute;
  const { capacity } = new MonthBucket(perMonth, 0);
  return Math.max(byMinute, ((requests - capacity / 2) * MINUTES_PER_MONTH) / Math.max(1, perMonth - capacity));
}

// Measured with the labels of the demo: docs/history.md.
const BYTES_PER_SAMPLE = 200;

/** Bytes of the files. */
export function bytesOf(series: number, { since, until }: Range, step: number): number {
  return series * (Math.floor((until - since) / step) + 1) * BYTES_PER_SAMPLE;
}
