// The contract of a collector with a history: a list to read backwards, and a mapping of rows to samples. The rows
// are counted by the same functions as in polls of the daemon.
import type { Operation, StacksApi } from "../api/operation.ts";
import type { List, Row } from "../collectors/feed/read.ts";
import type { Family, Sample } from "../exposition/family.ts";
import type { Range } from "./range.ts";
import type { ReplayedRow, Spool, StoredRow } from "./spool.ts";

/** Parameters of reading. */
export interface Reading {
  readonly api: StacksApi;
  readonly spool: Spool;
  readonly range: Range;
  /** Called when something was read. @param time of what was read, Unix time in seconds; undefined if not known */
  readonly onRead: (time: number | undefined) => void;
}

/** The rows of a page whose place on the chain is known. */
export interface Placed {
  readonly rows: readonly StoredRow[];
  /** Time of the oldest row of the page; undefined if it is not known. Unix time, seconds. */
  readonly oldest: number | undefined;
}

/** A list that is read backwards. */
export interface Source<Item extends Row = Row> {
  /** Its name in the spool: a source with other rows has another name. */
  readonly name: string;
  readonly operation: Operation;
  list(api: StacksApi): List<Item>;
  /** Finds the page of a time, if newer ones can be left out. @returns its cursor; undefined for the first page */
  seek?(api: StacksApi, time: number): Promise<string | undefined>;
  /** Places the rows of a page, newest first. */
  place(items: readonly Item[], reading: Reading): Placed | Promise<Placed>;
  /** A list of what belongs to the rows, once all of them are read; undefined if it costs more than `complete`. */
  addition?(reading: Pick<Reading, "spool" | "range">): Source | undefined;
  /** Reads what belongs to the rows and is not read yet. Continues where it was interrupted. */
  complete?(reading: Reading): Promise<void>;
}

/** Counts the rows of a list, step by step. `State` is plain data that is replaced, never changed. */
export interface Replay<State = unknown> {
  /** Name of the list in the spool. */
  readonly list: string;
  /** Names of lists whose rows belong to those of the first. @default none */
  readonly additions?: readonly string[] | undefined;
  /** The state at the first sample. @param rows those of the `lead` before it, which do not count; oldest first */
  begin(rows: readonly ReplayedRow[], at: number): State;
  /** The state at the next sample. The same object if its samples are the same. @param rows oldest first */
  advance(state: State, rows: readonly ReplayedRow[], at: number): State;
  samples(state: State): Iterable<Sample>;
}

/** The past of one target of a collector. */
export interface Past {
  readonly collector: string;
  /** Unique; for progress and for the spool. */
  readonly name: string;
  /** The preferred one first; another one is used when the server does not offer those before it. */
  readonly sources: readonly Source[];
  /** Seconds before the start that are read too. */
  readonly lead: number;
  /** The group that has the samples of this target as a part of its sums; undefined if it has its own series. */
  readonly group?: string | undefined;
  /** Families that a history does not have, because the API does not return their past. */
  readonly unknown: readonly Family[];
  /** @param source the one that was read @param spool has all of it */
  replay(source: Source, spool: Spool): Replay;
}

/** The sources that the setting `api` of a collector allows, the preferred one first. */
export function sourcesOf<One extends Source>(
  api: "auto" | "v1" | "v3",
  sourceOf: (isReplacement: boolean) => One,
): readonly One[] {
  return { auto: [false, true], v1: [false], v3: [true] }[api].map(sourceOf);
}

/** Families of these names. Throws if one is missing. */
export function familiesNamed(families: readonly Family[], names: readonly string[]): readonly Family[] {
  return names.map((name) => {
    const found = families.find((family) => family.name === name);
    if (found === undefined) throw new Error(`there is no family ${name}`);
    return found;
  });
}
