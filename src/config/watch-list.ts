// The watch list of a network: entries of the configuration and of the files it names, checked and complete.
import { dirname, resolve } from "node:path";
import type { Watched } from "../collectors/collector.ts";
import { valueAt } from "./check.ts";
import type { NetworkConfig } from "./config.ts";
import { MOST_BYTES, type ReadFile, unusable } from "./files.ts";
import type { Findings } from "./findings.ts";
import { describeKind, describeValue, formatPath, type Mistake, type Path } from "./mistakes.ts";
import { CHAINS, type ChainName, isLikePrincipal, readPrincipal, shortName } from "./principal.ts";
import { addressEntry, contractEntry, MOST_WATCHED } from "./settings.ts";
import { decode, type Place } from "./source.ts";
import { TimeSlices } from "./time-slices.ts";
import { MalformedFile, readEntries, type WrittenEntry } from "./watch-file.ts";

/** What was read for one network. */
export interface WatchLists {
  readonly addresses: readonly Watched[];
  readonly contracts: readonly Watched[];
  readonly files: readonly string[];
  /** What is wrong in the files; mistakes in the configuration itself are among the findings. */
  readonly mistakes: readonly Mistake[];
}

interface Parts {
  readonly file: string | undefined;
  readonly readFile: ReadFile;
  readonly findings: Findings;
}

const KINDS = {
  addresses: { list: "addresses", files: "address_files", key: "address", entry: addressEntry, needsContract: false },
  contracts: {
    list: "contracts",
    files: "contract_files",
    key: "contract_id",
    entry: contractEntry,
    needsContract: true,
  },
} as const;
type Kind = (typeof KINDS)[keyof typeof KINDS];

// What the info families have already, and what Prometheus or its scrapers put there themselves.
const TAKEN = new Set([
  "network",
  "name",
  "address",
  "contract_id",
  "group",
  "kind",
  "instance",
  "job",
  "le",
  "quantile",
]);
const LABEL_NAME = /^[a-z][a-z0-9_]{0,63}$/;
// Who named the wrong file wants to read that once, and not ten thousand times.
const MOST_MISTAKES = 50;

/** The chain of a network as it is written; the default where that is none. */
export function chainOf(network: unknown): ChainName {
  const written = valueAt(network, ["chain"]);
  return CHAINS.find((name) => name === written) ?? "mainnet";
}

/** Reads both lists of a network. */
export async function readWatchLists(network: unknown, at: Path, parts: Parts): Promise<WatchLists> {
  const chain = chainOf(network);
  const addresses = await new Reading(KINDS.addresses, chain, parts).read(network, at);
  const contracts = await new Reading(KINDS.contracts, chain, parts).read(network, at);
  return {
    addresses: addresses.watched,
    contracts: contracts.watched,
    files: [...new Set([...addresses.files, ...contracts.files])],
    mistakes: [...addresses.mistakes, ...contracts.mistakes],
  };
}

interface Entry {
  readonly principal: string;
  readonly name: string | undefined;
  readonly group: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly origin: Origin;
}

/** Where an entry was written. */
interface Origin {
  /** Notes what is wrong with a part of the entry. */
  note(part: Path, message: string): void;
  /** What may be shown of the text of a part. */
  describe(part: Path, text: string): string;
}

class Reading {
  readonly files: string[] = [];
  readonly mistakes: Mistake[] = [];
  watched: readonly Watched[] = [];
  readonly #kind: Kind;
  readonly #chain: ChainName;
  readonly #parts: Parts;
  readonly #entries: Entry[] = [];
  readonly #slices = new TimeSlices();

  constructor(kind: Kind, chain: ChainName, parts: Parts) {
    this.#kind = kind;
    this.#chain = chain;
    this.#parts = parts;
  }

  async read(network: unknown, at: Path): Promise<this> {
    const { list, files } = this.#kind;
    const { findings } = this.#parts;
    const written = valueAt(network, [list]);
    for (const [index, entry] of (Array.isArray(written) ? written : []).entries()) {
      const path = [...at, list, index];
      if (this.#slices.isOver) await this.#slices.pause();
      this.#add(entry, {
        note: (part, message) => findings.add([...path, ...part], message),
        describe: (part, text) =>
          findings.originOf([...path, ...part]) === undefined
            ? describeText(part, text)
            : findings.describe([...path, ...part], text),
      });
    }
    const named = valueAt(network, [files]);
    for (const [index, name] of (Array.isArray(named) ? named : []).entries()) {
      if (typeof name === "string" && name !== "") await this.#readFile(name, [...at, files, index]);
    }
    this.watched = await this.#named();
    return this;
  }

  async #readFile(name: string, at: Path): Promise<void> {
    const { file, readFile, findings } = this.#parts;
    const path = resolve(file === undefined ? "." : dirname(file), name);
    this.files.push(path);
    let content: string | Uint8Array;
    try {
      content = await readFile(path, MOST_BYTES.watchFile);
    } catch (error) {
      findings.add(at, unusable(error));
      return;
    }
    const text = decode(content);
    if (text === undefined) {
      findings.add(at, "expected a file with UTF-8 text, found other bytes");
      return;
    }
    const written = await this.#entriesOf(path, text);
    if (written.length > MOST_WATCHED - this.#entries.length) {
      const { list } = this.#kind;
      findings.add(at, `expected at most ${MOST_WATCHED} ${list} in the configuration and its files, found more`);
      return;
    }
    for (const { value, ...place } of written) {
      if (this.#slices.isOver) await this.#slices.pause();
      const note = (part: Path, message: string) => this.#note(path, place, part, message);
      this.#add(value, { note, describe: describeText });
    }
  }

  // All entries of a file, or one more than there may be. They are counted before they are checked, which takes time.
  async #entriesOf(path: string, text: string): Promise<readonly WrittenEntry[]> {
    const entries: WrittenEntry[] = [];
    try {
      for (const entry of readEntries(path, text, this.#kind.key)) {
        if (this.#slices.isOver) await this.#slices.pause();
        if (entry !== undefined) entries.push(entry);
        if (entries.length > MOST_WATCHED) break;
      }
      return entries;
    } catch (error) {
      if (!(error instanceof MalformedFile)) throw error;
      this.#note(path, error.place, [], error.message);
      return [];
    }
  }

  #note(file: string, { line, column }: Place, part: Path, message: string): void {
    if (this.mistakes.length > MOST_MISTAKES) return;
    const isLast = this.mistakes.length === MOST_MISTAKES;
    this.mistakes.push(
      isLast
        ? { file, line: undefined, column: undefined, path: "", message: "more is wrong, and not shown" }
        : { file, line, column, path: formatPath(part), message },
    );
  }

  #add(value: unknown, origin: Origin): void {
    const { note, describe } = origin;
    const { key, entry, needsContract } = this.#kind;
    const parsed = entry.safeParse(value);
    if (!parsed.success) {
      // In the configuration itself the settings table says it better, and has said it.
      for (const { path } of parsed.error.issues) {
        const part = path.map((step) => (typeof step === "symbol" ? String(step) : step));
        note(part, `expected another value, found ${describeKind(valueAt(value, part))}`);
      }
      return;
    }
    const { name, group = "", labels = {} } = parsed.data;
    const text = String(valueAt(parsed.data, [key]));
    const read = readPrincipal(text, this.#chain);
    const expected = needsContract
      ? `a contract of ${this.#chain} as address.name`
      : `an address of ${this.#chain}, or a contract as address.name`;
    if (!read.ok) note([key], `expected ${expected}, found ${describe([key], text)}: ${read.wrong}`);
    else if (needsContract && !read.isContract) {
      note([key], `expected ${expected}, found ${describe([key], text)}: an address without a contract name`);
    }
    for (const label of Object.keys(labels)) {
      if (!LABEL_NAME.test(label) || TAKEN.has(label)) {
        const free = "expected a label name of a-z, 0-9 and _ that is not taken";
        note(["labels", label], `${free}, found ${describeValue(label)}`);
      }
    }
    if (read.ok) this.#entries.push({ principal: read.principal, name, group, labels, origin });
  }

  async #named(): Promise<Watched[]> {
    const { list, key } = this.#kind;
    const principals = new Set<string>();
    const names = new Set<string>();
    for (const { name, origin } of this.#entries) {
      if (name === undefined) continue;
      if (names.has(name)) {
        const found = origin.describe(["name"], name);
        origin.note(["name"], `expected a name that no other entry of ${list} has, found ${found}`);
      }
      names.add(name);
    }
    const watched: Watched[] = [];
    for (const { principal, name, group, labels, origin } of this.#entries) {
      if (this.#slices.isOver) await this.#slices.pause();
      if (principals.has(principal)) origin.note([key], `expected each principal once, found ${principal} again`);
      principals.add(principal);
      const short = shortName(principal);
      const given = name ?? (names.has(short) ? principal : short);
      names.add(given);
      watched.push({ principal, name: given, group, labels });
    }
    return watched;
  }
}

// A text in the place of a principal may be a secret. A name is the value of a label, so everybody reads it anyway.
function describeText(part: Path, text: string): string {
  return part[0] === "name" || isLikePrincipal(text) ? describeValue(text) : describeKind(text);
}

/** Every entry with the same free labels: a family has one set of labels, and what was not said is empty. */
export function withSameLabels(networks: readonly NetworkConfig[]): readonly NetworkConfig[] {
  const sameIn = (pick: (network: NetworkConfig) => readonly Watched[]) => {
    const all = new Set(networks.flatMap((network) => pick(network).flatMap(({ labels }) => Object.keys(labels))));
    const empty = Object.fromEntries([...all].sort().map((name) => [name, ""]));
    return (network: NetworkConfig) =>
      pick(network).map((entry) => ({ ...entry, labels: { ...empty, ...entry.labels } }));
  };
  const addresses = sameIn((network) => network.addresses);
  const contracts = sameIn((network) => network.contracts);
  return networks.map((network) => ({ ...network, addresses: addresses(network), contracts: contracts(network) }));
}
