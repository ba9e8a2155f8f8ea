// The one place where the parts are put together. Started once, polled and served until stopped.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "pino";
import type { BudgetRecord } from "./api/budget.ts";
import { type ClientSnapshot, createClient } from "./api/client.ts";
import type { Clock } from "./api/clock.ts";
import { type ChainView, targetsOf } from "./collectors/collector.ts";
import { collectorFamilies, collectorOf } from "./collectors/index.ts";
import type { Config, NetworkConfig } from "./config/config.ts";
import type { Redactor } from "./config/secret.ts";
import { MetricsPage } from "./http/page.ts";
import { closeServer, createHttpServer } from "./http/server.ts";
import { Exposition } from "./metrics/exposition.ts";
import type { Family, Sample } from "./metrics/family.ts";
import * as own from "./metrics/own.ts";
import { busyCollectors, planNetwork } from "./plan.ts";
import { Poller } from "./poll/poller.ts";
import { type NetworkReport, report, storeSamples } from "./poll/report.ts";
import { runSchedules } from "./poll/schedule.ts";
import { State } from "./poll/state.ts";
import { type Selection, type Status, statusOf } from "./poll/status.ts";
import type { Store } from "./poll/store.ts";
import { keyOf, type Task } from "./poll/task.ts";
import { Work } from "./poll/work.ts";

/** What an app is made of. */
export interface AppOptions {
  readonly config: Config;
  readonly version: string;
  readonly log: Logger;
  readonly redactor: Redactor;
  readonly clock: Clock;
  /** Where counters and the used budget outlive the process; closed by `stop`. @default nowhere */
  readonly store?: Store | undefined;
}

// Together below the five seconds that a stop may take.
const SCRAPE_GRACE_MS = 3000;

/** A running exporter. */
export class App {
  readonly tasks: readonly Task[];
  readonly page: MetricsPage;
  readonly log: Logger;
  readonly #options: AppOptions;
  readonly #state: State;
  readonly #exposition: Exposition;
  readonly #families: readonly Family[];
  readonly #work = new Work();
  readonly #poller: Poller;
  readonly #networks: readonly Network[];
  readonly #stop = new AbortController();
  readonly #due = new WeakMap<Task, number>();
  readonly #startedAt: number;
  #server: Server | undefined;
  #polling: Promise<void> = Promise.resolve();

  /** @throws StoreError when what was saved cannot be read. */
  constructor(options: AppOptions) {
    const { config, clock, log, version, store } = options;
    this.#options = options;
    this.#startedAt = clock.now();
    this.log = log;
    this.#families = [...collectorFamilies, ...own.ownFamilies, ...this.#work.instruments.watchProcess()];
    this.#exposition = new Exposition(this.#families);
    this.#state = new State(this.#exposition, store);
    this.#networks = config.networks.map((network) => createNetwork(network, options, this.#work, this.#state));
    this.tasks = this.#networks.flatMap(({ tasks }) => tasks);
    for (const task of this.tasks) this.#state.restore(task);
    for (const network of config.networks) {
      for (const { name } of busyCollectors(network)) this.#work.expectCollector(network.name, name);
    }
    this.page = new MetricsPage({
      exposition: this.#exposition,
      expire: (now) => this.#state.expire(now),
      ownSamples: () => this.#ownSamples(version),
      now: () => clock.now(),
      onError: (error) => log.error({ err: error }, "the exporter's own samples could not be made"),
    });
    this.#poller = new Poller({
      state: this.#state,
      clock,
      log,
      stop: this.#stop.signal,
      onRun: ({ task, outcome, reason, seconds }) => {
        this.#work.run(task.network, task.collector.name, outcome, reason, seconds);
        this.#saveBudgets();
        this.page.touch();
      },
    });
  }

  // After every poll: what a process that is killed had used is known to the next one, but for the polls under way.
  #saveBudgets(): void {
    const { store, clock, log } = this.#options;
    try {
      for (const { name, budgetRecord } of this.#networks) store?.saveBudget(name, budgetRecord(), clock.now());
    } catch (error) {
      log.error({ err: error }, "the used budget could not be saved");
    }
  }

  async #ownSamples(version: string): Promise<Sample[]> {
    const { clock, store } = this.#options;
    const networks = this.#networks.map(({ reportOf }) => reportOf());
    const samples = [
      ...(await this.#work.instruments.samples()),
      ...report(this.tasks, this.#state, networks, { version, node: process.version }, clock.now()),
      ...(store === undefined ? [] : storeSamples(store.facts())),
    ];
    return [...samples, ...this.#seriesSamples(samples)];
  }

  // The series of the exporter's own families are counted from what is about to be shown, themselves included.
  *#seriesSamples(ownSamples: readonly Sample[]): Iterable<Sample> {
    const shown = this.#exposition.seriesPerFamily();
    const counts = new Map([...shown].filter(([family]) => collectorFamilies.includes(family)));
    for (const { family } of ownSamples) {
      counts.set(family, (counts.get(family) ?? 0) + (family.kind === "histogram" ? family.bounds.length + 3 : 1));
    }
    counts.set(own.series as Family, counts.size + 1);
    for (const [family, count] of counts) yield own.series.at({ family: family.name }, count);
  }

  /** The collectors of which no target has succeeded yet, and why. */
  missing(): { what: string; why: string }[] {
    const groups = Map.groupBy(this.tasks, ({ network, collector }) => `${network}/${collector.name}`);
    return [...groups].flatMap(([what, tasks]) => {
      const standings = tasks.map((task) => this.#state.of(task));
      if (standings.some(({ lastSuccessAt }) => lastSuccessAt !== undefined)) return [];
      const failure = standings.find((standing) => standing.failure !== undefined)?.failure;
      return [
        { what, why: failure === undefined ? "the first poll has not ended" : `${failure.reason}: ${failure.message}` },
      ];
    });
  }

  /** How everything stands, and the targets that are asked for. */
  status(selection: Selection): Status {
    const networks = this.#networks.map(({ reportOf }) => reportOf());
    const dueAt = (task: Task) => this.#due.get(task);
    return statusOf(
      { tasks: this.tasks, state: this.#state, networks, dueAt, now: this.#options.clock.now() },
      selection,
    );
  }

  /** Listens and starts to poll; resolves with the address when the server listens. Throws when it cannot listen. */
  async start(): Promise<AddressInfo> {
    const { config, version, redactor, log, clock } = this.#options;
    const server = createHttpServer({
      page: this.page,
      missing: () => this.missing(),
      program: { version, startedAt: this.#startedAt },
      known: {
        networks: config.networks.map(({ name }) => name),
        collectors: [...new Set(config.networks.flatMap(({ collectors }) => collectors.map(({ name }) => name)))],
      },
      statusOf: (selection) => this.status(selection),
      mask: (text) => redactor.mask(text),
      onError: (error) => log.error({ err: error }, "a page could not be made"),
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ ...config.listen }, () => resolve());
    });
    this.#server = server;
    this.#polling = runSchedules(this.tasks, {
      clock,
      stop: this.#stop.signal,
      poll: (task) => this.poll(task),
      onDue: (task, at) => this.#due.set(task, at),
      log,
    });
    return server.address() as AddressInfo;
  }

  /** Polls one task now, beside its schedule; resolves when the poll has ended, whatever came of it. */
  poll(task: Task): Promise<void> {
    return this.#poller.poll(task);
  }

  /** Polls everything once; resolves with the tasks that failed, and why. */
  async pollOnce(): Promise<{ what: string; why: string }[]> {
    // First those that tell the others where the chain ends.
    const [guides, others] = [true, false].map((isGuide) =>
      this.tasks.filter(({ collector }) => (collector.chainView !== undefined) === isGuide),
    );
    for (const tasks of [guides, others]) {
      const groups = Map.groupBy(tasks ?? [], ({ network, collector }) => `${network}/${collector.name}`);
      await Promise.all([...groups.values()].map((group) => this.#pollInTurn(group)));
    }
    return this.tasks.flatMap((task) => {
      const { failure } = this.#state.of(task);
      return failure === undefined ? [] : [{ what: keyOf(task), why: `${failure.reason}: ${failure.message}` }];
    });
  }

  // All at once, most of a long watch list would wait for the budget until its deadline.
  async #pollInTurn(tasks: readonly Task[]): Promise<void> {
    for (const task of tasks) await this.poll(task);
  }

  /** No new polls, running ones aborted, open scrapes finished; resolves when all of it is done. */
  async stop(): Promise<void> {
    this.#stop.abort(new DOMException("the exporter stops", "AbortError"));
    await Promise.all([
      this.#polling,
      this.#server === undefined ? undefined : closeServer(this.#server, SCRAPE_GRACE_MS),
    ]);
    await Promise.all(this.#networks.map(({ close }) => close()));
    this.#saveBudgets();
    this.#options.store?.close();
  }
}

interface Network {
  readonly name: string;
  readonly budgetRecord: () => BudgetRecord;
  readonly tasks: readonly Task[];
  readonly reportOf: () => NetworkReport;
  readonly close: () => Promise<void>;
}

function createNetwork(
  network: NetworkConfig,
  { clock, version, store }: AppOptions,
  work: Work,
  state: State,
): Network {
  const enabled = busyCollectors(network).map((settings) => ({ settings, collector: collectorOf(settings.name) }));
  const operations = [...new Set(enabled.flatMap(({ collector }) => collector.operations.map(({ name }) => name)))];
  work.expectNetwork(network.name, operations);
  const { collectors: planned, requestsPerMinute } = planNetwork(network);
  const plannedPerMinute: number[] = [];
  for (const { collector, peakPerMinute } of planned) {
    const { priority } = collectorOf(collector);
    plannedPerMinute[priority] = (plannedPerMinute[priority] ?? 0) + peakPerMinute;
  }
  const client = createClient({
    network: network.name,
    baseUrl: network.url,
    key: network.apiKey,
    keyHeader: network.apiKeyHeader,
    userAgent: `stacks-exporter/${version}`,
    budget: { ...network.budget, plannedPerMinute: Array.from(plannedPerMinute, (planned) => planned ?? 0) },
    used: store?.loadBudget(network.name),
    maxBodyBytes: network.maxBodyBytes,
    clock,
    observer: work.observerOf(network.name),
  });
  const tasks = enabled.flatMap(({ settings, collector }): Task[] => {
    const { options, schedule, timeoutMs } = settings;
    const pace = planned.find((row) => row.collector === settings.name);
    const intervalMs = Math.max(settings.intervalMs, (pace?.roundSeconds ?? 0) * 1000);
    const maxAgeMs = Math.max(settings.maxAgeMs, (pace?.worstAgeSeconds ?? 0) * 1000);
    const common = { network: network.name, collector, options, client, schedule, timeoutMs };
    const times = { intervalMs, wishedIntervalMs: settings.intervalMs, maxAgeMs };
    return targetsOf(collector, network).map((target) => ({ ...common, ...times, target, chain }));
  });
  const guides = tasks.filter(({ collector }) => collector.chainView !== undefined);
  function chain(): ChainView | undefined {
    for (const task of guides) {
      const { observation, lastSuccessAt } = state.of(task);
      // What the process before left says nothing of the tip of today.
      const view = lastSuccessAt === undefined ? undefined : task.collector.chainView?.(observation);
      if (view !== undefined) return view;
    }
    return undefined;
  }
  return {
    name: network.name,
    tasks,
    budgetRecord: () => client.budgetRecord(),
    reportOf: () => reportOf(network, client.snapshot(), operations, requestsPerMinute),
    close: () => client.close(),
  };
}

function reportOf(
  { name, url }: NetworkConfig,
  { budget, pausedUntil, retired, rateLimits }: ClientSnapshot,
  operations: readonly string[],
  plannedPerMinute: number,
): NetworkReport {
  const used = budget.usedLastMinute;
  return {
    network: name,
    origin: new URL(url).origin,
    plannedPerMinute,
    operations,
    minute: { limit: budget.perMinute, used, remaining: budget.remaining },
    month: budget.month && {
      limit: budget.month.limit,
      used: budget.month.usedSinceStart,
      remaining: Math.floor(budget.month.available),
    },
    pausedUntil,
    retired,
    rateLimits,
  };
}
