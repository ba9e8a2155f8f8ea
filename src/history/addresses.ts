// The past of the collector `addresses`.
import { ApiError } from "../api/errors.ts";
import { addresses } from "../collectors/addresses/addresses.ts";
import { addressFamilies } from "../collectors/addresses/families.ts";
import { NO_LAST_VALUES, newestValues } from "../collectors/addresses/last-values.ts";
import { limitedOutflow } from "../collectors/addresses/limits.ts";
import { readNeededTransfers, transferSources } from "../collectors/addresses/needed-transfers.ts";
import type { Options } from "../collectors/addresses/options.ts";
import {
  addressTransactions,
  originalList,
  principalTransactions,
  replacementList,
  type Transaction,
} from "../collectors/addresses/source.ts";
import type { AddressTarget, Observation } from "../collectors/addresses/state.ts";
import { addUp, NO_TOTALS } from "../collectors/addresses/totals.ts";
import type { Transfer } from "../collectors/addresses/transfer-source.ts";
import { EMPTY_FEED } from "../collectors/feed/state.ts";
import { familiesNamed, type Past, type Reading, type Replay, type Source } from "./past.ts";
import type { ReplayedRow, Spool, StoredRow } from "./spool.ts";
import { timedRows } from "./timed-rows.ts";

/** The past of a watched address. */
export function pastOfAddress(network: string, target: AddressTarget, settings: Options): Past {
  const { principal, name, group, isSummed } = target.watched;
  const original = sourceOf(principal, settings, false);
  const replacement = sourceOf(principal, settings, true);
  const sources = { auto: [original, replacement], v1: [original], v3: [replacement] }[settings.api];
  return {
    collector: addresses.name,
    name: `address ${name}`,
    sources: sources as unknown as [Source],
    lead: 0,
    group: isSummed ? group : undefined,
    unknown: familiesNamed(addressFamilies, [
      "stacks_address_indexed_transactions",
      "stacks_address_pending_depth_transactions",
      "stacks_address_backlog_transactions",
      "stacks_address_reverted_transactions_total",
      "stacks_address_restored_transactions_total",
      "stacks_address_gap_transactions_total",
    ]),
    replay: (source, spool) => replayOf(network, target, settings, source as unknown as AddressSource, spool),
  };
}

interface AddressSource extends Source<Transaction> {
  readonly isNew: boolean;
}

const transfersOf = (source: string): string => `${source} transfers`;

/** The transfers of a transaction; `isMissing` if no response had them. */
interface Moves {
  readonly transfers: readonly Transfer[];
  readonly isMissing?: true;
}

function sourceOf(principal: string, settings: Options, isNew: boolean): AddressSource {
  const name = `${isNew ? "principal" : "address"} ${principal}${settings.transfers ? "" : " without transfers"}`;
  return {
    name,
    isNew,
    operation: isNew ? principalTransactions : addressTransactions,
    list: (api) => (isNew ? replacementList : originalList)(api, principal),
    place: (items) =>
      timedRows(
        items.filter(({ isUnanchored }) => !isUnanchored),
        ({ time }) => time,
        (body) => ({ body }),
      ),
    complete: (reading) => readTransfers(name, principal, settings, isNew, reading),
  };
}

// Rows that are in memory at a time.
const WINDOW_SECONDS = 86_400;

/** Reads the transfers of the rows, oldest first: block by block, as in polls. */
async function readTransfers(
  name: string,
  principal: string,
  settings: Options,
  isNew: boolean,
  { api, spool, range: { since, until } }: Reading,
): Promise<void> {
  const list = transfersOf(name);
  const progress = spool.progress(list);
  if (progress.isComplete) return;
  const sources = transferSources(api, settings, isNew);
  let hasTransfers = true;
  for (let from = typeof progress.position === "number" ? progress.position : since; from < until; ) {
    const to = Math.min(until, from + WINDOW_SECONDS);
    let rows: StoredRow[] = [];
    for (const [time, block] of Map.groupBy(spool.rows(name, from, to), (row) => row.time)) {
      const transactions = block.map(({ body }) => body as Transaction);
      const needed = await readNeededTransfers(api, principal, transactions, sources, {}, 0);
      hasTransfers = needed.hasTransfers;
      let hasRequested = false;
      for (const { height, place, body } of block) {
        const { id } = body as Transaction;
        const transfers = needed.transfers.get(id);
        // Neither known nor missing in a response: the request failed.
        if (transfers === undefined && needed.missing[id] === undefined) {
          throw new ApiError("timeout", "transfers", `those of block ${height} cannot be read`);
        }
        const moves: Moves = transfers === undefined ? { transfers: [], isMissing: true } : { transfers };
        hasRequested ||= (body as Transaction).transfer === undefined;
        rows.push({ time, height, place, body: moves });
      }
      // Each request is saved at once; what the list itself has costs nothing to find again.
      if (!hasRequested) continue;
      spool.save(list, { rows, position: time, isComplete: false, oldest: undefined });
      rows = [];
    }
    spool.save(list, { rows, position: to, isComplete: false, oldest: undefined });
    from = to;
  }
  spool.save(list, { rows: [], position: { hasTransfers }, isComplete: true, oldest: undefined });
}

function replayOf(
  network: string,
  target: AddressTarget,
  { max_assets }: Options,
  source: AddressSource,
  spool: Spool,
): Replay<Observation> {
  const { watched, named = [] } = target;
  const { principal } = watched;
  const addition = transfersOf(source.name);
  const { hasTransfers = false } = (spool.progress(addition).position ?? {}) as { readonly hasTransfers?: boolean };
  const limits = { perClass: max_assets, spareSeries: Number.POSITIVE_INFINITY, named };
  const start: Observation = {
    feed: EMPTY_FEED,
    floor: { height: 0, index: 0 },
    settledTotal: 0,
    totals: NO_TOTALS,
    facts: NO_LAST_VALUES,
    isNew: source.isNew,
    hasTransfers,
    backfill: undefined,
    held: {},
    etag: undefined,
  };
  const factsOf = ({ facts }: Observation, rows: readonly ReplayedRow[]) => {
    const newest = rows.map(({ body }) => body as Transaction).toReversed();
    return { ...facts, ...newestValues(facts, newest, principal, undefined) };
  };
  return {
    list: source.name,
    addition,
    begin: (rows) => ({ ...start, facts: factsOf(start, rows) }),
    advance(state, rows, at) {
      if (rows.length === 0 && watched.maxOutflow === undefined) return state;
      const counted = rows.map(({ body, addition: moves }) => ({
        transaction: body as Transaction,
        transfers: (moves as Moves | undefined)?.transfers ?? [],
      }));
      const transfers_missing = rows.filter(({ addition: moves }) => (moves as Moves | undefined)?.isMissing).length;
      const counts = { reverted: 0, restored: 0, gap: 0, irregularities: { transfers_missing } };
      return {
        ...state,
        totals: addUp(state.totals, principal, counted, counts, limits),
        facts: factsOf(state, rows),
        outflow: limitedOutflow(state.outflow, watched, counted, at * 1000),
      };
    },
    samples: (state) => addresses.samples(state, network, target),
  };
}
