// The past of the collector `contracts`. Its lists return neither block nor time of an event: they follow from its
// transaction, which the list of the chain's transactions or that of the contract's calls has, or which is requested.
import { createHash } from "node:crypto";
import { sum } from "../api/budget-limits.ts";
import { readPlaceOf } from "../collectors/chain/transaction-source.ts";
import { contracts } from "../collectors/contracts/contracts.ts";
import {
  type ContractEvent,
  contractEvents,
  contractLogs,
  type Evaluate,
  eventList,
} from "../collectors/contracts/event-source.ts";
import { contractFamilies, contractSamples } from "../collectors/contracts/families.ts";
import type { ContractTarget } from "../collectors/contracts/poll.ts";
import { EMPTY, type Observation } from "../collectors/contracts/state.ts";
import { addEvents } from "../collectors/contracts/topics.ts";
import { addResults } from "../collectors/event-rules/totals.ts";
import { withActivity } from "../collectors/rhythm.ts";
import { familiesNamed, type Past, type Placed, type Reading, type Replay, type Source, sourcesOf } from "./past.ts";
import type { ReplayedRow, StoredRow } from "./spool.ts";
import { TRANSACTION_ROWS } from "./transactions.ts";

type Settings = ReturnType<typeof contracts.options.parse>;

/** The past of the events of a contract. @param evaluate what the event rules make of an event */
export function pastOfContract(
  network: string,
  { watched }: ContractTarget,
  settings: Settings,
  evaluate: Evaluate | undefined,
): Past {
  const { principal, name, rules = [] } = watched;
  // Changed rules make something else of the same events.
  const hash = createHash("sha256").update(JSON.stringify(rules.map(({ fingerprint }) => fingerprint)));
  const version = rules.length === 0 ? "" : ` rules ${hash.digest("hex").slice(0, 16)}`;
  const sourceOf = (isNew: boolean): Source<ContractEvent> => ({
    name: `${isNew ? "logs" : "events"} ${principal}${version}`,
    operation: isNew ? contractLogs : contractEvents,
    list: (api) => eventList(api, principal, isNew, evaluate),
    place: placeEvents,
  });
  return {
    collector: contracts.name,
    name: `events of ${name}`,
    sources: sourcesOf(settings.api, sourceOf),
    lead: 0,
    unknown: familiesNamed(contractFamilies, [
      "stacks_contract_pending_depth_events",
      "stacks_contract_events_gap_total",
      "stacks_contract_reverted_events_total",
      "stacks_contract_restored_events_total",
    ]),
    replay: ({ name: list }): Replay<Observation> => ({
      list,
      begin: () => EMPTY,
      advance(state, rows) {
        if (rows.length === 0) return state;
        const { totals } = state;
        // The rows are in the order of the chain.
        const before = sum(Object.values(totals.events));
        const events = rows.map((row, index) => ({ ...(row.body as Body), rank: before + index }));
        const spareSeries = Number.POSITIVE_INFINITY;
        return {
          ...withTimes(state, rows),
          totals: {
            ...totals,
            ...addEvents(totals, events, { max: settings.max_topics, spareSeries }),
            // The events of a transaction are in one block, and so in one step.
            transactions: totals.transactions + new Set(rows.map(transactionOf)).size,
          },
          rules: addResults(state.rules, rules, events, spareSeries),
        };
      },
      samples: (state) => contractSamples(state, network, watched),
    }),
  };
}

type Body = Pick<ContractEvent, "type" | "topic" | "results">;

// Events of a block in the order of the list: by transaction, and by index within it.
const EVENTS_PER_TRANSACTION = 100_000;

const transactionOf = ({ height, place }: ReplayedRow): string =>
  `${height}:${Math.floor(place / EVENTS_PER_TRANSACTION)}`;

/** The times of the newest event and of pauses are those of blocks. */
function withTimes(state: Observation, rows: readonly ReplayedRow[]): Observation {
  const times = rows.map(({ time }) => time);
  const last = times.at(-1);
  if (last === undefined) return state;
  return { ...state, lastSeenAt: last * 1000, rhythm: withActivity(state.rhythm, times) };
}

/**
 * Places events by their transactions. If the spool has all transactions of the range, those that it lacks are outside
 * of it; only the last one is then requested, to know how far down the page is.
 */
async function placeEvents(items: readonly ContractEvent[], { api, spool, range }: Reading): Promise<Placed> {
  const isWhole = spool.progress(TRANSACTION_ROWS).isComplete;
  const lastId = items.at(-1)?.txId;
  const known = new Map<string, Awaited<ReturnType<typeof readPlaceOf>>>();
  const rows: StoredRow[] = [];
  let oldest: number | undefined;
  for (const { id, txId, type, topic, results } of items) {
    if (!known.has(txId)) {
      const stored = spool.placeOf(txId);
      known.set(txId, stored ?? (isWhole && txId !== lastId ? undefined : await readPlaceOf(api, txId)));
    }
    const place = known.get(txId);
    // Outside of the range, or no longer in a block: the list has changed since the page was read.
    if (place === undefined) continue;
    oldest = place.time;
    const index = Number(id.slice(id.lastIndexOf(":") + 1));
    const body = { type, topic, ...(results === undefined ? {} : { results }) };
    rows.push({ ...place, place: place.place * EVENTS_PER_TRANSACTION + index, body });
    // All others are older.
    if (oldest <= range.since) break;
  }
  return { rows, oldest };
}
