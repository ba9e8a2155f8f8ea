// The watch list of a network: entries of the configuration and of the files it names, checked and complete.
import { dirname, resolve } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Watched } from "../collectors/collector.ts";
import { valueAt } from "./check.ts";
import type { NetworkConfig } from "./config.ts";
import type { Findings } from "./findings.ts";
import type { ReadFile } from "./keys.ts";
import { describeValue, type Mistake, type Path } from "./mistakes.ts";
import { CHAINS, type ChainName, readPrincipal, shortName } from "./principal.ts";
import { addressEntry, contractEntry } from "./settings.ts";
import { decode } from "./source.ts";
import { parseWatchFile } from "./watch-file.ts";

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
// Checksums take time: so many take a few milliseconds.
const ENTRIES_AT_ONCE = 200;

/** Reads both lists of a network. */
export async function readWatchLists(network: unknown, at: Path, parts: Parts): Promise<WatchLists> {
  const written = valueAt(network, ["chain"]);
  const chain = CHAINS.find((name) => name === written) ?? "mainnet";
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
  readonly note: Note;
}

/** Notes what is wrong with a part of an entry. */
type Note = (part: Path, message: string) => void;

class Reading {
  readonly files: string[] = [];
  readonly mistakes: Mistake[] = [];
  watched: readonly Watched[] = [];
  readonly #kind: Kind;
  readonly #chain: ChainName;
  readonly #parts: Parts;
  readonly #entries: Entry[] = [];

  constructor(kind: Kind, chain: ChainName, parts: Parts) {
    this.#kind = kind;
    this.#chain = chain;
    this.#parts = parts;
  }

  async read(network: unknown, at: Path): Promise<this> {
    const { list, files } = this.#kind;
    const written = valueAt(network, [list]);
    for (const [index, entry] of (Array.isArray(written) ? written : []).entries()) {
      const path = [...at, list, index];
      this.#add(entry, (part, message) => this.#parts.findings.add([...path, ...part], message));
    }
    const named = valueAt(network, [files]);
    for (const [index, name] of (Array.isArray(named) ? named : []).entries()) {
      if (typeof name === "string" && name !== "") await this.#readFile(name, [...at, files, index]);
    }
    this.watched = this.#named();
    return this;
  }

  async #readFile(name: string, at: Path): Promise<void> {
    const { file, readFile, findings } = this.#parts;
    const path = resolve(file === undefined ? "." : dirname(file), name);
    this.files.push(path);
    let content: string | Uint8Array;
    try {
      content = await readFile(path);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
      findings.add(at, `expected a file that can be read, found ${code === "ENOENT" ? "no such file" : code}`);
      return;
    }
    const text = decode(content);
    if (text === undefined) {
      findings.add(at, "expected a file with UTF-8 text, found other bytes");
      return;
    }
    const note = (line: number | undefined, what: string, message: string) => {
      if (this.mistakes.length < MOST_MISTAKES) {
        this.mistakes.push({ file: path, line, column: undefined, path: what, message });
      } else if (this.mistakes.length === MOST_MISTAKES) {
        const rest = "more is wrong, and not shown";
        this.mistakes.push({ file: path, line: undefined, column: undefined, path: "", message: rest });
      }
    };
    const parsed = parseWatchFile(path, text, this.#kind.key);
    if (!parsed.ok) note(parsed.line, "", parsed.message);
    else {
      for (const [place, { line, value }] of parsed.entries.entries()) {
        // Polls and scrapes go on while a long list is read again.
        if (place % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await nextTurn();
        this.#add(value, (part, message) => note(line, part.join("."), message));
      }
    }
  }

  #add(value: unknown, note: Note): void {
    const { key, entry, needsContract } = this.#kind;
    const parsed = entry.safeParse(value);
    if (!parsed.success) {
      // In the configuration itself the settings table says it better, and has said it.
      for (const { path } of parsed.error.issues) {
        const part = path.map((step) => (typeof step === "symbol" ? String(step) : step));
        note(part, `expected another value, found ${describeValue(valueAt(value, part))}`);
      }
      return;
    }
    const { name, group = "", labels = {} } = parsed.data;
    const text = String(valueAt(parsed.data, [key]));
    const read = readPrincipal(text, this.#chain);
    const expected = needsContract
      ? `a contract of ${this.#chain} as address.name`
      : `an address of ${this.#chain}, or a contract as address.name`;
    if (!read.ok) note([key], `expected ${expected}, found ${describeValue(text)}: ${read.wrong}`);
    else if (needsContract && !read.isContract) {
      note([key], `expected ${expected}, found ${describeValue(text)}: an address without a contract name`);
    }
    for (const label of Object.keys(labels)) {
      if (!LABEL_NAME.test(label) || TAKEN.has(label)) {
        const free = "expected a label name of a-z, 0-9 and _ that is not taken";
        note(["labels", label], `${free}, found ${describeValue(label)}`);
      }
    }
    if (read.ok) this.#entries.push({ principal: read.principal, name, group, labels, note });
  }

  #named(): Watched[] {
    const { key } = this.#kind;
    const principals = new Set<string>();
    const names = new Set<string>();
    for (const { name, note } of this.#entries) {
      if (name === undefined) continue;
      if (names.has(name)) {
        note(["name"], `expected a name that no other entry of ${this.#kind.list} has, found ${describeValue(name)}`);
      }
      names.add(name);
    }
    return this.#entries.map(({ principal, name, group, labels, note }) => {
      if (principals.has(principal)) note([key], `expected each principal once, found ${principal} again`);
      principals.add(principal);
      const short = shortName(principal);
      const given = name ?? (names.has(short) ? principal : short);
      names.add(given);
      return { principal, name: given, group, labels };
    });
  }
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
