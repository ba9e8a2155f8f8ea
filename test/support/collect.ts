// Polls one target of a collector, and shows what its user sees: samples, notes of the log, failures, and what a
// restart leaves. Tests of collectors know nothing else about what is kept between two polls.
import { ZodError } from "zod";
import { ApiError } from "../../src/api/errors.ts";
import type { StacksApi } from "../../src/api/operation.ts";
import type { ChainView } from "../../src/chain/view.ts";
import {
  type AnyCollector,
  type Hints,
  type Target,
  type Watched,
  wholeChain,
} from "../../src/collectors/collector.ts";
import type { Counted } from "../../src/collectors/counted.ts";
import type { FeeEstimate } from "../../src/collectors/mempool-transactions/estimate.ts";
import type { WaitingView } from "../../src/collectors/mempool-transactions/listed.ts";
import type { MinedView } from "../../src/collectors/transactions/recent.ts";
import { Exposition } from "../../src/exposition/exposition.ts";
import { encode } from "../../src/store/codec.ts";
import { MEMORY } from "../../src/store/open.ts";
import { keptFrom, observationFrom, policyOf } from "../../src/store/state.ts";
import { type Kept, Store } from "../../src/store/store.ts";
import { Totals } from "../../src/store/totals.ts";
import { parseExposition } from "./parser.ts";

/** The time of a poll that has no other one. Unix time, milliseconds. */
export const NOW = 1_795_219_200_000;

/** What a poll depends on, besides what earlier polls left. */
export interface Surroundings {
  readonly api?: StacksApi;
  /** Settings; the others have their defaults. */
  readonly options?: object;
  readonly now?: number;
  /** @default the whole chain, with 6 confirmations */
  readonly target?: Target;
  readonly chain?: ChainView | undefined;
  readonly mined?: MinedView | undefined;
  readonly waiting?: WaitingView | undefined;
  /** Whether a collector follows the chain. @default whether there is a view of it */
  readonly isFollowed?: boolean;
  readonly spareSeries?: number;
  readonly checkIdentity?: () => Promise<void>;
}

/** A watched principal as a target. */
export const targetOf = (principal: string, confirmations = 6, more: Partial<Watched> = {}) => ({
  key: principal,
  watched: { principal, name: "name", group: "", labels: {}, ...more },
  confirmations,
});

// Labels of the target itself.
const IDENTITY: readonly string[] = ["network", "name", "address", "contract_id"];

/** The samples of a page by name, without `stacks_`, and the values of the labels that do not identify the target. */
export class Samples {
  readonly page: string;
  #texts: ReadonlyMap<string, string> | undefined;

  constructor(page: string) {
    this.page = page;
  }

  get #all(): ReadonlyMap<string, string> {
    this.#texts ??= new Map(
      parseExposition(this.page, "classic").flatMap(({ samples }) =>
        samples.map(({ name, labels, text }) => {
          const own = [...labels].filter(([label]) => !IDENTITY.includes(label)).map(([, value]) => value);
          return [[name.replace(/^stacks_/, ""), ...own].join(" "), text];
        }),
      ),
    );
    return this.#texts;
  }

  get(key: string): number | undefined {
    const text = this.#all.get(key);
    return text === undefined ? undefined : Number(text);
  }

  /** The value of a sample as the page has it, with all its digits. */
  text(key: string): string | undefined {
    return this.#all.get(key);
  }

  /** Names and label values of the samples that match. */
  keys(pattern = /(?:)/): readonly string[] {
    return [...this.#all.keys()].filter((key) => pattern.test(key));
  }

  /** The samples that match, by name and label values. */
  of(pattern: RegExp): Readonly<Record<string, number>> {
    return Object.fromEntries(this.keys(pattern).map((key) => [key, Number(this.#all.get(key))]));
  }

  /** The sum of a family over all label values; 0 without samples. */
  sum(name: string): number {
    return this.keys().reduce((sum, key) => sum + (key.split(" ")[0] === name ? (this.get(key) ?? 0) : 0), 0);
  }
}

/** The polls of one target. */
export class CollectorRun {
  readonly #collector: AnyCollector;
  readonly #surroundings: () => Surroundings;
  readonly #exposition: Exposition;
  #api: StacksApi;
  #target: Target = wholeChain({ confirmations: 6 });
  #options: unknown;
  /** The last observation, as the next poll gets it. */
  #kept: unknown;
  readonly #store = new Store(MEMORY);
  /** Warnings of the log that failed no poll. */
  readonly notes: string[] = [];
  /** The failed polls. */
  readonly failures: { readonly reason: string; readonly message: string; readonly operation?: string }[] = [];

  constructor(collector: object, api: StacksApi, surroundings: Surroundings | (() => Surroundings) = {}) {
    this.#collector = collector as AnyCollector;
    this.#api = api;
    this.#surroundings = typeof surroundings === "function" ? surroundings : () => surroundings;
    const { watched } = this.#surroundings().target ?? {};
    const rules = watched?.rules?.map(({ family }) => family) ?? [];
    this.#exposition = new Exposition([...new Set([...this.#collector.families, ...rules])]);
  }

  /** Polls once. A failed poll changes no sample. */
  async poll(more: Surroundings = {}): Promise<Samples> {
    const { options = {}, api = this.#api, ...others } = { ...this.#surroundings(), ...more };
    const { target = this.#target, chain, now = NOW } = others;
    const { isFollowed = chain !== undefined, spareSeries = Number.POSITIVE_INFINITY } = others;
    const note = (text: string) => this.notes.push(text);
    const poll = { ...others, api, target, chain, now, isFollowed, spareSeries, note, previous: this.#kept };
    this.#target = target;
    this.#options = this.#collector.options.parse(options);
    try {
      const observed = await this.#collector.observe(poll as Parameters<AnyCollector["observe"]>[0], this.#options);
      this.#save(observed, now, spareSeries);
      this.#expose();
    } catch (error) {
      if (error instanceof ApiError) this.failures.push(error);
      // The client reports a body that is not valid with this reason.
      else if (error instanceof ZodError) this.failures.push({ reason: "bad_body", message: error.message });
      else throw error;
    }
    return this.samples;
  }

  /** Polls several times. */
  async polls(count: number, more: Surroundings = {}): Promise<Samples> {
    for (let polled = 0; polled < count; polled += 1) await this.poll(more);
    return this.samples;
  }

  /** The process ends and another one continues: counters are exposed at once, gauges after the next poll. */
  restart(): Samples {
    if (this.#kept === undefined) return this.samples;
    this.#kept = this.#loaded();
    this.#expose();
    this.#exposition.expire("target");
    return this.samples;
  }

  get samples(): Samples {
    return new Samples(this.#exposition.page("classic").toString());
  }

  /** The page for golden files, with another name of the network, or for a target with other settings. */
  page(network = "mainnet", target = this.#target): string {
    this.#expose(network, target);
    return this.samples.page;
  }

  /** What the state file stores. Only its size, and what it must not contain, matter to tests. */
  get saved(): string {
    return encode([this.#loaded(), this.#store.totals(this.#key)]);
  }

  get #key() {
    return { network: "", collector: this.#collector.name, target: this.#target.key };
  }

  #loaded(): unknown {
    return observationFrom({ collector: this.#collector }, this.#store.load(this.#key) as Kept);
  }

  #totals(network: string, target: Target, now = NOW, spare = 0): Totals | undefined {
    const policy = policyOf({ collector: this.#collector, network, target, options: this.#options });
    return policy && new Totals(policy, this.#store.totals(this.#key), now, spare);
  }

  #save(observed: unknown, now: number, spare: number): void {
    const collector = this.#collector;
    const totals = this.#totals("", this.#target, now, spare);
    if (totals !== undefined) for (const one of (observed as Counted<unknown>).additions) totals.add(one);
    const changes = totals && { owner: this.#key, changes: totals.changes() };
    const before = this.#store.load(this.#key);
    this.#store.commit(this.#key, before, keptFrom({ collector }, observed), changes);
    // That of the whole chain stays in memory.
    this.#kept = this.#target.key === "" ? observed : this.#loaded();
  }

  /** Which targets are polled early. */
  get hints(): Required<Hints> {
    const hints = this.#collector.hints?.(this.#kept, this.#target) ?? { isBehind: false };
    return { moved: [], isWaiting: false, ...hints };
  }

  /** The newest mined transactions, for other collectors. */
  get mined(): MinedView | undefined {
    return this.#kept === undefined ? undefined : this.#collector.minedView?.(this.#kept);
  }

  /** The waiting transactions, for other collectors. */
  get waiting(): WaitingView | undefined {
    return this.#kept === undefined ? undefined : this.#collector.waitingView?.(this.#kept);
  }

  /** The estimates of `/api/v1/fees/recommended`. */
  get feeEstimate(): FeeEstimate | undefined {
    return this.#kept === undefined ? undefined : this.#collector.feeEstimate?.(this.#kept);
  }

  /** The chain, for other collectors. */
  get chain(): ChainView | undefined {
    return this.#kept === undefined ? undefined : this.#collector.chainView?.(this.#kept);
  }

  #expose(network = "mainnet", target = this.#target): void {
    const counters = this.#totals(network, target)?.samples() ?? [];
    this.#exposition.set("target", [
      ...counters,
      ...(this.#collector.configured?.(network, target) ?? []),
      ...this.#collector.samples(this.#kept, network, target),
    ]);
  }
}
