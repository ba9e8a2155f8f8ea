// The watch list of a network: entries of the configuration and of the files that it names.
import { resolve } from "node:path";
import type { z } from "zod";
import type { NamedAsset, Watched } from "../collectors/collector.ts";
import type { EventRule } from "../collectors/event-rules/rule.ts";
import { readAmounts } from "./asset-amounts.ts";
import { type ConfigError, describeKind, describeValue, type ErrorList, formatPath, type Place } from "./errors.ts";
import type { RulesByEntry } from "./event-rules.ts";
import { type NamedFiles, readText } from "./files.ts";
import { entriesOf, valueAt } from "./normalize.ts";
import { type ChainName, isLikePrincipal, readPrincipal, shortName } from "./principal.ts";
import type { Path } from "./schema.ts";
import { addressEntry, contractEntry, MAX_BYTES, MAX_WATCHED } from "./settings.ts";
import { type EntryShape, inSlices, MalformedFile, readEntries } from "./watch-file.ts";

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
    // Rules are checked together, because they share metrics.
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
  readonly rules: RulesByEntry;
}

/** An entry that is not checked yet. */
interface Written {
  readonly value: unknown;
  readonly rules?: readonly EventRule[] | undefined;
  /** Reports an error in a part of the entry. */
  readonly report: (part: Path, message: string) => void;
  /** The text of a part that may be shown. */
  readonly describe: (part: Path, text: string) => string;
}

// Columns of these names are labels.
const NOT_IN_CSV = new Set(["labels", "events"]);
const NOT_TEXT = "expected a file with UTF-8 text, found other bytes";

/** Reads one of the lists of a network. */
export async function readWatchList(list: ListName, network: unknown, at: Path, context: Context): Promise<WatchList> {
  const { files: fileList, key, schema } = LISTS[list];
  const settings = Object.keys(schema.shape).filter((name) => !NOT_IN_CSV.has(name));
  const { files, errors } = context;
  const written: Written[] = [];
  for (const [index, value] of entriesOf(valueAt(network, [list])).entries()) {
    const path = [...at, list, index];
    written.push({
      value,
      rules: context.rules.get(value),
      report: (part, message) => errors.add([...path, ...part], message),
      describe: (part, text) => {
        const place = [...path, ...part];
        return errors.isExpanded(place) ? errors.describe(place, text) : describeText(part, text);
      },
    });
  }
  const paths: string[] = [];
  const inFiles: ConfigError[] = [];
  for (const [index, name] of entriesOf(valueAt(network, [fileList])).entries()) {
    if (typeof name !== "string" || name === "") continue;
    const path = resolve(files.folder, name);
    paths.push(path);
    const report = (message: string) => errors.add([...at, fileList, index], message);
    const text = await readText(files, name, MAX_BYTES.watchFile, report, NOT_TEXT);
    const found = text === undefined ? [] : await writtenIn(path, text, { key, settings }, inFiles);
    const isTooLong = written.length + found.length > MAX_WATCHED;
    if (!isTooLong) written.push(...found);
    else report(`expected at most ${MAX_WATCHED} ${list} in the configuration and its files, found more`);
  }
  const entries: Entry[] = [];
  for await (const entry of inSlices(written)) entries.push(...checkedEntry(entry, list, context));
  return { watched: await named(entries, list), files: paths, errors: inFiles };
}

// The metrics of rules are declared at start, and files are read again.
const RULES_IN_FILE = "expected event rules in the configuration only, found them in a file of the watch list";

// All entries of a file, or one more than there may be: checking takes longer than counting.
async function writtenIn(
  file: string,
  text: string,
  entry: EntryShape,
  errors: ConfigError[],
): Promise<readonly Written[]> {
  const written: Written[] = [];
  try {
    for await (const { value, ...place } of readEntries(file, text, entry)) {
      const report = (part: Path, message: string) => addInFile(errors, file, place, part, message);
      written.push({ value, report, describe: describeText });
      if (valueAt(value, ["events"]) !== undefined) report(["events"], RULES_IN_FILE);
      if (written.length > MAX_WATCHED) break;
    }
    return written;
  } catch (error) {
    if (!(error instanceof MalformedFile)) throw error;
    addInFile(errors, file, error.place, [], error.message);
    return [];
  }
}

// A file of another format can have an error on each of its lines.
const MAX_ERRORS = 50;

function addInFile(errors: ConfigError[], file: string, { line, column }: Place, part: Path, message: string): void {
  const more = { file, line: undefined, column: undefined, path: "", message: "further errors are not shown" };
  if (errors.length < MAX_ERRORS) errors.push({ file, line, column, path: formatPath(part), message });
  else if (errors.length === MAX_ERRORS) errors.push(more);
}

interface Entry extends Written, Omit<Watched, "name"> {
  readonly name: string | undefined;
}

// Labels that the info families have, and labels that Prometheus sets.
const TAKEN = /^(network|name|address|contract_id|group|kind|instance|job|le|quantile)$/;
const LABEL_NAME = /^[a-z][a-z0-9_]{0,63}$/;

// An entry without its invalid parts; undefined if no part can be removed.
function withoutParts(entry: unknown, parts: ReadonlySet<unknown>): unknown {
  if (typeof entry !== "object" || entry === null) return undefined;
  const kept = Object.entries(entry).filter(([part]) => !parts.has(part));
  return kept.length < Object.keys(entry).length ? Object.fromEntries(kept) : undefined;
}

// An entry with errors is returned, too, so that duplicates of it are reported with them.
function checkedEntry(written: Written, list: ListName, context: Context): readonly Entry[] {
  const { chain, assets, errors } = context;
  const { value, report, describe } = written;
  const { schema, key, expected: expectedOn } = LISTS[list];
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const part = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
      const expected = errors.expectationAt(["networks", 0, list, 0, ...part]);
      const found = valueAt(value, part);
      const isDuration = part[0] === "silent_after" && typeof found === "string";
      const shown = isDuration ? describe(part, found) : describeKind(found);
      report(part, found === undefined ? `missing, expected ${expected}` : `expected ${expected}, found ${shown}`);
    }
    const rest = withoutParts(value, new Set(parsed.error.issues.map(({ path }) => path[0])));
    // The key is all that an entry needs.
    return valueAt(rest, [key]) === undefined ? [] : checkedEntry({ ...written, value: rest }, list, context);
  }
  const { name, group = "", labels = {} } = parsed.data;
  for (const label of Object.keys(labels)) {
    if (LABEL_NAME.test(label) && !TAKEN.test(label)) continue;
    const found = describeValue(label);
    report(["labels", label], `expected a label name of a-z, 0-9 and _ that is not taken, found ${found}`);
  }
  // Only addresses have these, apart from silent_after.
  const own: Partial<z.infer<typeof addressEntry>> = parsed.data;
  const { balances, waiting, silent_after: silentAfterMs, require_post_conditions: needsPostConditions } = own;
  const [minBalance, maxOutflow] = (["min_balance", "max_outflow"] as const).map((setting) => {
    const amounts = own[setting];
    if (amounts === undefined) return undefined;
    return readAmounts(amounts, assets, (asset, expected, found) => {
      const place = [setting, asset];
      report(place, `${expected}, found ${found ?? describe(place, amounts[asset] ?? "")}`);
    });
  });
  if (minBalance !== undefined && balances === false) {
    report(["balances"], "expected true or nothing, because min_balance is set, found false");
  }
  const text = String(valueAt(parsed.data, [key]));
  const read = readPrincipal(text, chain);
  if (read.ok && (read.isContract || list === "addresses")) {
    const limits = { minBalance, maxOutflow, silentAfterMs, needsPostConditions };
    return [{ ...written, principal: read.id, name, group, labels, balances, waiting, ...limits }];
  }
  const wrong = read.ok ? "an address without a contract name" : read.wrong;
  report([key], `expected ${expectedOn(chain)}, found ${describe([key], text)}: ${wrong}`);
  return [];
}

// Gives a name to each entry that has none, and reports principals and names that occur twice.
async function named(entries: readonly Entry[], list: ListName): Promise<readonly Watched[]> {
  const names = new Set<string>();
  for (const { name, report, describe } of entries) {
    if (name === undefined) continue;
    if (names.has(name)) {
      report(["name"], `expected a name that no other entry of ${list} has, found ${describe(["name"], name)}`);
    }
    names.add(name);
  }
  const { key } = LISTS[list];
  const principals = new Set<string>();
  const watched: Watched[] = [];
  for await (const { value: _, describe: __, report, principal, name, ...settings } of inSlices(entries)) {
    if (principals.has(principal)) report([key], `expected each principal once, found ${principal} again`);
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
function describeText(part: Path, text: string): string {
  const isAmount = AMOUNTS.includes(part[0]) && AMOUNT.test(text);
  const isDuration = part[0] === "silent_after" && DURATION.test(text);
  const isPublic = part[0] === "name" || isLikePrincipal(text) || isAmount || isDuration;
  return isPublic ? describeValue(text) : describeKind(text);
}
