// The watch list of a network: entries of the configuration and of the files that it names.
import { resolve } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { z } from "zod";
import type { Watched } from "../collectors/collector.ts";
import { errorsOf, type Issue, issueAt, type Source, shorten } from "./errors.ts";
import { type Declared, readRules } from "./event-rules.ts";
import { MAX_BYTES, type NamedFiles, readText } from "./files.ts";
import { shortName } from "./principal.ts";
import { entriesOf, nodeAt, type Path, type SchemaNode, valueAt } from "./schema.ts";
import { addressEntry, contractEntry, type Entry, type Known } from "./watch-entries.ts";
import { readEntries } from "./watch-file.ts";

const LISTS = {
  addresses: { files: "address_files", key: "address", schemaOf: addressEntry },
  contracts: { files: "contract_files", key: "contract_id", schemaOf: contractEntry },
} as const;

interface Context {
  readonly known: Known;
  readonly files: NamedFiles;
  /** Receives issues in the configuration itself. */
  readonly issues: Issue[];
  readonly rules: Declared;
  readonly tree: SchemaNode;
}

/** Entries that are not checked yet, their path, and the receiver of their issues. */
interface Written {
  readonly values: readonly unknown[];
  readonly at: Path;
  readonly issues: Issue[];
}

/** Reads one of the lists of a network: its entries, and the absolute paths of its files and the errors in them. */
export async function readWatchList(
  list: keyof typeof LISTS,
  network: unknown,
  at: Path,
  { known, files, issues, rules, tree }: Context,
) {
  const { files: fileList, key, schemaOf } = LISTS[list];
  const items = nodeAt(tree, ["networks", 0, list, 0]) ?? {};
  const ofConfiguration = { values: entriesOf(valueAt(network, [list])), at: [...at, list], issues };
  const ofFiles: (Written & Source)[] = [];
  const paths: string[] = [];
  for (const [index, name] of entriesOf(valueAt(network, [fileList])).entries()) {
    if (typeof name !== "string" || name === "") continue;
    const file = resolve(files.folder, name);
    const report = (message: string) =>
      issues.push(issueAt([...at, fileList, index], `${message}: "${shorten(name)}"`));
    paths.push(file);
    const text = await readText(files, name, MAX_BYTES.watchFile, report);
    if (text === undefined) continue;
    const { values, locate, error } = await readEntries(file, text, key, items);
    const own = error === undefined ? [] : [issueAt([], error)];
    ofFiles.push({ file, values, at: [], issues: own, tree: { items }, root: values, locate, isList: true });
  }
  const watched = await checked([ofConfiguration, ...ofFiles], key, schemaOf(known), rules);
  return { watched, files: paths, errors: ofFiles.flatMap((file) => errorsOf(file.issues, file)) };
}

// Checks all entries, and gives a name to each that has none.
async function checked(
  lists: readonly Written[],
  key: string,
  schema: z.ZodType<Entry>,
  rules: Declared,
): Promise<readonly Watched[]> {
  const names = new Set<unknown>();
  const principals = new Set<unknown>();
  const entries: Omit<Entry, "events">[] = [];
  for (const { values, at: list, issues } of lists) {
    for (const [index, value] of values.entries()) {
      if (index % SLICE === 0) await nextTurn();
      const at = [...list, index];
      const { data, error } = schema.safeParse(value);
      for (const issue of error?.issues ?? []) issues.push({ ...issue, path: [...at, ...issue.path] });
      const name = valueAt(value, ["name"]);
      if (names.has(name)) issues.push(issueAt([...at, "name"], "a name that no other entry of the list has"));
      if (name !== undefined) names.add(name);
      const principal = data?.principal ?? valueAt(value, [key]);
      const reason = "another entry has it";
      if (principals.has(principal)) issues.push(issueAt([...at, key], "each principal once", { reason }));
      if (principal !== undefined) principals.add(principal);
      if (data === undefined) continue;
      const { events, ...entry } = data;
      entries.push({ ...entry, rules: events && readRules(events, [...at, "events"], rules, issues) });
    }
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
