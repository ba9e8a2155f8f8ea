// The mempool: statistics, fee priorities, and the waiting transactions. All have the same entity tag.
import type { Tx } from "../../chain/transaction.ts";
import { waitingSummaryJson } from "../../json/transaction-v3.ts";
import { mempoolTag } from "../etag.ts";
import { operation } from "../operation.ts";
import { cursorMatching, limitOf, pageFrom } from "../paging.ts";
import { checkPrefix, checkRange } from "../query.ts";

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

const cursorOf = ({ receivedAt, id }: Tx) => `${receivedAt}:${id}`;

/** Waiting transactions, newest receipt first. A cursor is `receipt_time:tx_id`; the transaction need not wait. */
export const mempoolTransactions = operation({
  template: "/extended/v3/mempool/transactions",
  parse: ({ query }) => ({
    limit: limitOf(query, 50),
    cursor: cursorMatching(query, "^\\d+:(0x)?[a-fA-F0-9]{64}$")?.toLowerCase(),
  }),
  tag: mempoolTag,
  respond({ chain }, { limit, cursor }) {
    const [time, newest = ""] = cursor?.split(":") ?? [];
    if (time !== undefined) {
      checkRange(Number(time), "integer");
      checkPrefix(newest);
    }
    const isWithin = ({ receivedAt, id }: Tx) =>
      time === undefined || receivedAt < Number(time) || (receivedAt === Number(time) && id <= newest);
    const entries = chain.mempool.byReceipt();
    return pageFrom({ entries, total: entries.length }, { isWithin, cursorOf, limit }, waitingSummaryJson);
  },
});
