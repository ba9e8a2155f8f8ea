import { gauge, type Sample } from "../../exposition/family.ts";
import type { Collector } from "../collector.ts";
import { comparable } from "../transactions/costs.ts";
import { ifRecent } from "../transactions/recent.ts";
import { FEE_TYPES } from "../transactions/window.ts";
import { estimateFees, type FeeEstimate, MARGIN, OFFERED_SECONDS, TARGETS } from "./estimate.ts";
import { readWaiting, waitingTransactions } from "./list.ts";
import { afterRead, type Listed, type WaitingView, waitingViewOf } from "./listed.ts";

const feeType = { about: "type of the transaction; all is enough for each of the types", values: FEE_TYPES };

const fee = gauge({
  name: "stacks_fee_estimate_microstx",
  help:
    "Fee with which a new transaction of typical execution cost is mined within the target time, from waiting and " +
    "mined transactions. In microSTX. Absent with fewer than 20 mined transactions, of which two of a sender count.",
  source:
    "fee_rate, receipt_time and block.time of GET /extended/v3/transactions and " +
    "GET /extended/v3/mempool/transactions, and execution_cost_* of GET /extended/v1/tx/multiple, polled",
  labels: {
    network: "name of the network",
    tx_type: feeType,
    target: { about: "target time", values: Object.keys(TARGETS) },
  },
});

interface Observation {
  /** Newest receipt first. */
  readonly listed: readonly Listed[];
  /** Those that wait, for the other collectors. */
  readonly waiting: WaitingView;
  /** Those that were mined up to this time are not listed as waiting. Unix time, seconds. */
  readonly minedTo: number;
  /** The newest receipt. Unix time, seconds. */
  readonly newestAt: number;
  /** Undefined while no mined transactions are known. */
  readonly estimate: FeeEstimate | undefined;
}

// Transactions can be listed later than others that were received after them.
const OVERLAP_SECONDS = 60;

/** Waiting transactions, and fee estimates. */
export const mempoolTransactions = {
  name: "mempool_transactions",
  about: "Estimates of the fee to be mined within a target time, from waiting and mined transactions.",
  // A waiting transaction is seen within five minutes, with the time that a poll takes.
  schedule: { keyless: "every 2m", free_key: "every 270s" },
  timeout: "30s",
  priority: 1,
  isShared: true,
  after: "transactions",
  operations: [waitingTransactions],
  families: [fee],
  feeEstimate: ({ estimate }) => estimate,
  views: ({ waiting }) => ({ waiting }),

  async observe({ api, previous: before, now: at, mined }) {
    const now = at / 1000;
    const oldest = now - OFFERED_SECONDS;
    const recent = ifRecent(mined, at);
    // After a gap of the mined transactions, those that were mined in it would wait for a day: the list is read again.
    const isGap = (recent?.rows.at(-1)?.at ?? 0) > (before?.minedTo ?? 0);
    const previous = isGap ? undefined : before;
    const known = Math.max(oldest, (previous?.newestAt ?? 0) - OVERLAP_SECONDS);
    const read = await readWaiting(api, waitingTransactions, {}, ({ receivedAt }) => receivedAt < known);
    const fresh = read.rows.filter(({ receivedAt }) => receivedAt >= known);
    const listed = afterRead(previous?.listed ?? [], fresh, mined, now);
    const waiting = listed.filter(({ minedAt }) => minedAt === undefined);
    const rated = comparable(recent?.costs, MARGIN);
    const newest = read.isWhole === undefined ? 0 : (fresh[0]?.receivedAt ?? 0);
    return {
      listed,
      waiting: waitingViewOf(waiting, at),
      minedTo: recent?.rows[0]?.at ?? previous?.minedTo ?? now - OVERLAP_SECONDS,
      // A time in the future would hide what is received until then, and a new one what a failed request left unread,
      // or what a poll with a wrong clock left out.
      newestAt: waiting.length === 0 ? 0 : Math.min(now, Math.max(previous?.newestAt ?? 0, newest)),
      estimate: recent && {
        types: estimateFees(waiting.map(rated), recent.rows.map(rated), { waiting: now, mined: recent.readAt / 1000 }),
        at: Math.min(at, recent.readAt),
      },
    };
  },

  *samples({ estimate }, network): Iterable<Sample> {
    if (estimate === undefined) return;
    for (const [tx_type, { fees }] of Object.entries(estimate.types)) {
      for (const [target, value] of Object.entries(fees)) yield fee.at({ network, tx_type, target }, value);
    }
  },
} satisfies Collector<Observation, object>;
