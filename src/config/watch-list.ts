// The watch list of a network: entries of the configuration and of the files that it names.
import { resolve } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ZodType, z } from "zod";
import type { NamedAsset, Watched } from "../collectors/collector.ts";
import type { EventRule } from "../collectors/event-rules/rule.ts";
import { readAmounts } from "./asset-amounts.ts";
import type { Locate } from "./document.ts";
import {
  type ConfigError,
  describeKind,
  describeValue,
  type ErrorList,
  formatPath,
  messageOf,
  type Problem,
  problemsOf,
} from "./errors.ts";
import { type NamedFiles, readText } from "./files.ts";
import { entriesOf, isMapping, type Path, valueAt } from "./paths.ts";
import { type ChainName, isLikePrincipal, readPrincipal, shortName } from "./principal.ts";
import { nodeAt, type SchemaNode } from "./schema.ts";
import { addressEntry, contractEntry, MAX_WATCHED } from "./settings.ts";
import { MAX_BYTES } from "./values.ts";
import { MalformedFile, readEntries } from "./watch-file.ts";

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
  readonly tree: SchemaNode;
}

/** Reports an error in a part of an entry, at its value or at its key. */
type Report = (part: Path, expected: string, found?: string, place?: Problem["part"]) => void;

/** An entry that is not checked yet. */
interface Written {
  readonly value: unknown;
  readonly rules?: readonly EventRule[] | undefined;
  readonly report: Report;
  /** The part of a value that may be shown. */
  readonly describe: (part: Path, value: unknown) => string;
  readonly isExpanded: (part: Path) => boolean;
}

/** Reads one of the lists of a network. */
export async function readWatchList(list: ListName, network: unknown, at: Path, context: Context): Promise<WatchList> {
  const { files: fileList, key, schema } = LISTS[list];
  // Columns of other names are labels.
  const { labels: _, ...settings }: Readonly<Record<string, ZodType>> = schema.shape;
  const { files, errors } = context;
  const written: Written[] = entriesOf(valueAt(network, [list])).map((value, index) => ({
    value: withoutRules(value),
    rules: context.rules.get(value),
    report: (part, expected, found, place) =>
      errors.add([...at, list, index, ...part], messageOf({ expected, found }), place),
    describe: (part, found) => {
      const place = [...at, list, index, ...part];
      return errors.isExpanded(place) ? errors.describe(place, found) : describePart(part, found);
    },
    isExpanded: (part) => errors.isExpanded([...at, list, index, ...part]),
  }));
  const read: FileErrors[] = [];
  for (const [index, name] of entriesOf(valueAt(network, [fileList])).entries()) {
    if (typeof name !== "string" || name === "") continue;
    const file = new FileErrors(resolve(files.folder, name));
    read.push(file);
    const report = (message: string) => errors.add([...at, fileList, index], message);
    const named = errors.describe([...at, fileList, index], name);
    const text = await readText(files, name, MAX_BYTES.watchFile, (message) => report(`${message}: ${named}`));
    const found = text === undefined ? [] : await file.read(text, key, settings);
    if (written.length + found.length <= MAX_WATCHED) written.push(...found);
    else report(`expected at most ${MAX_WATCHED} ${list} in the configuration and its files, found more`);
  }
  const entries: Entry[] = [];
  for await (const entry of inSlices(written)) entries.push(...checkedEntry(entry, list, context));
  const watched = await named(entries, list);
  const inFiles = await Promise.all(read.map((file) => file.inOrder()));
  return { watched, files: read.map(({ path }) => path), errors: inFiles.flat() };
}

// The metrics of rules are declared at start, and files are read again.
const RULES_IN_FILE = "expected event rules in the configuration only";

// Lines that a message names.
const MAX_LINES = 20;

/** The errors in one file. Those in which the same is expected are one error: a column can be wrong in each line. */
class FileErrors {
  readonly path: string;
  readonly #errors = new Map<string, { readonly message: string; readonly places: [path: Path, "key" | "value"][] }>();
  readonly #malformed: ConfigError[] = [];
  #locator = async (): Promise<Locate> => () => ({ line: undefined, column: undefined });

  constructor(path: string) {
    this.path = path;
  }

  /** The entries of the file, which report here. */
  async read(text: string, key: string, settings: Readonly<Record<string, ZodType>>): Promise<readonly Written[]> {
    try {
      const { values, locator } = await readEntries(this.path, text, key, settings);
      this.#locator = locator;
      return values.map((value, index) => {
        const report: Report = (part, ...rest) => this.#add(index, part, ...rest);
        if (valueAt(value, ["events"]) !== undefined) report(["events"], RULES_IN_FILE, "them in a file", "key");
        return { value: withoutRules(value), report, describe: describePart, isExpanded: () => false };
      });
    } catch (error) {
      if (!(error instanceof MalformedFile)) throw error;
      this.#malformed.push({ file: this.path, ...error.place, path: "", message: error.message });
      return [];
    }
  }

  #add(index: number, part: Path, expected: string, found?: string, place: "key" | "value" = "value"): void {
    const path = formatPath(part);
    const error = this.#errors.get(`${path}: ${expected}`) ?? { message: messageOf({ expected, found }), places: [] };
    error.places.push([[index, ...part], place]);
    this.#errors.set(`${path}: ${expected}`, error);
  }

  /** The errors with their places. */
  async inOrder(): Promise<readonly ConfigError[]> {
    if (this.#errors.size === 0) return this.#malformed;
    const locate = await this.#locator();
    return [...this.#errors.values()].map(({ message, places }) => {
      const [first] = places;
      const place = locate(...(first as [Path, "key" | "value"]));
      const lines = [...new Set(places.map(([path, part]) => locate(path, part).line))].slice(1);
      const others = lines.slice(0, MAX_LINES).join(", ") + (lines.length > MAX_LINES ? ", …" : "");
      const also = others === "" ? "" : `; the same in line ${others}`;
      return { file: this.path, ...place, path: formatPath(first?.[0].slice(1) ?? []), message: message + also };
    });
  }
}

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
  const { chain, assets, tree } = context;
  const { value, rules, report, describe, isExpanded } = written;
  const { key, schema, expected: expectedOn } = LISTS[list];
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const node = nodeAt(tree, ["networks", 0, list, 0]) ?? {};
    const problems = parsed.error.issues.flatMap((issue) => problemsOf(issue, value, node, { describe, isExpanded }));
    for (const { path, expected, found, part } of problems) report(path, expected, found, part);
    const rest = withoutParts(value, new Set(problems.map(({ path }) => path[0])));
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
  for (const { name, report, describe } of entries) {
    if (name === undefined) continue;
    if (names.has(name)) {
      report(["name"], `expected a name that no other entry of ${list} has`, describe(["name"], name));
    }
    names.add(name);
  }
  const { key } = LISTS[list];
  const principals = new Set<string>();
  const watched: Watched[] = [];
  for await (const { value: _, describe: __, isExpanded: ___, report, principal, name, ...settings } of inSlices(
    entries,
  )) {
    if (principals.has(principal)) report([key], "expected each principal once", `${principal} again`);
    principals.add(principal);
    const short = shortName(principal);
    const given = name ?? (names.has(short) ? principal : short);
    names.add(given);
    watched.push({ principal, name: given, ...settings });
  }
  return watched;
}

const AMOUNTS: readonly unknown[] = ["min_balance", "max_outflow"];
const DURATION = /^[\w.]{1,12}$/;
const AMOUNT = /^-?[\d.,' ]{1,40}[a-z]{0,9}$/i;

// A text in place of a principal may be a secret. A name is public: it becomes the value of a label.
function describePart(part: Path, value: unknown): string {
  const [setting] = part;
  const text = String(value);
  const isAmount = AMOUNTS.includes(setting) && AMOUNT.test(text);
  const isDuration = setting === "silent_after" && DURATION.test(text);
  const isPublic = setting === "name" || setting === "events" || isLikePrincipal(text) || isAmount || isDuration;
  return isPublic ? describeValue(value) : describeKind(value);
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
