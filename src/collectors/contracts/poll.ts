// One poll of a contract: reads the new events of its list, and counts events when they have their confirmations.
import { ApiError } from "../../api/errors.ts";
import { blockStatus, type ChainView, depthOf } from "../chain/chain-view.ts";
import type { Poll, Target, Watched } from "../collector.ts";
import { loadDecoder } from "../event-rules/clarity-value.ts";
import { evaluate } from "../event-rules/evaluate.ts";
import type { EventRule } from "../event-rules/rule.ts";
import { addResults } from "../event-rules/totals.ts";
import { type List, type Page, type ReadResult, readFromOpenEnd, readFromTop } from "../feed/read.ts";
import {
  applyChanges,
  changesOf,
  type FeedState,
  missingRows,
  pruned,
  stopCondition,
  withoutOpenEnd,
  withReadRows,
} from "../feed/state.ts";
import { withActivity } from "../rhythm.ts";
import { type ContractEvent, type Evaluate, eventList, tipFromEtag } from "./event-source.ts";
import { checkReverted, NO_PROOF_NEEDED, proofOf, withoutDoubtful, withProofs } from "./proofs.ts";
import { byRank, withRanks } from "./ranks.ts";
import { EMPTY, type Observation } from "./state.ts";
import { addEvents } from "./topics.ts";

/** A watched contract. */
export interface ContractTarget extends Target {
  readonly watched: Watched;
  readonly confirmations: number;
}

type ContractPoll = Poll<Observation, ContractTarget>;

// Number of counted events to keep: a reorganisation is detected by the events that it removes.
const RETENTION = { max: 200, min: 50 };
// After this number of blocks a counted event cannot be reverted.
const FINAL_BLOCKS = 1000;
// Number of events of the first poll that a reorganisation can have moved. The older ones need no proof.
const MAX_MOVED = 40;
// A longer backlog is skipped, and counted as a gap.
const MAX_ROWS = 100_000;

/** Polls a contract, by the replacement of the operation if `isNew`. */
export async function observeContract(
  isNew: boolean,
  poll: ContractPoll,
  settings: { readonly pages: number; readonly max_topics: number },
): Promise<Observation> {
  const { api, target, previous, chain, isFollowed, now } = poll;
  const { principal: contract, rules = [] } = target.watched;
  const list = eventList(api, contract, isNew, await evaluatorOf(rules));
  if (previous === undefined) return firstObservation(list, isNew);
  const etag = validatorOf(previous, isNew, chain);
  const first = etag === undefined ? undefined : await list.changedSince(etag);
  if (etag !== undefined && first === undefined) return previous;

  const before = withProofs(previous.feed, chain, isFollowed);
  const { reading, feed: readFrom } = await read(list, before, first, poll, settings.pages);
  const ranked = withRanks(reading, readFrom);
  const withRows = withReadRows(readFrom, ranked, proofOf);
  const merged = reading.isFromTop ? withoutDoubtful(withRows, now) : withRows;

  const depth = chain === undefined ? (isFollowed ? -1 : 0) : depthOf(chain, target.confirmations);
  const decision = changesOf(merged, chain, depth, proofOf);
  const checked = await checkReverted(api, decision.replaced, chain, depth, tipFromEtag(reading.first.etag));
  if (checked.unproved > 0) {
    poll.note?.(`${checked.unproved} counted events may be reverted; the server cannot prove it, so they stay counted`);
  }
  const tipHeight = chain?.tipHeight ?? 0;
  const { state, counted, reverted, restored } = applyChanges(
    merged,
    { ...decision, ...checked, tipHeight },
    proofOf,
    byRank,
  );

  const lacked = state.counted.map((entry) => ({ ...entry, lackedIn: checked.lacked.get(entry.id) ?? entry.lackedIn }));
  // While older events wait, part of a counted transaction may still be uncounted: keep every event.
  const isFilling = state.waiting.some(({ item }) => item.rank < (state.counted[0]?.index ?? 0));
  const feed = pruned(
    { ...state, counted: lacked },
    {
      ...RETENTION,
      oldest: chain === undefined ? 0 : tipHeight - FINAL_BLOCKS,
      ...(isFilling ? { max: Number.POSITIVE_INFINITY } : {}),
    },
  );

  const { totals } = previous;
  // Topics and rules share what can be added.
  const spareSeries = rules.length === 0 ? poll.spareSeries : poll.spareSeries / 2;
  return {
    feed,
    totals: {
      ...addEvents(totals, counted, { max: settings.max_topics, spareSeries }),
      gaps: totals.gaps + (readFrom === before ? 0 : 1),
      reverted: totals.reverted + reverted,
      restored: totals.restored + restored,
    },
    rules: addResults(previous.rules, rules, counted, spareSeries),
    lastSeenAt: reading.fresh.length > 0 ? now : previous.lastSeenAt,
    rhythm: reading.fresh.length > 0 ? withActivity(previous.rhythm, [now / 1000]) : previous.rhythm,
    isNew,
    etag: reading.isFromTop ? reading.first.etag : undefined,
  };
}

/** Loads the decoder if there are rules. */
async function evaluatorOf(rules: readonly EventRule[]): Promise<Evaluate | undefined> {
  if (rules.length === 0) return undefined;
  const decode = await loadDecoder();
  return (event) => evaluate(rules, event, decode);
}

/** The events of the first poll are known once they are proved, but never counted. */
async function firstObservation(list: List<ContractEvent>, isNew: boolean): Promise<Observation> {
  const { first } = await readFromTop(list, { stopsAt: () => false, pages: 1, rows: 1 });
  const waiting = first.rows.map((event, place) => ({
    item: {
      ...event,
      rank: -place,
      isOld: true,
      ...(place < MAX_MOVED ? {} : { proof: NO_PROOF_NEEDED }),
    },
  }));
  return { ...EMPTY, feed: { ...EMPTY.feed, waiting }, isNew };
}

/** The validator for a conditional request; undefined while events are doubtful, pending or not read yet. */
function validatorOf({ feed, etag, isNew }: Observation, willBeNew: boolean, chain: ChainView | undefined) {
  const isDoubtful = feed.counted.some((entry) => entry.isAbove || blockStatus(chain, entry) === "replaced");
  return isNew === willBeNew && feed.waiting.length === 0 && feed.open === undefined && !isDoubtful ? etag : undefined;
}

/** Reads the list down to known events. Returns another feed if the position of the last poll in the list is lost. */
async function read(
  list: List<ContractEvent>,
  feed: FeedState<ContractEvent>,
  first: Page<ContractEvent> | undefined,
  { api, chain }: ContractPoll,
  maxPages: number,
): Promise<{ readonly reading: ReadResult<ContractEvent>; readonly feed: FeedState<ContractEvent> }> {
  const pages = Math.max(2, Math.min(maxPages, Math.floor(api.room() / 2)));
  const limits = (of: FeedState<ContractEvent>) => ({
    stopsAt: stopCondition(of, chain, proofOf, byRank),
    pages,
    rows: MAX_ROWS,
  });
  if (feed.open !== undefined && feed.open.rows < MAX_ROWS) {
    const reading = await readFromOpenEnd(list, limits(feed), feed.open);
    if (reading !== undefined) return { reading, feed };
  }
  const from = feed.open === undefined ? feed : withoutOpenEnd(feed);
  const reading = await readFromTop(list, limits(from), first);
  // Events at height 0 have no proof.
  const lacked = missingRows(from, reading, proofOf, byRank).find(
    (entry) => entry.height > 0 && ["canonical", "old"].includes(blockStatus(chain, entry)),
  );
  if (lacked === undefined) return { reading, feed: from };
  const message = `the list lacks an event that was listed at height ${lacked.height}`;
  throw new ApiError("behind", list.operation, message);
}
