// One poll of the calls of a contract: reads new transactions, and counts the calls with enough confirmations.
import { blockStatus, type ChainView, depthOf, type Proof } from "../chain/chain-view.ts";
import { confirmedChanges, countableHeight } from "../feed/confirm.ts";
import { highestOf, oldestHeight, proofOf, raisedFloor } from "../feed/floor.ts";
import { repaired, validatorOf } from "../feed/previous.ts";
import type { Page } from "../feed/read.ts";
import { cutAt, type ListRead, readList } from "../feed/read-list.ts";
import { applyChanges, newestFirst, pruned, withReadRows } from "../feed/state.ts";
import { withActivity } from "../rhythm.ts";
import { withCallers } from "./callers.ts";
import type { Options } from "./options.ts";
import { type Call, type ContractTransaction, originalList, replacementList } from "./source.ts";
import { type CallPoll, NOTHING, type Observation } from "./state.ts";
import { addCalls, type CallLimits, withNames } from "./totals.ts";

/** Observes the calls of a contract by `address_transactions`, or by its replacement. */
export async function observeCalls(useReplacement: boolean, poll: CallPoll, settings: Options): Promise<Observation> {
  const { api, target, chain, previous } = poll;
  const list = (useReplacement ? replacementList : originalList)(api, target.watched.principal);
  const isSameList = previous?.isNew === useReplacement;
  const etag = previous !== undefined && isSameList ? validatorOf(previous, previous.last, chain) : undefined;
  const first = etag === undefined ? undefined : await list.changedSince(etag);
  const isUnchanged = etag !== undefined && first === undefined;
  if (previous === undefined) {
    const page = (await list.page(0, undefined)) as Page<ContractTransaction>;
    const before = firstObservation(page, poll, settings);
    return nextObservation(before, await readList(list, before, page, poll, settings), useReplacement, poll, settings);
  }
  const before = repaired(previous, previous.last, poll);
  const read = isUnchanged ? undefined : await readList(list, before, first, poll, settings, isSameList);
  return nextObservation(before, read, useReplacement, poll, settings);
}

/** The first poll counts nothing that is listed already; it shows who calls the contract, how often, and what fails. */
function firstObservation(
  { rows, total = 0 }: Page<ContractTransaction>,
  { chain, target, spareSeries }: CallPoll,
  settings: Options,
): Observation {
  // Without a chain, confirmations are unknown: none of the listed transactions is counted.
  const height = (chain === undefined ? highestOf(rows) : depthOf(chain, target.confirmations)) + 1;
  const listed = callsOf(rows.filter((row) => row.height < height));
  const limits = limitsOf(settings, spareSeries);
  return {
    ...NOTHING,
    floor: { height, index: 0 },
    settledTotal: total,
    totals: { ...NOTHING.totals, ...withNames(NOTHING.totals, listed, limits) },
    callers: withCallers({}, listed, Number.NEGATIVE_INFINITY),
    rhythm: withActivity(NOTHING.rhythm, timesOf(listed)),
  };
}

async function nextObservation(
  before: Observation,
  read: ListRead<ContractTransaction> | undefined,
  isNew: boolean,
  poll: CallPoll,
  settings: Options,
): Promise<Observation> {
  const { target, chain, now, spareSeries } = poll;
  const result = read?.result;
  const cut = result && cutAt(settings.catch_up, result, before);
  const merged = cut === undefined ? before.feed : withReadRows(before.feed, cut.result, proofOf);
  const maxHeight = countableHeight(poll, merged);
  const changes = await confirmedChanges(merged, maxHeight, read, poll);
  const tipHeight = chain?.tipHeight ?? maxHeight;
  const applied = applyChanges(merged, { ...changes, tipHeight }, proofOf, newestFirst);
  const oldest = oldestHeight(tipHeight, target.confirmations);
  const feed = pruned(applied.state, { oldest, max: Number.POSITIVE_INFINITY, min: 1 });

  const calls = callsOf(applied.counted);
  const isComplete = feed.open === undefined;
  const { gap, reverted, restored } = before.totals;
  return {
    feed,
    floor: raisedFloor(cut?.floor ?? before.floor, applied.state.counted, oldest),
    settledTotal: isComplete && result !== undefined ? (result.first.total ?? 0) : before.settledTotal,
    totals: {
      ...addCalls(before.totals, calls, limitsOf(settings, spareSeries)),
      gap: gap + (cut?.gap ?? 0),
      reverted: reverted + applied.reverted,
      restored: restored + applied.restored,
    },
    callers: withCallers(before.callers, calls, now / 1000),
    rhythm: withActivity(before.rhythm, timesOf(calls), isComplete),
    last: newestCall(before.last, result?.isFromTop ? result.rows : [], chain),
    confirmedTo: maxHeight,
    isNew,
    etag: changes.dropped.size + applied.reverted > 0 ? undefined : (result?.first.etag ?? before.etag),
  };
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

/** The newest call, at any depth. One whose block was replaced is dropped. @param rows newest first */
function newestCall(
  before: Observation["last"],
  rows: readonly ContractTransaction[],
  chain: ChainView | undefined,
): Observation["last"] {
  const isValid = (block: Proof) => blockStatus(chain, block) !== "replaced";
  const newest = rows.find((row) => row.call !== undefined && isValid(row));
  if (newest !== undefined) return { height: newest.height, hash: newest.hash, time: newest.time };
  return before !== undefined && isValid(before) ? before : undefined;
}
