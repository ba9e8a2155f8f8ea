// An exporter that polls a model world, what its page shows, and what it has to show.
import { expect } from "@jest/globals";
import { type ApiServer, startApiServer } from "./api-server.ts";
import { Exporter } from "./exporter.ts";
import { CONTRACT, ModelWorld, PRINCIPAL, type WorldTx } from "./model-world.ts";
import { Page } from "./page.ts";
import type { ParsedSample } from "./parser.ts";
import { expectedSeries, printRules } from "./prints.ts";

/** The collectors that count transactions or events of the world. */
export type Counting = "addresses" | "contracts" | "transactions" | "contract_calls";
/** Those, and the one of blocks. */
export type Name = "blocks" | Counting;

// The families that a page has from the first successful poll of a collector on.
const FIRST: Readonly<Record<Counting, string>> = {
  addresses: "stacks_address_sent_microstx_total",
  contracts: "stacks_contract_events_gap_total",
  transactions: "stacks_chain_reverted_transactions_total",
  contract_calls: "stacks_contract_reverted_calls_total",
};

// The others are many, and every poll is followed by a page.
const FAMILIES_OF_THE_WORLD = ["stacks_address_", "stacks_contract_", "stacks_chain_", "swap"];

/**
 * The start of counting: the first page with the counters of a collector. The world stands still between its polls of
 * that page, so that the height on the page is that of the list, and what was listed is what the world had.
 */
export interface Start {
  /** Transactions below this height had their confirmations, so that they do not count. */
  readonly height: number;
  /** The transactions that were listed. */
  readonly listed: ReadonlySet<string>;
  /** Those of them that do not count. A deep fork can move them to heights that count. */
  readonly below: ReadonlySet<string>;
}

const NOTHING: Start = { height: 0, listed: new Set(), below: new Set() };

/** Settings of a `ModelExporter`. */
export interface ModelOptions {
  readonly confirmations?: number;
  /** Settings of the collectors that are polled. */
  readonly collectors?: Readonly<Partial<Record<Name, object>>>;
  /** Other settings of the network. */
  readonly network?: object;
  /** As in `ExporterOptions`. */
  readonly longestWaitMs?: number;
  /** The beginnings of the names of the families to read from the page; empty: all. @default those of the world */
  readonly families?: readonly string[];
}

/** An exporter that watches the address and the contract of a model world. */
export class ModelExporter implements AsyncDisposable {
  readonly world: ModelWorld;
  readonly api: ApiServer;
  readonly exporter: Exporter;
  readonly confirmations: number;
  readonly #names: readonly Name[];
  readonly #starts = new Map<Name, Start>();
  readonly #isBackfilled: boolean;
  /** The hashes of blocks that the page showed as a part of the chain, and that another branch has replaced. */
  readonly replaced = new Set<string>();
  /** The page after the last polls. */
  page = new Page("# EOF\n");
  /** Height of the first tip. */
  firstTip: number | undefined;
  /** The height and the time of the newest block that a page has shown. */
  #height: number | undefined;
  #tip = 0;

  private constructor(
    world: ModelWorld,
    api: ApiServer,
    exporter: Exporter,
    options: Required<Pick<ModelOptions, "confirmations" | "collectors">>,
  ) {
    this.world = world;
    this.api = api;
    this.exporter = exporter;
    this.confirmations = options.confirmations;
    this.#names = Object.keys(options.collectors) as Name[];
    this.#isBackfilled = (options.collectors.addresses as { backfill?: string } | undefined)?.backfill === "all";
  }

  /** Starts an exporter of an empty world. */
  static async start({
    confirmations = 3,
    collectors = { blocks: {}, addresses: {}, contracts: {} },
    network = {},
    longestWaitMs = 2_000,
    families = FAMILIES_OF_THE_WORLD,
  }: ModelOptions = {}): Promise<ModelExporter> {
    const world = new ModelWorld();
    const api = await startApiServer((url, operation) => world.respond(url, operation));
    const exporter = await Exporter.start({
      api,
      now: () => world.now,
      network: {
        confirmations,
        addresses: [{ address: PRINCIPAL, name: "p" }],
        contracts: [{ contract_id: CONTRACT, name: "p", events: printRules }],
        ...network,
      },
      collectors,
      longestWaitMs,
      families,
    });
    return new ModelExporter(world, api, exporter, { confirmations, collectors });
  }

  /** Where a collector has started to count. */
  startOf(name: Counting): Start {
    const start = this.#starts.get(name);
    if (start === undefined) throw new Error(`${name} has not been polled`);
    return name === "addresses" && this.#isBackfilled ? { ...NOTHING, listed: start.listed } : start;
  }

  /**
   * Polls collectors in turn, within some seconds. All but `blocks` wait for a page with the height of the chain. No
   * counter of the page afterwards may be lower than before.
   */
  async poll(names = this.#names, seconds = 30): Promise<void> {
    for (const name of names) {
      this.world.now += (seconds * 1000) / names.length;
      if (name !== "blocks" && this.firstTip === undefined) continue;
      this.world.asked = 0;
      await this.exporter.poll(name);
      if (this.firstTip === undefined) await this.#read();
    }
    await this.#read();
  }

  /** Polls a server without lag until everything is counted. */
  async finish(): Promise<void> {
    this.world.serve({ kind: "fresh" });
    this.world.mine(new Array(this.confirmations + 2).fill(0));
    for (let polls = 0; polls < 6; polls += 1) {
      this.world.mine([0]);
      await this.poll();
    }
  }

  /** Restarts the exporter on its state file: the page has every counter at once. */
  async restart(): Promise<void> {
    await this.exporter.restart();
    await this.#read();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.exporter[Symbol.asyncDispose]();
    await this.api[Symbol.asyncDispose]();
  }

  async #read(): Promise<void> {
    const before = this.page;
    this.page = await this.exporter.page();
    expect(this.page.decreased(before)).toEqual([]);
    // A restarted exporter has no gauges until its next poll.
    // One whose polls fail has none either, and counts up to the tip that it has shown.
    const height = this.page.value("stacks_chain_block_height") ?? this.#height;
    const tip = this.page.value("stacks_chain_block_timestamp_seconds") ?? this.#tip;
    if (height === undefined) return;
    this.#height = height;
    this.firstTip ??= height;
    if (tip !== this.#tip) {
      const branch = new Set(this.world.branchOf(tip));
      for (const hash of this.world.branchOf(this.#tip)) if (!branch.has(hash)) this.replaced.add(hash);
      this.#tip = tip;
    }
    const { world, confirmations } = this;
    const from = height - confirmations + 2;
    const idsTo = (to: number) => new Set(world.between(0, to).map(({ id }) => id));
    for (const [name, first] of Object.entries(FIRST) as [Counting, string][]) {
      if (this.#starts.has(name) || !this.page.names.includes(first)) continue;
      this.#starts.set(name, { height: from, listed: idsTo(world.tip), below: idsTo(from - 1) });
    }
  }
}

/** The transactions of the chain that a collector has to count, oldest first. */
export function transactionsOf(exporter: ModelExporter, name: Counting): readonly WorldTx[] {
  const { world } = exporter;
  const start = exporter.startOf(name);
  const all = world.between(start.height, world.tip);
  return name === "contract_calls" ? all.filter(({ call }) => call?.contract === CONTRACT) : all;
}

const totalOf = (all: readonly WorldTx[], value: (tx: WorldTx) => bigint) =>
  all.reduce((sum, tx) => sum + value(tx), 0n);

function countsBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Readonly<Record<string, bigint>> {
  const groups = Map.groupBy(items, keyOf);
  return Object.fromEntries([...groups].map(([key, of]) => [key, BigInt(of.length)]));
}

/** The counters of a collector. */
type Counters = Readonly<Record<string, unknown>>;

interface Counts {
  /** The names of its families: what they are about, what they count, and the family with the count. */
  readonly names: readonly [subject: string, items: string, total: string];
  /** Its counters on a page. */
  readonly shown: (page: Page) => Counters;
  /** The same of transactions. */
  readonly expected: (all: readonly WorldTx[]) => Counters;
}

const COUNTS: Readonly<Record<Counting, Counts>> = {
  addresses: {
    names: ["address", "transactions", "stacks_address_transactions_total"],
    shown: (page) => ({
      transactions: page.by("stacks_address_transactions_total", "tx_type", "tx_status", "direction"),
      sent: page.sum("stacks_address_sent_microstx_total"),
      received: page.sum("stacks_address_received_microstx_total"),
      fees: page.sum("stacks_address_fees_paid_microstx_total"),
      ft: page.sum("stacks_address_ft_transfer_units_total"),
      stx: page.sum("stacks_address_stx_transfer_microstx_total"),
    }),
    expected: (all) => ({
      transactions: countsBy(
        all,
        ({ type, status, isSender }) => `${type} ${status} ${isSender ? "sent" : "received"}`,
      ),
      sent: totalOf(all, ({ isSender, amount, fee }) => (isSender ? amount + fee : 0n)),
      received: totalOf(all, ({ isSender, amount }) => (isSender ? 0n : amount)),
      fees: totalOf(all, ({ isSender, fee }) => (isSender ? fee : 0n)),
      ft: totalOf(all, ({ ft }) => ft),
      stx: totalOf(all, ({ amount }) => amount),
    }),
  },
  transactions: {
    names: ["chain", "transactions", "stacks_chain_mined_transactions_total"],
    shown: (page) => ({ transactions: page.by("stacks_chain_mined_transactions_total", "tx_type", "tx_status") }),
    expected: (all) => ({ transactions: countsBy(all, ({ type, status }) => `${type} ${status}`) }),
  },
  contracts: {
    names: ["contract", "events", "stacks_contract_events_total"],
    shown: (page) => ({ events: page.sum("stacks_contract_events_total"), rules: rulesOn(page) }),
    expected: (all) => ({ events: totalOf(all, ({ prints }) => BigInt(prints)), rules: expectedSeries(all) }),
  },
  contract_calls: {
    names: ["contract", "calls", "stacks_contract_calls_total"],
    shown: (page) => ({
      calls: page.by("stacks_contract_calls_total", "function", "tx_status"),
      errors: page.by("stacks_contract_call_errors_total", "function", "error"),
      fees: page.sum("stacks_contract_call_fees_microstx_total"),
    }),
    expected: (all) => ({
      calls: countsBy(all, ({ call, status }) => `${call?.function} ${status}`),
      errors: countsBy(
        all.flatMap(({ call }) => {
          const error = /u\d+/.exec(call?.result ?? "")?.[0];
          return error === undefined ? [] : [`${call?.function} ${error}`];
        }),
        (error) => error,
      ),
      fees: totalOf(all, ({ fee }) => fee),
    }),
  },
};

/** The collectors that count transactions and events. */
export const COUNTING = Object.keys(COUNTS) as readonly Counting[];

/** The counters of a collector on the page. */
export const shownOf = ({ page }: ModelExporter, name: Counting): Counters => COUNTS[name].shown(page);

/** The counters of a collector, computed from the blocks since its start. */
export const expectedOf = (exporter: ModelExporter, name: Counting): Counters =>
  COUNTS[name].expected(transactionsOf(exporter, name));

/** The number of transactions or events that a collector has to count. */
export const sizeOf = (exporter: ModelExporter, name: Counting, all = transactionsOf(exporter, name)): bigint =>
  name === "contracts" ? totalOf(all, ({ prints }) => BigInt(prints)) : BigInt(all.length);

/** What a collector has counted, without those that are reverted and not restored (`net`), reverted and restored. */
export function changesOf({ page }: ModelExporter, name: Counting) {
  const [subject, items, total] = COUNTS[name].names;
  const counted = page.sum(total);
  const reverted = page.sum(`stacks_${subject}_reverted_${items}_total`);
  const restored = page.sum(`stacks_${subject}_restored_${items}_total`);
  return { counted, reverted, restored, net: counted - reverted + restored };
}

/** Polls that skipped events. */
export const gapOf = ({ page }: ModelExporter): bigint => page.sum("stacks_contract_events_gap_total");

/** Every counter is that of the blocks; nothing was reverted or skipped. */
export function expectExact(exporter: ModelExporter, names = COUNTING): void {
  for (const name of names) {
    const { reverted, restored } = changesOf(exporter, name);
    const found = { ...shownOf(exporter, name), reverted, restored, gap: gapOf(exporter) };
    expect([name, found]).toEqual([name, { ...expectedOf(exporter, name), reverted: 0n, restored: 0n, gap: 0n }]);
  }
}

/** As many are counted, and not reverted, as the blocks have; none was skipped. */
export function expectNet(exporter: ModelExporter, name: Counting): void {
  expect([changesOf(exporter, name).net, gapOf(exporter)]).toEqual([sizeOf(exporter, name), 0n]);
}

/** The metrics of the event rules on the page: values by series. */
function rulesOn(page: Page): ReadonlyMap<string, string> {
  const series = new Map<string, string>();
  for (const { metric } of printRules) {
    const set = (name: string, value: ParsedSample["text"] | undefined) => {
      if (value !== undefined) series.set(name, value);
    };
    set(`errors ${metric}`, page.samples("stacks_contract_rule_errors_total", { metric, reason: "missing" })[0]?.text);
    for (const { labels, text } of page.samples(metric)) {
      set(labels.has("pool") ? `${metric} ${labels.get("pool")}` : metric, text);
    }
  }
  return series;
}
