// The watch list of a network: entries of the configuration and of the files that it names.
import { resolve } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ZodType, z } from "zod";
import type { NamedAsset, Watched } from "../collectors/collector.ts";
import type { EventRule } from "../collectors/event-rules/rule.ts";
import { readAmounts } from "./asset-amounts.ts";
import { type ConfigError, describeValue, ErrorList } from "./errors.ts";
import { type NamedFiles, readText } from "./files.ts";
import { entriesOf, isMapping, type Path, valueAt } from "./paths.ts";
import { type ChainName, readPrincipal, shortName } from "./principal.ts";
import { nodeAt, type SchemaNode } from "./schema.ts";
import { addressEntry, contractEntry, MAX_WATCHED } from "./settings.ts";
import { MAX_BYTES } from "./values.ts";
import { MalformedFile, readEntries, type WrittenEntries } from "./watch-file.ts";

/** One of the lists of a network. */
export interface WatchList {
  readonly watched: readonly Watched[];
  /** Absolute paths of the files of the list. */
  readonly files: readonly string[];
  /** Errors in those files. */
  readonly errors: readonly ConfigError[];
}

const LISTS = {
  addresses: {
    files: "address_files",
    key: "address",
    schema: addressEntry,
    expected: (chain: ChainName) => `an address of ${chain}, or a contract as address.name`,
  },
  contracts: {
    files: "contract_files",
    key: "contract_id",
    schema: contractEntry.omit({ events: true }),
    expected: (chain: ChainName) => `a contract of ${chain} as address.name`,
  },
} as const;

type ListName = keyof typeof LISTS;

interface Context {
  readonly chain: ChainName;
  readonly assets: readonly NamedAsset[];
  readonly files: NamedFiles;
  /** Receives errors in the configuration itself. */
  readonly errors: ErrorList;
  /** The event rules of entries of the configuration. */
  readonly rules: ReadonlyMap<unknown, readonly EventRule[]>;
  /** All settings, valid or not. */
  readonly root: unknown;
  readonly tree: SchemaNode;
}

/** An entry that is not checked yet. */
interface Written {
  readonly value: unknown;
  readonly rules?: readonly EventRule[] | undefined;
  /** Receives errors in the entry. */
  readonly errors: ErrorList;
  /** Path of the entry below `root`. */
  readonly at: Path;
  readonly root: unknown;
}

/** Reads one of the lists of a network. */
export async function readWatchList(list: ListName, network: unknown, at: Path, context: Context): Promise<WatchList> {
  const { files: fileList, key, schema } = LISTS[list];
  // Columns of other names are labels.
  const { labels: _, ...settings }: Readonly<Record<string, ZodType>> = schema.shape;
  const { files, errors, root, rules } = context;
  const written: Written[] = entriesOf(valueAt(network, [list])).map((value, index) => ({
    value: withoutRules(value),
    rules: rules.get(value),
    errors,
    at: [...at, list, index],
    root,
  }));
  const read: { readonly file: string; readonly errors: ErrorList; readonly locator: WrittenEntries["locator"] }[] = [];
  for (const [index, name] of entriesOf(valueAt(network, [fileList])).entries()) {
    if (typeof name !== "string" || name === "") continue;
    const file = resolve(files.folder, name);
    const place = [...at, fileList, index];
    const report = (message: string) => errors.add(place, `${message}: ${errors.describe(place, name)}`);
    const text = await readText(files, name, MAX_BYTES.watchFile, report);
    const inFile = new ErrorList(nodeAt(context.tree, ["networks", 0, list]) ?? {});
    const { values, locator } = await readEntries(file, text, key, settings).catch(asErrorIn(inFile));
    read.push({ file, errors: inFile, locator });
    if (written.length + values.length > MAX_WATCHED) {
      errors.add(place, `expected at most ${MAX_WATCHED} ${list} in the configuration and its files, found more`);
      continue;
    }
    for (const [line, value] of values.entries()) {
      // The metrics of rules are declared at start, and files are read again.
      if (valueAt(value, ["events"]) !== undefined)
        inFile.add([line, "events"], "expected event rules in the configuration only, found them in a file", "key");
      written.push({ value: withoutRules(value), errors: inFile, at: [line], root: values });
    }
  }
  const entries: Entry[] = [];
  for await (const entry of inSlices(written)) entries.push(...checkedEntry(entry, list, context));
  const watched = await named(entries, list);
  const inFiles = await Promise.all(
    read.map(async ({ file, errors, locator }) =>
      errors.isEmpty ? [] : errors.byEntry({ file, locate: await locator() }),
    ),
  );
  return { watched, files: read.map(({ file }) => file), errors: inFiles.flat() };
}

// The error of a file in none of the formats is at its place. The file has no entries.
const asErrorIn =
  (errors: ErrorList) =>
  (error: unknown): WrittenEntries => {
    if (!(error instanceof MalformedFile)) throw error;
    errors.add([], error.message);
    return { values: [], locator: async () => () => error.place };
  };

// Event rules were checked before: those of all contracts share metrics.
const withoutRules = (entry: unknown) => withoutParts(entry, new Set(["events"])) ?? entry;

interface Entry extends Written, Omit<Watched, "name"> {
  readonly name: string | undefined;
}

// Labels that the info families have, and labels that Prometheus sets.
const TAKEN = /^(network|name|address|contract_id|group|kind|instance|job|le|quantile)$/;
const LABEL_NAME = /^[a-z][a-z0-9_]{0,63}$/;

// An entry without its invalid parts; undefined if no part can be removed.
function withoutParts(entry: unknown, parts: ReadonlySet<unknown>): unknown {
  if (!isMapping(entry)) return undefined;
  const kept = Object.entries(entry).filter(([part]) => !parts.has(part));
  return kept.length < Object.keys(entry).length ? Object.fromEntries(kept) : undefined;
}

// An entry with errors is returned, too, so that duplicates of it are reported with them.
function checkedEntry(written: Written, list: ListName, context: Context): readonly Entry[] {
  const { chain, assets } = context;
  const { value, rules, errors, at, root } = written;
  const describe = (part: Path, found: unknown) => errors.describe([...at, ...part], found);
  const report = (part: Path, expected: string, found: string, place?: "key") =>
    errors.add([...at, ...part], expected, place, found);
  const { key, schema, expected: expectedOn } = LISTS[list];
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const { issues } = parsed.error;
    for (const issue of issues) errors.addIssue({ ...issue, path: [...at, ...issue.path] }, root);
    const wrong = issues.flatMap(({ code, path, ...issue }) =>
      path.length === 0 && "keys" in issue ? issue.keys : [path[0]],
    );
    const rest = withoutParts(value, new Set(wrong));
    // The key is all that an entry needs.
    return valueAt(rest, [key]) === undefined ? [] : checkedEntry({ ...written, value: rest }, list, context);
  }
  const { name, group = "", labels = {} } = parsed.data;
  for (const label of Object.keys(labels)) {
    if (LABEL_NAME.test(label) && !TAKEN.test(label)) continue;
    report(["labels", label], "expected a label name of a-z, 0-9 and _ that is not taken", describeValue(label), "key");
  }
  // Only addresses have these, apart from silent_after.
  const own: Partial<z.infer<typeof addressEntry>> = parsed.data;
  const { balances, waiting, silent_after: silentAfterMs, require_post_conditions: needsPostConditions } = own;
  const [minBalance, maxOutflow] = (["min_balance", "max_outflow"] as const).map((setting) => {
    const amounts = own[setting];
    if (amounts === undefined) return undefined;
    return readAmounts(amounts, assets, (asset, expected, found) => {
      const part = [setting, asset];
      const amount = amounts[asset];
      if (found === undefined)
        report(part, expected, typeof amount === "string" ? describe(part, amount) : `${amount}`);
      else report(part, expected, found, "key");
    });
  });
  if (minBalance !== undefined && balances === false) {
    report(["balances"], "expected true or nothing, because min_balance is set", "false");
  }
  const text = String(valueAt(parsed.data, [key]));
  const read = readPrincipal(text, chain);
  if (read.ok && (read.isContract || list === "addresses")) {
    const limits = { minBalance, maxOutflow, silentAfterMs, needsPostConditions };
    return [{ ...written, principal: read.id, name, group, labels, rules, balances, waiting, ...limits }];
  }
  const wrong = read.ok ? "an address without a contract name" : read.wrong;
  report([key], `expected ${expectedOn(chain)}`, `${describe([key], text)}: ${wrong}`);
  return [];
}

// Gives a name to each entry that has none, and reports principals and names that occur twice.
async function named(entries: readonly Entry[], list: ListName): Promise<readonly Watched[]> {
  const names = new Set<string>();
  for (const { name, errors, at } of entries) {
    if (name === undefined) continue;
    const place = [...at, "name"];
    const expected = `expected a name that no other entry of ${list} has`;
    if (names.has(name)) errors.add(place, expected, "value", errors.describe(place, name));
    names.add(name);
  }
  const { key } = LISTS[list];
  const principals = new Set<string>();
  const watched: Watched[] = [];
  for await (const entry of inSlices(entries)) {
    const { value: _, root: __, errors, at, principal, name, ...settings } = entry;
    if (principals.has(principal))
      errors.add([...at, key], "expected each principal once", "value", `${principal} again`);
    principals.add(principal);
    const short = shortName(principal);
    const given = name ?? (names.has(short) ? principal : short);
    names.add(given);
    watched.push({ principal, name: given, ...settings });
  }
  return watched;
}

const SLICE_MS = 10;

/** The items, with a pause every 10 ms for everything else that waits for the event loop. */
async function* inSlices<Item>(items: Iterable<Item>): AsyncIterable<Item> {
  let since = performance.now();
  for (const item of items) {
    if (performance.now() - since >= SLICE_MS) {
      await nextTurn();
      since = performance.now();
    }
    yield item;
  }
}
