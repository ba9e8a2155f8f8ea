// One running network: its upstreams, the tasks that poll it, and what it reports.
import { setImmediate as nextTick } from "node:timers/promises";
import { type Client, createClient } from "./api/client.ts";
import type { Clock } from "./api/clock.ts";
import type { Redactor } from "./api/redact.ts";
import type { ChainView } from "./collectors/chain/chain-view.ts";
import { targetsOf, WHOLE_CHAIN } from "./collectors/collector.ts";
import { collectorOf } from "./collectors/index.ts";
import { keyOf, type Task } from "./collectors/task.ts";
import type { NetworkConfig, UpstreamConfig } from "./config/config.ts";
import { type Pacing, type PollTimes, peakByPriority, planPolls, sum } from "./scheduler/pacing.ts";
import { type Changes, type HintCause, RoundRobin, type TaskSettings } from "./scheduler/round-robin.ts";
import { SavedBudgets } from "./storage/budgets.ts";
import type { State } from "./storage/state.ts";
import type { StateFile } from "./storage/state-file.ts";
import { withIncidents } from "./telemetry/api-incidents.ts";
import type { Incidents, PollLog } from "./telemetry/incidents.ts";
import type { Instrumentation } from "./telemetry/instrumentation.ts";
import type { NetworkReport } from "./telemetry/report.ts";
import { upstreamOperations } from "./upstreams/read-chain.ts";
import { Upstreams, type UpstreamsOptions } from "./upstreams/upstreams.ts";

/** What a network works with. */
export interface NetworkOptions {
  readonly version: string;
  readonly clock: Clock;
  readonly instrumentation: Instrumentation;
  readonly state: State;
  readonly stateFile: StateFile | undefined;
  readonly redactor: Redactor;
  readonly log: UpstreamsOptions["log"] & PollLog;
  readonly incidents: Incidents;
  /** Aborted at shutdown. */
  readonly stop: AbortSignal;
}

// A few milliseconds of work.
const RESTORED_AT_ONCE = 50;
const MOST_PROBE_MS = 60_000;

interface TaskList {
  readonly roundRobin: RoundRobin;
  readonly tasks: readonly Task[];
}

/** A network of the configuration. */
export class Network {
  readonly name: string;
  readonly upstreams: Upstreams;
  /** Tasks of collectors that observe the whole chain. */
  readonly wholeChain: readonly Task[];
  /** Collectors that observe watched principals. */
  readonly roundRobins: readonly RoundRobin[];
  readonly #options: NetworkOptions;
  readonly #budgets: SavedBudgets;
  #config: NetworkConfig;
  #pacings: readonly Pacing[];

  /** @throws StateFileError when the saved state of the network cannot be read. */
  constructor(config: NetworkConfig, options: NetworkOptions) {
    const { clock, instrumentation, state, stateFile, log, incidents, stop } = options;
    const { name, upstreams, collectors } = config;
    this.name = name;
    this.#config = config;
    this.#options = options;
    this.#pacings = planPolls(config, upstreams[0].budget);
    const records = () => this.upstreams.all.map(({ name, client }) => [name, client.budgetRecord()] as const);
    this.#budgets = new SavedBudgets({ network: name, ...{ stateFile, clock, stop, log, records } });
    instrumentation.expectUpstreams(
      name,
      upstreams.map((upstream) => upstream.name),
    );
    this.upstreams = new Upstreams({
      ...{ config, clock, stop, log, incidents },
      store: stateFile,
      createClient: (upstream) => this.#createClient(upstream),
      knownTip: () => this.#chainView()?.tipHeight,
      onSwitch: (upstream) => {
        instrumentation.switched(name, upstream.name);
        // Its budget is another one, and so are the intervals.
        this.#plan();
        for (const one of this.roundRobins) one.update(one.tasks, this.#timesOf(one.settings));
        state.recomputeExpiry();
      },
      onDisagreement: (upstream) => instrumentation.disagreed(name, upstream.name),
      onNewChain: () => this.#forget(),
    });
    const enabled = collectors.map((settings) => ({ ...settings, collector: collectorOf(settings.name) }));
    const isFollowed = enabled.some(({ collector }) => collector.chainView !== undefined);
    const chain = isFollowed ? () => this.#chainView() : undefined;
    const settings = enabled.map(({ collector, options, schedule, timeoutMs }): TaskSettings => {
      return { network: name, collector, chain, options, client: this.upstreams, schedule, timeoutMs };
    });
    const [roundRobins, wholeChain] = [true, false].map((isRoundRobin) =>
      settings.filter(({ collector }) => (collector.targets !== undefined) === isRoundRobin),
    ) as [TaskSettings[], TaskSettings[]];
    this.wholeChain = wholeChain.map((one) => ({ ...one, target: WHOLE_CHAIN, ...this.#timesOf(one) }));
    this.roundRobins = roundRobins.map((one) => new RoundRobin(one, this.#timesOf(one)));
    this.#take(config, this.#listsOf(config));
    for (const task of this.tasks) state.restore(task);
  }

  /** All present tasks. */
  get tasks(): readonly Task[] {
    return [...this.wholeChain, ...this.roundRobins.flatMap(({ tasks }) => tasks)];
  }

  /** Takes the watch lists of a configuration. New targets are restored before their first poll. */
  async reload(config: NetworkConfig): Promise<Changes & { readonly added: readonly Task[] }> {
    const lists = this.#listsOf(config);
    const before = new Set(this.tasks.map(keyOf));
    const added = lists.flatMap(({ tasks }) => tasks.filter((task) => !before.has(keyOf(task))));
    for (const [index, task] of added.entries()) {
      if (index % RESTORED_AT_ONCE === 0) await nextTick();
      this.#options.state.restore(task);
    }
    return { added, ...this.#take(config, lists) };
  }

  /** Hints at targets to poll early, now that this was observed of a task. */
  hint({ collector, target }: Task, observation: unknown): void {
    const sighting = collector.sighting?.(observation, target);
    if (sighting === undefined) return;
    for (const roundRobin of this.roundRobins) {
      const { name } = roundRobin.settings.collector;
      const hint = (key: string, cause: HintCause) => {
        if (roundRobin.hint(key, cause)) this.#options.instrumentation.hint(this.name, name, cause);
      };
      if (sighting.isBehind && name === collector.name) hint(target.key, "behind");
      for (const principal of sighting.seen) hint(principal, "seen");
    }
  }

  /** Time between two slots of a task's round robin. Milliseconds. */
  slotMsOf({ collector }: Task): number {
    return this.roundRobins.find(({ settings }) => settings.collector === collector)?.slotMs ?? 0;
  }

  /** The present state of the active upstream's client, of the upstreams and of the plan. */
  report(): NetworkReport {
    const { active } = this.upstreams;
    const { budget, pausedUntil, longestPauseMs, outage, retired, rateLimits } = active.client.snapshot();
    return {
      network: this.name,
      origin: active.origin,
      upstreams: this.upstreams.report(),
      blocked: this.upstreams.blocked(),
      plannedPerMinute: sum(this.#pacings.map(({ requestsPerMinute }) => requestsPerMinute)),
      operations: this.#operations(),
      minute: { limit: budget.perMinute, used: budget.usedLastMinute, remaining: budget.remaining },
      month: budget.month && {
        limit: budget.month.limit,
        used: budget.month.usedSinceStart,
        remaining: Math.floor(budget.month.available),
      },
      pausedUntil,
      longestPauseMs,
      outage,
      retired,
      rateLimits,
    };
  }

  /** Ends every request, and saves the used budgets. */
  async close(): Promise<void> {
    await this.upstreams.close();
    this.#budgets.save();
  }

  #createClient(upstream: UpstreamConfig): Client {
    const { version, clock, log, incidents, redactor, instrumentation } = this.#options;
    const { name, maxBodyBytes, longestPauseMs, upstreams } = this.#config;
    const isPreferred = upstream === upstreams[0];
    // An API that is back is noticed by the next poll of the most frequent collector.
    const intervals = this.#polled().map(({ configuredIntervalMs }) => configuredIntervalMs);
    const observer = instrumentation.observerOf(name, () => this.#budgets.saveSoon());
    return createClient({
      baseUrl: upstream.url,
      key: upstream.apiKey,
      keyHeader: upstream.apiKeyHeader,
      redactor,
      userAgent: `stacks-exporter/${version}`,
      budget: { ...upstream.budget, plannedPerMinute: isPreferred ? peakByPriority(this.#pacings) : [] },
      used: this.#budgets.load(upstream.name, isPreferred),
      maxBodyBytes,
      longestPauseMs,
      longestProbeMs: Math.min(MOST_PROBE_MS, ...intervals),
      clock,
      observer: withIncidents(observer, {
        ...{ incidents, log, clock },
        fields: { network: name, ...(upstreams.length === 1 ? {} : { upstream: upstream.name }) },
        place: () => (this.upstreams.active.name === upstream.name ? name : `${name}/${upstream.name}`),
      }),
    });
  }

  #listsOf(config: NetworkConfig): readonly TaskList[] {
    return this.roundRobins.map((roundRobin) => ({
      roundRobin,
      tasks: roundRobin.tasksFor(targetsOf(roundRobin.settings.collector, config)),
    }));
  }

  #take(config: NetworkConfig, lists: readonly TaskList[]): Changes {
    const { instrumentation } = this.#options;
    this.#config = config;
    this.#plan();
    instrumentation.expectNetwork(this.name, this.#operations());
    for (const { collector } of this.#polled()) {
      instrumentation.expectCollector(this.name, collector.name);
      if (collector.targets !== undefined) instrumentation.expectHints(this.name, collector.name);
    }
    const changes = lists.map(({ roundRobin, tasks }) => roundRobin.update(tasks, this.#timesOf(roundRobin.settings)));
    return {
      removed: changes.flatMap(({ removed }) => removed),
      replaced: changes.flatMap(({ replaced }) => replaced),
    };
  }

  // Plans with the budget of the active upstream.
  #plan(): void {
    const { active } = this.upstreams;
    const { budget } = this.#config.upstreams.find(({ name }) => name === active.name) as UpstreamConfig;
    this.#pacings = planPolls(this.#config, budget);
    active.client.setPlan(peakByPriority(this.#pacings));
  }

  #timesOf({ collector }: TaskSettings): PollTimes {
    const pacing = this.#pacings.find((one) => one.collector === collector) as Pacing;
    const { intervalMs, configuredIntervalMs, maxAgeMs } = pacing;
    return { intervalMs, configuredIntervalMs, maxAgeMs };
  }

  // The collectors that have targets.
  #polled(): readonly Pacing[] {
    return this.#pacings.filter(({ targets }) => targets > 0);
  }

  #operations(): readonly string[] {
    const operations = [...this.#polled().flatMap(({ collector }) => collector.operations), ...upstreamOperations];
    return [...new Set(operations.map(({ name }) => name))];
  }

  #chainView(): ChainView | undefined {
    for (const task of this.wholeChain) {
      if (task.collector.chainView === undefined) continue;
      const { observation, lastSuccessAt } = this.#options.state.of(task);
      // A restored observation has no present tip.
      const view = lastSuccessAt === undefined ? undefined : task.collector.chainView(observation);
      if (view !== undefined) return view;
    }
    return undefined;
  }

  // The API follows another chain: observations of the old one are obsolete.
  #forget(): void {
    const { stateFile, clock, state } = this.#options;
    stateFile?.forgetNetwork(this.name, clock.now());
    for (const task of this.tasks) state.reset(task);
  }
}
