// One poll of the calls of a contract: reads new transactions, and counts the calls with enough confirmations.
import { converted, isBehind, type Page, type View } from "../../ledger/ledger.ts";
import { type ReadResult, readList } from "../../ledger/read.ts";
import { ledgerList } from "../lists/list.ts";
import { noteFloor, viewOf } from "../lists/view.ts";
import { NO_RHYTHM, withActivity } from "../rhythm.ts";
import { withCallers } from "./callers.ts";
import type { Options } from "./options.ts";
import { type Call, type ContractTransaction, originalList, replacementList } from "./source.ts";
import type { CallPoll, Observation } from "./state.ts";
import { addCalls, type CallLimits, NO_CALLS, withNames } from "./totals.ts";

/** A contract of which nothing is known. */
export const NOTHING: Observation = {
  ledger: undefined,
  totals: { ...NO_CALLS, gap: 0, reverted: 0, restored: 0 },
  callers: {},
  rhythm: NO_RHYTHM,
  last: undefined,
  pending: 0,
  isNew: false,
};

/** Observes the calls of a contract by `address_transactions`, or by its replacement. */
export async function observeCalls(isNew: boolean, poll: CallPoll, settings: Options): Promise<Observation> {
  const { api, target, previous = NOTHING } = poll;
  const list = ledgerList((isNew ? replacementList : originalList)(api, target.watched.principal));
  const { ledger } = previous;
  const before = ledger === undefined || previous.isNew === isNew ? ledger : converted(ledger);
  // Half of the current budget: the other half is for the other requests.
  const requests = Math.max(2, Math.min(settings.pages, Math.floor(api.room() / 2)));
  const viewAt = (newest: Page<ContractTransaction> | undefined) => viewOf(poll, newest);
  const read = await readList({ list, ledger: before, viewAt, requests, catchUp: settings.catch_up });
  noteFloor(ledger, read.ledger, poll);
  const known =
    ledger === undefined ? withListed(previous, read.newest, viewAt(read.newest), poll, settings) : previous;
  return { ...withCounted(known, read, poll, settings), ...newestOf(previous, read, viewAt(read.newest)), isNew };
}

/** What is listed at the first poll does not count. It shows who calls the contract, how often, and what fails. */
function withListed(
  before: Observation,
  newest: Page<ContractTransaction> | undefined,
  { start }: View,
  { spareSeries }: CallPoll,
  settings: Options,
): Observation {
  const calls = callsOf((newest?.rows ?? []).filter(({ height }) => height <= start));
  return {
    ...before,
    totals: { ...before.totals, ...withNames(before.totals, calls, limitsOf(settings, spareSeries)) },
    callers: withCallers({}, calls, Number.NEGATIVE_INFINITY),
    rhythm: withActivity(before.rhythm, timesOf(calls)),
  };
}

function withCounted(
  before: Observation,
  { ledger, counted, reverted, restored, skipped }: ReadResult<ContractTransaction>,
  { now, spareSeries }: CallPoll,
  settings: Options,
): Observation {
  const calls = callsOf(counted);
  const { totals } = before;
  return {
    ...before,
    ledger,
    totals: {
      ...addCalls(totals, calls, limitsOf(settings, spareSeries)),
      gap: totals.gap + skipped,
      reverted: totals.reverted + reverted.length,
      restored: totals.restored + restored.length,
    },
    callers: withCallers(before.callers, calls, now / 1000),
    rhythm: withActivity(before.rhythm, timesOf(calls), skipped === 0),
  };
}

/** What the newest page shows, at any depth. A call whose block was replaced is none. */
function newestOf(
  { last, pending }: Observation,
  { newest, ledger }: ReadResult<ContractTransaction>,
  { depth, isReplaced }: View,
): Pick<Observation, "last" | "pending"> {
  const known = last !== undefined && isReplaced(last) !== true ? last : undefined;
  if (newest === undefined || isBehind(newest, ledger)) return { last: known, pending };
  const calls = newest.rows.filter((row) => row.call !== undefined && isReplaced(row) !== true);
  return { last: calls[0] ?? known, pending: calls.filter(({ height }) => height > depth).length };
}

type TimedCall = Call & Pick<ContractTransaction, "time">;

const callsOf = (transactions: readonly ContractTransaction[]): readonly TimedCall[] =>
  transactions.flatMap(({ call, time }) => (call === undefined ? [] : [{ ...call, time }]));

const timesOf = (calls: readonly TimedCall[]): readonly number[] => calls.flatMap(({ time = [] }) => time);

const limitsOf = ({ max_functions, max_errors }: Options, spareSeries: number): CallLimits => ({
  functions: max_functions,
  errors: max_errors,
  spareSeries,
});
