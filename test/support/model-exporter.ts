// An exporter that polls a model world, what its page shows, and what it has to show.
import { expect } from "@jest/globals";
import { type ApiServer, startApiServer } from "./api-server.ts";
import { Exporter, Page } from "./exporter.ts";
import { CONTRACT, ModelWorld, PRINCIPAL, type WorldTx } from "./model-world.ts";
import type { ParsedSample } from "./parser.ts";
import { expectedSeries, printRules } from "./prints.ts";

/** The collectors that count what happens in the world. */
export type Name = "blocks" | "addresses" | "contracts" | "transactions" | "contract_calls";

// The families that a page has from the first successful poll of a collector on.
const FIRST: Readonly<Record<Exclude<Name, "blocks">, string>> = {
  addresses: "stacks_address_sent_microstx_total",
  contracts: "stacks_contract_events_gap_total",
  transactions: "stacks_chain_transactions_gap_total",
  contract_calls: "stacks_contract_calls_gap_total",
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
  startOf(name: Exclude<Name, "blocks">): Start {
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
    for (const [name, first] of Object.entries(FIRST) as [Exclude<Name, "blocks">, string][]) {
      if (this.#starts.has(name) || !this.page.names.includes(first)) continue;
      this.#starts.set(name, { height: from, listed: idsTo(world.tip), below: idsTo(from - 1) });
    }
  }
}

/** What a page shows, or has to show, of the address. */
export interface AddressTotals {
  /** By `type status direction`. */
  readonly transactions: Readonly<Record<string, bigint>>;
  readonly sent: bigint;
  readonly received: bigint;
  readonly fees: bigint;
  readonly ft: bigint;
  readonly stx: bigint;
}

/** The totals of the address on the page. */
export function countedOf({ page }: ModelExporter): AddressTotals {
  return {
    transactions: page.by("stacks_address_transactions_total", "tx_type", "tx_status", "direction"),
    sent: page.sum("stacks_address_sent_microstx_total"),
    received: page.sum("stacks_address_received_microstx_total"),
    fees: page.sum("stacks_address_fees_paid_microstx_total"),
    ft: page.sum("stacks_address_ft_transfer_units_total"),
    stx: page.sum("stacks_address_stx_transfer_microstx_total"),
  };
}

/** The totals of the address in the blocks since the start. */
export function expectedOf(exporter: ModelExporter): AddressTotals {
  const all = transactionsOf(exporter, "addresses");
  const total = (value: (tx: WorldTx) => bigint) => all.reduce((sum, tx) => sum + value(tx), 0n);
  const keyOf = ({ type, status, isSender }: WorldTx) => `${type} ${status} ${isSender ? "sent" : "received"}`;
  return {
    transactions: countsBy(all, keyOf),
    sent: total(({ isSender, amount, fee }) => (isSender ? amount + fee : 0n)),
    received: total(({ isSender, amount }) => (isSender ? 0n : amount)),
    fees: total(({ isSender, fee }) => (isSender ? fee : 0n)),
    ft: total(({ ft }) => ft),
    stx: total(({ amount }) => amount),
  };
}

/** The totals of the chain on the page: transactions by `type status`. */
export const countedOfChain = ({ page }: ModelExporter) => ({
  transactions: page.by("stacks_chain_mined_transactions_total", "tx_type", "tx_status"),
});

/** The totals of the chain in the blocks since the start. */
export function expectedOfChain(exporter: ModelExporter) {
  const all = transactionsOf(exporter, "transactions");
  return { transactions: countsBy(all, ({ type, status }) => `${type} ${status}`) };
}

/** The totals of the calls on the page: calls by `function status`, errors by `function error`, and fees. */
export const countedCalls = ({ page }: ModelExporter) => ({
  calls: page.by("stacks_contract_calls_total", "function", "tx_status"),
  errors: page.by("stacks_contract_call_errors_total", "function", "error"),
  fees: page.sum("stacks_contract_call_fees_microstx_total"),
});

/** The totals of the calls in the blocks since the start. */
export function expectedCalls(exporter: ModelExporter) {
  const all = transactionsOf(exporter, "contract_calls");
  const errors = all.flatMap(({ call }) => {
    const error = /u\d+/.exec(call?.result ?? "")?.[0];
    return error === undefined ? [] : [`${call?.function} ${error}`];
  });
  return {
    calls: countsBy(all, ({ call, status }) => `${call?.function} ${status}`),
    errors: countsBy(errors, (error) => error),
    fees: feesOf(all),
  };
}

/** The transactions of the chain that a collector has to count, oldest first. */
export function transactionsOf(exporter: ModelExporter, name: Exclude<Name, "blocks">): readonly WorldTx[] {
  const { world } = exporter;
  const start = exporter.startOf(name);
  const all = world.between(start.height, world.tip);
  return name === "contract_calls" ? all.filter(({ call }) => call?.contract === CONTRACT) : all;
}

const feesOf = (all: readonly WorldTx[]) => all.reduce((sum, { fee }) => sum + fee, 0n);

function countsBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Readonly<Record<string, bigint>> {
  const groups = Map.groupBy(items, keyOf);
  return Object.fromEntries([...groups].map(([key, of]) => [key, BigInt(of.length)]));
}

const FAMILIES = {
  addresses: ["address", "transactions", "stacks_address_transactions_total"],
  contracts: ["contract", "events", "stacks_contract_events_total"],
  transactions: ["chain", "transactions", "stacks_chain_mined_transactions_total"],
  contract_calls: ["contract", "calls", "stacks_contract_calls_total"],
} as const;

/** What a collector has counted, without those that are reverted and not restored (`net`), reverted and restored. */
export function changesOf({ page }: ModelExporter, name: Exclude<Name, "blocks">) {
  const [subject, items, total] = FAMILIES[name];
  const counted = page.sum(total);
  const reverted = page.sum(`stacks_${subject}_reverted_${items}_total`);
  const restored = page.sum(`stacks_${subject}_restored_${items}_total`);
  return { counted, reverted, restored, net: counted - reverted + restored };
}

/** Skipped transactions, events or calls. */
export function gapOf({ page }: ModelExporter, name: Exclude<Name, "blocks">): bigint {
  return page.sum(name === "addresses" ? "stacks_address_gap_transactions_total" : FIRST[name]);
}

/** Events that have been printed since the contract was first polled. */
export const printsOf = (exporter: ModelExporter): bigint =>
  transactionsOf(exporter, "contracts").reduce((sum, { prints }) => sum + BigInt(prints), 0n);

/** The metrics of the event rules that the page has to show. */
export const expectedRules = (exporter: ModelExporter): ReadonlyMap<string, string> =>
  expectedSeries(transactionsOf(exporter, "contracts"));

/** The metrics of the event rules on the page: values by series. */
export function countedRules({ page }: ModelExporter): ReadonlyMap<string, string> {
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
