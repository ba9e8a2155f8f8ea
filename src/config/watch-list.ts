// The watch list of a network: entries of the configuration and of the files that it names.
import { resolve } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { z } from "zod";
import type { Watched } from "../collectors/collector.ts";
import { type ConfigError, errorsOf, type Issue, issueAt, type Locate, shorten } from "./errors.ts";
import { eventRules } from "./event-rule-settings.ts";
import type { EventRules } from "./event-rules.ts";
import { MAX_BYTES, type NamedFiles, readText } from "./files.ts";
import { entriesOf, type Path, valueAt } from "./paths.ts";
import { shortName } from "./principal.ts";
import { nodeAt, type SchemaNode } from "./schema.ts";
import { addressEntry, contractEntry, type Entry, type Known, NO_RULES } from "./watch-entries.ts";
import { MalformedFile, readEntries } from "./watch-file.ts";

/** Entries of one list of a network, those of its files included. */
export const MAX_WATCHED = 100_000;

/** One of the lists of a network. */
export interface WatchList {
  readonly watched: readonly Watched[];
  /** Absolute paths of the files of the list. */
  readonly files: readonly string[];
  /** Errors in those files. */
  readonly errors: readonly ConfigError[];
}

const LISTS = {
  addresses: { files: "address_files", key: "address" },
  contracts: { files: "contract_files", key: "contract_id" },
} as const;

interface Context {
  readonly known: Known;
  readonly files: NamedFiles;
  /** Receives issues in the configuration itself. */
  readonly issues: Issue[];
  readonly rules: EventRules;
  readonly tree: SchemaNode;
}

/** An entry that is not checked yet, and its path. */
interface Written {
  readonly value: unknown;
  readonly at: Path;
  readonly schema: z.ZodType<Entry>;
  /** Receives the issues of the entry. */
  readonly issues: Issue[];
}

/** Reads one of the lists of a network. */
export async function readWatchList(
  list: keyof typeof LISTS,
  network: unknown,
  at: Path,
  { known, files, issues, rules, tree }: Context,
): Promise<WatchList> {
  const { files: fileList, key } = LISTS[list];
  const [ofConfiguration, ofFile] =
    list === "addresses"
      ? [addressEntry(known), addressEntry(known)]
      : [contractEntry(known, eventRules), contractEntry(known, NO_RULES)];
  const entryTree = nodeAt(tree, ["networks", 0, list, 0]) ?? {};
  const inConfiguration = entriesOf(valueAt(network, [list]));
  const written = inConfiguration.map(
    (value, index): Written => ({ value, at: [...at, list, index], schema: ofConfiguration, issues }),
  );
  const paths: string[] = [];
  const errorsOfFiles: (() => Promise<readonly ConfigError[]>)[] = [];
  for (const [index, name] of entriesOf(valueAt(network, [fileList])).entries()) {
    if (typeof name !== "string" || name === "") continue;
    const file = resolve(files.folder, name);
    const report = (message: string) =>
      issues.push(issueAt([...at, fileList, index], `${message}: "${shorten(name)}"`));
    paths.push(file);
    const text = await readText(files, name, MAX_BYTES.watchFile, report);
    if (text === undefined) continue;
    const own: Issue[] = [];
    const { values, locator } = await readEntries(file, text, key, entryTree).catch((error: unknown) => {
      if (!(error instanceof MalformedFile)) throw error;
      own.push(issueAt([], error.message));
      return { values: [], locator: async (): Promise<Locate> => () => error.place };
    });
    if (written.length + values.length > MAX_WATCHED) {
      report(`expected at most ${MAX_WATCHED} ${list} in the configuration and its files, found more`);
      continue;
    }
    for (const [line, value] of values.entries()) written.push({ value, at: [line], schema: ofFile, issues: own });
    errorsOfFiles.push(async () => {
      if (own.length === 0) return [];
      return errorsOf(own, { file, tree: { items: entryTree }, root: values, locate: await locator(), isList: true });
    });
  }
  const watched = await checked(written, key, rules);
  const errors = await Promise.all(errorsOfFiles.map((errorsOf) => errorsOf()));
  return { watched, files: paths, errors: errors.flat() };
}

// Checks all entries, and gives a name to each that has none.
async function checked(written: readonly Written[], key: string, rules: EventRules): Promise<readonly Watched[]> {
  const names = new Set<unknown>();
  const principals = new Set<string>();
  const entries: Omit<Entry, "events">[] = [];
  for (const [index, { value, at, schema, issues }] of written.entries()) {
    if (index % SLICE === 0) await nextTurn();
    const { data, error } = schema.safeParse(value);
    for (const issue of error?.issues ?? []) issues.push({ ...issue, path: [...at, ...issue.path] });
    const name = valueAt(value, ["name"]);
    if (names.has(name)) issues.push(issueAt([...at, "name"], "a name that no other entry of the list has"));
    if (name !== undefined) names.add(name);
    if (data === undefined) continue;
    const reason = "another entry has it";
    if (principals.has(data.principal)) issues.push(issueAt([...at, key], "each principal once", { reason }));
    principals.add(data.principal);
    const { events, ...entry } = data;
    entries.push({ ...entry, rules: rules.read(events, [...at, "events"]) });
  }
  return entries.map(({ name, principal, ...settings }) => {
    const short = shortName(principal);
    const given = name ?? (names.has(short) ? principal : short);
    names.add(given);
    return { principal, name: given, ...settings };
  });
}

// Entries that are checked before everything else that waits for the event loop has its turn.
const SLICE = 1000;
