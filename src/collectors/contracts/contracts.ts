import { z } from "zod";
import { depthOf, viewOf } from "../../chain/branch.ts";
import { rewound } from "../../ledger/ledger.ts";
import { type WatchedTarget, watchedTargets } from "../collector.ts";
import { keyOf } from "../counted.ts";
import { counting } from "../counting.ts";
import {
  addResults,
  evaluate,
  familiesOfRules,
  placesOfRules,
  ruleFamilies,
  startRules,
} from "../event-rules/evaluate.ts";
import { pagesOption } from "../options.ts";
import { ofContract } from "../subjects.ts";
import { originalTransaction, transaction } from "../transaction.ts";
import { OTHER } from "../values.ts";
import {
  type ContractEvent,
  contractEvents,
  contractLogs,
  EVENTS_PER_REQUEST,
  eventPlacer,
  type KeptPlaces,
  logList,
  windowList,
} from "./event-source.ts";

const listed = (field: string) =>
  `${field} of GET /extended/v2/smart-contracts/{contract_id}/logs, or GET /extended/v1/contract/{contract_id}/events ` +
  "of servers without it, polled";

const events = ofContract.counter({
  name: "stacks_contract_events_total",
  help: "Events of the contract. Each counts once, when it has the configured confirmations.",
  source: listed("event_type, contract_log.topic"),
  labels: {
    event_type: "type of the event",
    topic: "topic of the event; other beyond the first 50, and for topics that are not valid",
  },
});
const lastObserved = ofContract.gauge({
  name: "stacks_contract_last_event_observed_timestamp_seconds",
  help: "Time when a confirmed event was last counted; events carry no time. Unix time. Absent until the first one.",
  source: listed("results"),
});
const backlog = ofContract.gauge({
  name: "stacks_contract_backlog_events",
  help: "Confirmed events that are not counted yet: unread, or without the block of their transaction. An estimate.",
  source: listed("total, results"),
});
const gaps = ofContract.counter({
  name: "stacks_contract_events_gap_total",
  help: "Polls that skipped an unknown number of events, because their position in the list was lost.",
  source: listed("results"),
});
const { reverted, restored } = ofContract.reversals(
  "events",
  `block of GET /extended/v3/transactions/{tx_id}, and ${listed("results")}`,
);

const options = z.object({ pages: pagesOption(EVENTS_PER_REQUEST, "events") });
type Options = z.infer<typeof options>;

/** Maximum number of pairs of event type and topic of one contract that have series. */
const MAX_TOPICS = 50;

// The only event type today, with the topic of `print`. It always has a series.
const PRINT = { event_type: "smart_contract_log", topic: "print" };

/** Events of watched contracts, each counted once (`contract_logs`, or `contract_events` of servers without it). */
export const contracts = counting<ContractEvent, number | undefined, Options, WatchedTarget>({
  name: "contracts",
  about: "Events of watched contracts, each counted once.",
  schedule: { keyless: "every 5m", free_key: "every 1h" },
  timeout: "4m",
  priority: 5,
  operations: [contractLogs, contractEvents, transaction, originalTransaction],
  families: [events, lastObserved, backlog, gaps, reverted, restored, ...ruleFamilies],
  // Rules are estimated by their own labels.
  typicalSeries: Object.fromEntries(ruleFamilies.map(({ name }) => [name, 0])),
  options,
  targets: (network) => watchedTargets(network.contracts, network),

  lists({ api, target, chain, previous }, { pages }) {
    const { watched, confirmations } = target;
    // A fork can have moved what was counted above new events, or above the depth.
    const { recent } = previous?.ledger ? rewound(previous.ledger, viewOf(chain, confirmations)) : { recent: [] };
    const known = new Set(recent.map(({ id }) => id));
    const isFirst = previous?.ledger === undefined;
    const isKnown = (id: string) => isFirst || known.has(id);
    const height = chain && Math.max(depthOf(chain, confirmations), recent.at(-1)?.height ?? 0);
    return [
      logList(api, watched.principal, height),
      windowList(api, watched.principal, isKnown, { height, pages: isFirst ? 1 : pages }),
    ];
  },
  listFamilies: { gap: gaps, reverted, restored },
  placer({ api, chain, mined, previous }) {
    // The list of the whole chain knows no forks: after one, it can still have a transaction in its old block.
    const rows = mined?.rows.filter((row) => chain?.isReplaced(row) === false);
    const known = new Map(rows?.map((row) => [row.id, row]));
    return eventPlacer(api, chain, known, previous?.values.places as KeptPlaces | undefined);
  },

  counts: {
    identity: (network, { watched: { name, principal } }) => ({ network, name, contract_id: principal }),
    familiesOf: ({ watched: { rules = [] } }) => familiesOfRules(rules),
    places: ({ watched: { rules = [] } }) => [
      {
        name: "topic",
        families: [events],
        labels: ["event_type", "topic"],
        max: MAX_TOPICS - 1,
        named: [keyOf(PRINT.event_type, PRINT.topic)],
      },
      ...placesOfRules(rules),
    ],
  },
  start(to, _, { watched: { rules = [] } }) {
    to.start(events, PRINT);
    for (const family of [gaps, reverted, restored]) to.start(family);
    startRules(to, rules);
  },
  count({ type: event_type, topic, raw }, to, { watched: { rules = [] } }) {
    const isValid = event_type !== OTHER && topic !== OTHER;
    to.add(events, isValid ? { event_type, topic } : { event_type: OTHER, topic: OTHER });
    addResults(to, evaluate(rules, raw));
  },
  // The time when an event was last counted.
  next: (before, { counted }, { now }) => (counted.length === 0 ? before : now),
  *gauges({ unread, places, own: countedAt }, labels) {
    if (countedAt !== undefined) yield lastObserved.at(labels, countedAt / 1000);
    const unplaced = (places as KeptPlaces | undefined)?.wanted.length ?? 0;
    yield backlog.at(labels, unread + unplaced);
  },
});
