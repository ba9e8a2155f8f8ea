// Operations 1 and 2: what waits, and what it offers.
import { mempoolTag } from "../etag.ts";
import { operation } from "../operation.ts";

/** Operation 1: statistics of the mempool. */
export const mempoolStats = operation({
  template: "/extended/v1/tx/mempool/stats",
  read: () => undefined,
  tag: mempoolTag,
  answer: ({ statistics }) => ({ status: 200, json: statistics().stats }),
});

/** Operation 2: fee priorities, plain percentiles of the waiting fees. */
export const mempoolFees = operation({
  template: "/extended/v2/mempool/fees",
  read: () => undefined,
  tag: mempoolTag,
  answer: ({ statistics }) => ({ status: 200, json: statistics().fees }),
});
