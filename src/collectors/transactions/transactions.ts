import { z } from "zod";
import { ApiError, isShortage } from "../../api/errors.ts";
import type { StacksApi } from "../../api/operation.ts";
import type { Target } from "../collector.ts";
import { counting } from "../counting.ts";
import { pagesOption } from "../options.ts";
import { ofChain } from "../subjects.ts";
import { OTHER, TX_STATUSES, TX_TYPES } from "../values.ts";
import { type Baseline, baselineFees, NO_BASELINE, nextPage, withMiss, withNewest, withPage } from "./baseline.ts";
import { type CallCosts, comparable, NO_COSTS, readCosts, transactionDetails } from "./costs.ts";
import { withRead } from "./recent.ts";
import { chainList, type MinedTransaction, PAGE, readPageAt, TENURE_CAUSES, transactionList } from "./source.ts";
import {
  currentFees,
  FEE_TYPES,
  type FeesByType,
  isUserType,
  lowestFee,
  PERCENTILES,
  type Percentile,
  rowsInWindow,
  WINDOW_SECONDS,
} from "./window.ts";

const listed = (fields: string) => `${fields} of GET /extended/v3/transactions, polled`;
const FEES = listed("fee_rate, type, block.time");
const feeType = { about: "type of the transactions; all covers every transaction of users", values: FEE_TYPES };
const percentile = { about: "percentile of the transactions", values: Object.keys(PERCENTILES) };
const PRICED_TYPES = ["token_transfer", "contract_call"] as const;
// Contracts with fewer calls in the window would come and go with every poll.
const BUSY_CALLS = 5;
const MAX_BUSY = 10;

const fee = ofChain.gauge({
  name: "stacks_chain_mined_fee_microstx",
  help:
    "Fee of mined transactions of users, by percentile: of the last 10 minutes, or of the newest 30 if those are more, " +
    "at most two of a sender, none without a fee. At any depth. In microSTX. Absent with fewer than 20.",
  source: FEES,
  labels: { tx_type: feeType, percentile },
});
const lowest = ofChain.gauge({
  name: "stacks_chain_mined_fee_lowest_microstx",
  help:
    "Fourth lowest fee of mined transactions of a type: of the last two minutes, or of the newest 30 if those are more, " +
    "at most two of a sender, none without a fee. Fees of contract calls are those of a call of typical execution " +
    "cost at the same priority. At any depth. In microSTX. Absent with fewer than 20.",
  source:
    "fee_rate, type, block.time of GET /extended/v3/transactions, and execution_cost_* of GET /extended/v1/tx/multiple, polled",
  labels: { tx_type: { about: "type of the transactions", values: PRICED_TYPES } },
});
const feeSample = ofChain.gauge({
  name: "stacks_chain_mined_fee_sample_transactions",
  help: "Number of mined transactions behind the percentiles of their fees.",
  source: FEES,
  labels: { tx_type: feeType },
});
const baselineFee = ofChain.gauge({
  name: "stacks_chain_mined_fee_baseline_microstx",
  help:
    "Usual fee of mined transactions of users, by percentile: the median of samples of the last seven days, of which " +
    "there is one for every seven hours. In microSTX. Absent until there are enough samples.",
  source: FEES,
  labels: { tx_type: feeType, percentile },
});
const total = ofChain.counter({
  name: "stacks_chain_mined_transactions_total",
  help: "Mined transactions. Each counts once, when it has the configured confirmations.",
  source: listed("type, status"),
  labels: {
    tx_type: { about: "type of the transaction", values: [...TX_TYPES, OTHER] },
    tx_status: { about: "status of the transaction", values: [...TX_STATUSES, OTHER] },
  },
});
const tenureChanges = ofChain.counter({
  name: "stacks_chain_tenure_changes_total",
  help:
    "Mined tenure changes, by cause: a new tenure (block_found), or an extend of the whole budget (extended) or of one " +
    "dimension. Each renews a budget. Causes other than block_found are those that the API documents.",
  source: listed("tenure_change.cause"),
  labels: { cause: { about: "cause of the change", values: [...TENURE_CAUSES, OTHER] } },
});
const calls = ofChain.gauge({
  name: "stacks_chain_recent_contract_calls",
  help: `Calls of a contract that were mined in the last 10 minutes, for the ${MAX_BUSY} contracts with the most calls. Absent for fewer than ${BUSY_CALLS}, and until the whole 10 minutes are read.`,
  source: listed("contract_call.contract_id, block.time"),
  labels: { contract_id: "the contract" },
});
const pending = ofChain.pending("transactions", listed("block.height"));
const { reverted, restored } = ofChain.reversals("transactions", listed("block.hash"));

const options = z.object({
  pages: pagesOption(PAGE),
});

/** What gauges and other collectors need. */
interface Own {
  /** Newest first. */
  readonly recent: readonly MinedTransaction[];
  readonly baseline: Baseline;
  /** Undefined before the first request. */
  readonly costs?: CallCosts | undefined;
  /** Principals that took part in the transactions that the poll counted. */
  readonly moved: readonly string[];
  /** Principals of transactions that no poll before has listed. */
  readonly seen: readonly string[];
  /** Start of the last poll that has read the newest page. Unix time, milliseconds. */
  readonly at: number;
}

const NOTHING: Own = { recent: [], baseline: NO_BASELINE, moved: [], seen: [], at: 0 };

// Ratio of the lowest fee of mined calls to the usual fee above which an earlier estimate is too low.
const RAISED = 1.5;

/** Whether a poll has read new transactions, and the fees of calls are high. */
function isHigh({ recent, costs, baseline, seen, at }: Own): boolean {
  const now = lowestFee(recent.map(comparable(costs)), "contract_call", at / 1000);
  const usual = baselineFees(baseline).contract_call.percentiles?.p25;
  return seen.length > 0 && now !== undefined && usual !== undefined && now > RAISED * usual;
}

// For estimates only: 20,000 transactions a day.
const TYPICAL_PER_SECOND = 20_000 / 86_400;

/** Mined transactions of the whole chain, each counted once, and the fees that they paid. */
export const transactions = counting<MinedTransaction, Own, z.infer<typeof options>, Target>({
  name: "transactions",
  about: "Mined transactions of the chain, each counted once, and what they paid: now, and usually.",
  schedule: { keyless: "every 1m", free_key: "every 3m" },
  timeout: "1m",
  priority: 3,
  isShared: true,
  operations: [transactionList, transactionDetails],
  families: [fee, lowest, feeSample, baselineFee, total, tenureChanges, calls, pending, reverted, restored],
  // Types of the protocol have one status.
  typicalSeries: { [calls.name]: MAX_BUSY, [total.name]: 14 },
  options,
  requestsPerPoll: (_, intervalSeconds) => Math.ceil((intervalSeconds * TYPICAL_PER_SECOND + 1) / PAGE),

  lists: ({ api }) => [chainList(api)],
  listFamilies: { reverted, restored },
  counts: { identity: (name) => ({ network: name }) },
  // So that the fees are always those of now: down to a known transaction, or to the end of the window.
  newestDownTo: ({ recent } = NOTHING, { now }) => {
    const known = new Set(recent.map(({ hash }) => hash));
    return ({ hash, at }) => known.has(hash) || at <= now / 1000 - WINDOW_SECONDS;
  },

  start(to) {
    for (const family of [reverted, restored]) to.start(family);
    for (const cause of TENURE_CAUSES) to.start(tenureChanges, { cause });
    // Every usual combination. Microblocks no longer exist.
    for (const tx_type of TX_TYPES.filter((type) => type !== "poison_microblock")) {
      const statuses = isUserType(tx_type) ? TX_STATUSES : (["success"] as const);
      for (const tx_status of statuses) to.start(total, { tx_type, tx_status });
    }
  },
  count({ type, status, cause }, to) {
    to.add(total, { tx_type: type, tx_status: status });
    if (cause !== undefined) to.add(tenureChanges, { cause });
  },

  async next({ recent, baseline, costs = NO_COSTS, at } = NOTHING, { pages, counted, ledger }, { api, now }) {
    const rows = pages.flatMap((page) => page.rows);
    const newest = withRead(recent, rows, now / 1000);
    const known = new Set(recent.map(({ id }) => id));
    const fresh = recent.length === 0 ? [] : newest.filter(({ id }) => !known.has(id));
    return {
      recent: newest,
      // A page of a quiet chain goes further back than the recent transactions.
      baseline: await nextBaseline(baseline, rows.length > newest.length ? rows : newest, api, now / 1000),
      costs: await readCosts(api, costs, newest, now / 1000),
      moved: [...new Set(counted.flatMap(({ parties }) => parties))],
      seen: [...new Set(fresh.flatMap(({ parties }) => parties))],
      // Without the newest page, while older rows are unread, it is not known what is mined now.
      at: pages.length === 0 && ledger.isFar ? at : now,
    };
  },
  hints({ values: { own, unread } }) {
    const { moved, seen } = own;
    return { moved, seen, isBehind: unread > 0, isUrgent: isHigh(own) };
  },
  views: ({ values: { own } }) => ({ mined: { rows: own.recent, costs: own.costs, readAt: own.at } }),

  *gauges({ pending: waiting, own }, { network: name = "" }) {
    const { recent, costs, baseline, at } = own;
    const rows = rowsInWindow(recent, at / 1000);
    const fees = currentFees(recent, at / 1000);
    for (const tx_type of FEE_TYPES) yield feeSample.at({ network: name, tx_type }, fees[tx_type].transactions);
    const rated = recent.map(comparable(costs));
    for (const tx_type of PRICED_TYPES) {
      const price = lowestFee(rated, tx_type, at / 1000);
      if (price !== undefined) yield lowest.at({ network: name, tx_type }, price);
    }
    yield* feeSamples(fees, name, fee);
    yield* feeSamples(baselineFees(baseline), name, baselineFee);
    // Without an older one, the rows can be those of a shorter time: the budget ended, or there was a gap.
    const byContract = Map.groupBy(rows.length < recent.length ? rows : [], ({ called }) => called ?? "");
    const busy = [...byContract].filter(([contract_id, some]) => contract_id !== "" && some.length >= BUSY_CALLS);
    for (const [contract_id, some] of busy.sort(([, a], [, b]) => b.length - a.length).slice(0, MAX_BUSY))
      yield calls.at({ network: name, contract_id }, some.length);
    yield pending.at({ network: name }, waiting);
  },
});

function* feeSamples(fees: FeesByType, name: string, family: typeof fee) {
  for (const tx_type of FEE_TYPES) {
    const { percentiles } = fees[tx_type];
    if (percentiles === undefined) continue;
    for (const part of Object.keys(PERCENTILES) as Percentile[])
      yield family.at({ network: name, tx_type, percentile: part }, percentiles[part]);
  }
}

const isPassing = ({ reason }: ApiError): boolean => reason === "network" || reason === "http_server";

/** The baseline with the newest transactions, and with one page of the past if there is one to sample. */
async function nextBaseline(
  before: Baseline,
  rows: readonly MinedTransaction[],
  api: StacksApi,
  now: number,
): Promise<Baseline> {
  const baseline = withNewest(before, rows, now);
  const page = nextPage(baseline, now);
  if (page === undefined || api.room() < 1) return baseline;
  try {
    return withPage(baseline, page, await readPageAt(api, page.height), now);
  } catch (error) {
    // The list has been read: what it counts is valid without the sample, which the next poll requests again.
    if (!(error instanceof ApiError)) throw error;
    return isShortage(error) || isPassing(error) ? baseline : withMiss(baseline, page, now);
  }
}
