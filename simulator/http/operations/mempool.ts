// The mempool: statistics, fee priorities, and the waiting transactions. All have the same entity tag.
import { mempoolTag } from "../etag.ts";
import { operation } from "../operation.ts";
import { receiptPage, receiptsFrom } from "../paging.ts";

export const mempoolStats = operation({
  template: "/extended/v1/tx/mempool/stats",
  parse: () => undefined,
  tag: mempoolTag,
  respond: ({ statistics }) => ({ status: 200, json: statistics().stats }),
});

/** Fee priorities: percentiles of the waiting fees. */
export const mempoolFees = operation({
  template: "/extended/v2/mempool/fees",
  parse: () => undefined,
  tag: mempoolTag,
  respond: ({ statistics }) => ({ status: 200, json: statistics().fees }),
});

/** Waiting transactions, newest receipt first. */
export const mempoolTransactions = operation({
  template: "/extended/v3/mempool/transactions",
  parse: ({ query }) => receiptPage(query),
  tag: mempoolTag,
  respond: ({ chain }, page) => receiptsFrom(chain.mempool.byReceipt(), page),
});
