// The past of the collector `addresses`.
import { ApiError } from "../api/errors.ts";
import { addresses } from "../collectors/addresses/addresses.ts";
import { addressFamilies } from "../collectors/addresses/families.ts";
import { NO_LAST_VALUES, newestValues } from "../collectors/addresses/last-values.ts";
import { limitedOutflow } from "../collectors/addresses/limits.ts";
import { listedTransfers, readNeededTransfers, transferSources } from "../collectors/addresses/needed-transfers.ts";
import type { Options } from "../collectors/addresses/options.ts";
import {
  addressTransactions,
  originalList,
  PAGE,
  principalTransactions,
  replacementList,
  type Transaction,
} from "../collectors/addresses/source.ts";
import type { AddressTarget, Observation } from "../collectors/addresses/state.ts";
import { addUp, NO_TOTALS } from "../collectors/addresses/totals.ts";
import {
  type Transfer,
  type TransferRow,
  transactionsWithTransfers,
  transferList,
} from "../collectors/addresses/transfer-source.ts";
import { EMPTY_FEED } from "../collectors/feed/state.ts";
import { familiesNamed, type Past, type Reading, type Replay, type Source, sourcesOf } from "./past.ts";
import type { Spool, StoredRow } from "./spool.ts";
import { timedRows } from "./timed-rows.ts";

/** The past of a watched address. */
export function pastOfAddress(network: string, target: AddressTarget, settings: Options): Past {
  const { principal, name, group, isSummed } = target.watched;
  return {
    collector: addresses.name,
    name: `address ${name}`,
    sources: sourcesOf(settings.api, (isNew) => sourceOf(principal, settings, isNew)),
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
    replay: (source, spool) => replayOf(network, target, settings, source as AddressSource, spool),
  };
}

interface AddressSource extends Source<Transaction> {
  readonly isNew: boolean;
}

// The lists of transfers of a source: those of the list that has all of them, and those that were requested.
const listedOf = (source: string): string => `${source} listed transfers`;
const requestedOf = (source: string): string => `${source} requested transfers`;

/** The transfers of a transaction which the list of its address lacks; `isMissing` if no response had them. */
interface Moves {
  readonly transfers: readonly Transfer[];
  readonly isMissing?: true;
}

function sourceOf(principal: string, settings: Options, isNew: boolean): AddressSource {
  const name = `${isNew ? "principal" : "address"} ${principal}${settings.transfers ? "" : " without transfers"}`;
  const operation = isNew ? principalTransactions : addressTransactions;
  return {
    name,
    isNew,
    operation,
    list: (api) => (isNew ? replacementList : originalList)(api, principal),
    place: (items) =>
      timedRows(
        operation,
        items.filter(({ isUnanchored }) => !isUnanchored),
        ({ time }) => time,
        // The list of transfers names the transaction, and not its time.
        (body) => ({ id: body.id, body }),
      ),
    addition: (reading) => (settings.transfers && !isNew ? transferSource(name, principal, reading) : undefined),
    complete: (reading) => readTransfers(name, principal, settings, isNew, reading),
  };
}

// Rows that are in memory at a time.
const WINDOW_SECONDS = 86_400;

/** The rows between two times whose transfers are not known, in parts. */
function* unknownTransfers(spool: Spool, name: string, principal: string, since: number, until: number) {
  for (let after = since; after < until; after += WINDOW_SECONDS) {
    const to = Math.min(until, after + WINDOW_SECONDS);
    const all = spool.rows(name, after, to, [listedOf(name), requestedOf(name)]);
    const rows = all.filter(
      ({ body, addition }) => addition === undefined && listedTransfers(principal, body as Transaction) === undefined,
    );
    yield { to, rows, total: all.length };
  }
}

/** The list of all transfers, if it has fewer pages than there are blocks whose transfers have to be read. */
function transferSource(
  name: string,
  principal: string,
  { spool, range: { since, until } }: Pick<Reading, "spool" | "range">,
): Source | undefined {
  const list = listedOf(name);
  let [transactions, blocks] = [0, 0];
  for (const { rows, total } of unknownTransfers(spool, name, principal, since, until)) {
    transactions += total;
    blocks += new Set(rows.map(({ height }) => height)).size;
  }
  const hasBegun = spool.progress(list).position !== undefined;
  if (!hasBegun && blocks <= transactions / PAGE) return undefined;
  const source: Source<TransferRow> = {
    name: list,
    operation: transactionsWithTransfers,
    list: (api) => transferList(api, principal),
    place(items, { range }) {
      const places = items.map(({ id }) => spool.placeOf(id));
      const rows = items.flatMap(({ transfers }, index) => {
        const place = places[index];
        const body: Moves = { transfers };
        return place === undefined ? [] : [{ ...place, body }];
      });
      // Below the oldest known transaction, none is known. Above the newest one, none is known yet.
      const isBelow = rows.length > 0 ? places.at(-1) === undefined : spool.newest(list) !== undefined;
      return { rows, oldest: isBelow ? range.since : rows.at(-1)?.time };
    },
  };
  return source;
}

/** Reads the transfers that are not known yet, oldest first: block by block, as in polls. */
async function readTransfers(
  name: string,
  principal: string,
  settings: Options,
  isNew: boolean,
  { api, spool, range: { since, until }, onRead }: Reading,
): Promise<void> {
  const list = requestedOf(name);
  const { isComplete, position } = spool.progress(list);
  if (isComplete) return;
  const sources = transferSources(api, settings, isNew);
  const start = typeof position === "number" ? position : since;
  for (const { to, rows } of unknownTransfers(spool, name, principal, start, until)) {
    for (const [time, block] of Map.groupBy(rows, (row) => row.time)) {
      const transactions = block.map(({ body }) => body as Transaction);
      const { transfers, missing, shortage } = await readNeededTransfers(api, principal, transactions, sources, {}, 0);
      const read = block.map(({ height, place, body }): StoredRow => {
        const { id } = body as Transaction;
        const found = transfers.get(id);
        // Neither found nor missing in a response: the request failed.
        if (found === undefined && missing[id] === undefined) {
          throw shortage ?? new ApiError("timeout", "transfers", `those of block ${height} cannot be read`);
        }
        const moves: Moves = found === undefined ? { transfers: [], isMissing: true } : { transfers: found };
        return { time, height, place, body: moves };
      });
      spool.save(list, { rows: read, position: time, isComplete: false, oldest: undefined });
      onRead(time);
    }
    spool.save(list, { rows: [], position: to, isComplete: false, oldest: undefined });
  }
  const hasTransfers = sources.byBlock || sources.byAddress || sources.byTransaction;
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
  const additions = [listedOf(source.name), requestedOf(source.name)];
  const { position } = spool.progress(requestedOf(source.name));
  const { hasTransfers = false } = (position ?? {}) as { readonly hasTransfers?: boolean };
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
  return {
    list: source.name,
    additions,
    begin: () => start,
    advance(state, rows, at) {
      if (rows.length === 0 && watched.maxOutflow === undefined) return state;
      const counted = rows.map(({ body, addition }) => {
        const transaction = body as Transaction;
        const moves = addition as Moves | undefined;
        const transfers = moves?.transfers ?? (hasTransfers ? listedTransfers(principal, transaction) : undefined);
        return { transaction, transfers: transfers ?? [], isMissing: moves?.isMissing === true };
      });
      const newest = counted.map(({ transaction }) => transaction).toReversed();
      const transfers_missing = counted.filter(({ isMissing }) => isMissing).length;
      const counts = { reverted: 0, restored: 0, gap: 0, irregularities: { transfers_missing } };
      return {
        ...state,
        totals: addUp(state.totals, principal, counted, counts, limits),
        facts: { ...state.facts, ...newestValues(state.facts, newest, principal, undefined) },
        outflow: limitedOutflow(state.outflow, watched, counted, at * 1000),
      };
    },
    samples: (state) => addresses.samples(state, network, target),
  };
}
