// Polls one target of a collector on the real state and store, and shows what its user sees: samples, notes of the log,
// failures, and what a restart leaves.
import { ZodError } from "zod";
import { ApiError } from "../../src/api/errors.ts";
import type { StacksApi } from "../../src/api/operation.ts";
import type { AnyCollector, Hints, Target, Task, Views, Watched } from "../../src/collectors/collector.ts";
import type { FeeEstimate } from "../../src/collectors/mempool-transactions/estimate.ts";
import { Exposition } from "../../src/exposition/exposition.ts";
import type { AuditReport } from "../../src/ledger/audit.ts";
import { MEMORY } from "../../src/store/open.ts";
import { State } from "../../src/store/state.ts";
import { encode, Store } from "../../src/store/store.ts";
import { fakeTask } from "./fake-task.ts";
import { parseExposition } from "./parser.ts";

/** The time of a poll that has no other one. Unix time, milliseconds. */
export const NOW = 1_795_219_200_000;

/** What a poll depends on, besides what earlier polls left. */
export interface Surroundings extends Views {
  readonly api?: StacksApi;
  /** Settings; the others have their defaults. */
  readonly options?: object;
  readonly now?: number;
  /** @default "mainnet" */
  readonly network?: string;
  /** @default the whole chain, with 6 confirmations */
  readonly target?: Target;
  readonly spareSeries?: number;
  readonly checkIdentity?: () => Promise<void>;
  readonly onAudit?: (report: AuditReport) => void;
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

/** The polls of one target, with the real state and store. */
export class CollectorRun {
  readonly #collector: AnyCollector;
  readonly #surroundings: () => Surroundings;
  readonly #api: StacksApi;
  readonly #store = new Store(MEMORY);
  #exposition: Exposition;
  #state: State;
  #task: Task;
  /** Warnings of the log that failed no poll. */
  readonly notes: string[] = [];
  /** The failed polls. */
  readonly failures: { readonly reason: string; readonly message: string; readonly operation?: string }[] = [];

  constructor(collector: object, api: StacksApi, surroundings: Surroundings | (() => Surroundings) = {}) {
    this.#collector = collector as AnyCollector;
    this.#api = api;
    this.#surroundings = typeof surroundings === "function" ? surroundings : () => surroundings;
    const { network = "mainnet", target = { key: "", confirmations: 6 } } = this.#surroundings();
    const own = { collector: this.#collector, network, target, maxAgeMs: Number.POSITIVE_INFINITY };
    this.#task = { ...fakeTask(async () => undefined), ...own };
    [this.#exposition, this.#state] = this.#process();
  }

  #process(): [Exposition, State] {
    const rules = this.#task.target.watched?.rules?.map(({ family }) => family) ?? [];
    const exposition = new Exposition([...new Set([...this.#collector.families, ...rules])]);
    return [exposition, new State(exposition, this.#store)];
  }

  /** Polls once. A failed poll changes no sample. */
  async poll(more: Surroundings = {}): Promise<Samples> {
    const { options = {}, api = this.#api, ...others } = { ...this.#surroundings(), ...more };
    const { target = this.#task.target, chain, now = NOW } = others;
    const { spareSeries = Number.POSITIVE_INFINITY } = others;
    const note = (text: string) => this.notes.push(text);
    this.#task = { ...this.#task, target, options: this.#collector.options?.parse(options) };
    this.#state.follow(this.#task.network, [this.#task]);
    const turn = this.#state.begin(this.#task);
    const { previous } = turn;
    const poll = { ...others, api, target, chain, now, spareSeries, note, previous };
    try {
      const observing = this.#collector.observe(poll as Parameters<AnyCollector["observe"]>[0], this.#task.options);
      turn.succeed(await observing, now, spareSeries);
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
    [this.#exposition, this.#state] = this.#process();
    this.#state.follow(this.#task.network, [this.#task]);
    return this.samples;
  }

  get samples(): Samples {
    return new Samples(this.#exposition.page("classic").toString());
  }

  /** What the state file stores. Only its size, and what it must not contain, matter to tests. */
  get saved(): string {
    const { network, target } = this.#task;
    const key = [network, this.#collector.name, target.key] as const;
    return encode([this.#store.load(key)?.values, this.#store.load(key)?.ledger, this.#store.totals(key)]);
  }

  /** The last observation. */
  get #kept(): unknown {
    return this.#state.observationOf(this.#task);
  }

  /** Which targets are polled early. */
  get hints(): Required<Hints> {
    const hints = this.#collector.hints?.(this.#kept, this.#task.target) ?? { isBehind: false };
    return { moved: [], isWaiting: false, isUrgent: false, seen: [], ...hints };
  }

  /** What it offers to other collectors. */
  get views(): Views {
    return (this.#kept === undefined ? undefined : this.#collector.views?.(this.#kept)) ?? {};
  }

  /** The estimates of `/api/v1/fees/recommended`. */
  get feeEstimate(): FeeEstimate | undefined {
    return this.#kept === undefined ? undefined : this.#collector.feeEstimate?.(this.#kept);
  }
}
