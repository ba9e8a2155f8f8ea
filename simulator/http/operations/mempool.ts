// Mempool statistics and fee priorities.
import { mempoolTag } from "../etag.ts";
import { operation } from "../operation.ts";

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
