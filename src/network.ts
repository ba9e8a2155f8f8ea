// One running network: its upstreams, the tasks that poll it, and what it reports.
import type { BudgetRecord } from "./api/budget.ts";
import { commandsPart, exporterPart, MINUTES_PER_MONTH, sum } from "./api/budget-limits.ts";
import { Client } from "./api/client.ts";
import type { Clock } from "./api/clock.ts";
import { REASONS } from "./api/errors.ts";
import type { Redactor } from "./api/redact.ts";
import type { ChainView } from "./chain/view.ts";
import { type AnyCollector, targetsOf, wholeChain } from "./collectors/collector.ts";
import { collectorOf } from "./collectors/index.ts";
import type { Task } from "./collectors/task.ts";
import type { NetworkConfig, UpstreamConfig } from "./config/config.ts";
import { isRoundRobin, type Pacing, type PollTimes, peakByPriority, planPolls } from "./scheduler/pacing.ts";
import type { Poller } from "./scheduler/poller.ts";
import { RoundRobin, type TaskSettings } from "./scheduler/round-robin.ts";
import { runSchedules, type ScheduleOptions } from "./scheduler/schedule.ts";
import type { State } from "./store/state.ts";
import type { BudgetStore, Store } from "./store/store.ts";
import { clientObserver } from "./telemetry/client-observer.ts";
import type { Incidents, PollLog } from "./telemetry/incidents.ts";
import type { Instruments } from "./telemetry/instruments.ts";
import type { NetworkReport } from "./telemetry/reports.ts";
import { counters, OUTCOMES } from "./telemetry/self-counters.ts";
import { type UpstreamsOptions, upstreamOperations } from "./upstreams/check.ts";
import { Upstreams } from "./upstreams/upstreams.ts";

/** Dependencies and settings of a network. */
export interface NetworkOptions {
  readonly version: string;
  readonly clock: Clock;
  readonly instruments: Instruments;
  readonly state: State;
  /** Keeps the accepted chain for the next network of this name. */
  readonly store: Store;
  /** Keeps the used budgets. */
  readonly budgets: BudgetStore;
  /** Whether an exporter may use the same budgets: this one uses the part that it leaves. @default false */
  readonly isBeside?: boolean | undefined;
  /** Knows every secret of the configuration. */
  readonly redactor: Redactor;
  readonly log: UpstreamsOptions["log"] & PollLog;
  readonly incidents: Incidents;
}

const MAX_PROBE_MS = 60_000;

const rounded = (requests: number) => Math.round(requests * 100) / 100;

/** A network of the configuration. */
export class Network {
  readonly name: string;
  readonly upstreams: Upstreams;
  /** Tasks of collectors that observe the whole chain. */
  readonly wholeChain: readonly Task[];
  /** Collectors that observe watched principals. */
  readonly roundRobins: readonly RoundRobin[];
  readonly #options: NetworkOptions;
  /** The log has the failure. */
  #isFailureLogged = false;
  /** Unix time, milliseconds, of the whole chain's tasks. */
  readonly #due = new Map<Task, number>();
  readonly #stop = new AbortController();
  #running: readonly Promise<void>[] = [];
  #config: NetworkConfig;
  #pacings: readonly Pacing[];

  /** @throws StateFileError when the saved state of the network cannot be read. */
  constructor(config: NetworkConfig, options: NetworkOptions) {
    const { name: network, upstreams, collectors } = config;
    this.name = network;
    this.#config = config;
    this.#options = options;
    this.#pacings = planPolls(config, upstreams[0].budget);
    this.upstreams = new Upstreams({
      ...options,
      config,
      stop: this.#stop.signal,
      createClient: (upstream) => this.#createClient(upstream),
      // Also as it was before a restart: a server that lags behind that has old values.
      chain: () => this.#viewOf((collector, observation) => collector.chainView?.(observation), false),
      // Its budget is another one, and so are the intervals.
      onSwitch: () => this.#plan(),
    });
    const enabled = collectors.map((settings) => ({ ...settings, collector: collectorOf(settings.name) }));
    const isFollowed = enabled.some(({ collector }) => collector.chainView !== undefined);
    const chain = isFollowed ? () => this.#chainView() : undefined;
    const mined = () => this.#viewOf((collector, observation) => collector.minedView?.(observation));
    const waiting = () => this.#viewOf((collector, observation) => collector.waitingView?.(observation));
    const common = { network, chain, mined, waiting, client: this.upstreams };
    const settings = enabled.map(({ collector, options, schedule, timeoutMs, isHidden }): TaskSettings => {
      return { ...common, collector, options, schedule, timeoutMs, isHidden };
    });
    this.wholeChain = settings
      .filter(({ collector }) => !isRoundRobin(collector))
      .map((one) => ({ ...one, target: wholeChain(config), ...this.#timesOf(one) }));
    this.roundRobins = settings
      .filter(({ collector }) => isRoundRobin(collector))
      .map((one) => new RoundRobin(one, this.#timesOf(one)));
    this.take(config);
  }

  /** Its present configuration. */
  get config(): NetworkConfig {
    return this.#config;
  }

  /** All present tasks. */
  get tasks(): readonly Task[] {
    return [...this.wholeChain, ...this.roundRobins.flatMap(({ tasks }) => tasks)];
  }

  /** Takes a configuration that differs in the watch lists only. */
  take(config: NetworkConfig): void {
    this.#config = config;
    this.#plan();
    this.#createSeries();
  }

  /** Takes note of a successful poll: what it has observed makes targets due early. */
  observed(task: Task, observation: unknown): void {
    const { collector, target } = task;
    const { moved = [], isWaiting, isBehind } = collector.hints?.(observation, target) ?? {};
    for (const roundRobin of this.roundRobins) {
      for (const principal of moved) roundRobin.hint(principal, "moved");
      if (roundRobin.settings.collector !== collector) continue;
      if (isBehind || isWaiting) roundRobin.hint(target.key, "spare", isBehind);
    }
  }

  /** Time when the next poll of a task is due. Unix time, milliseconds; undefined when none is scheduled. */
  dueAt(task: Task): number | undefined {
    const { clock } = this.#options;
    const [elapsed] = this.roundRobins.flatMap((roundRobin) => roundRobin.dueAt(task) ?? []);
    return elapsed === undefined ? this.#due.get(task) : elapsed + clock.now() - clock.elapsed();
  }

  /** The current state of the active upstream's client, of the upstreams and of the plan. */
  report(): NetworkReport {
    const { active } = this.upstreams;
    const { budget, ...client } = active.client.snapshot();
    const { month } = budget;
    const planned = sum(this.#pacings.map(({ requestsPerMinute }) => requestsPerMinute));
    return {
      ...client,
      name: this.name,
      url: active.origin,
      upstreams: this.upstreams.all.map((one) => one.report(one === active)),
      blocked: active.chain.refused,
      budget: {
        minute: {
          planned: rounded(planned),
          limit: this.#budgetOf(active).perMinute,
          used: budget.usedLastMinute,
          available: budget.remaining,
        },
        month: {
          planned: rounded(planned * MINUTES_PER_MONTH),
          ...(month && { limit: month.limit, used: month.usedSinceStart, available: Math.floor(month.available) }),
        },
      },
    };
  }

  /** Polls on schedule until `close`. */
  start(poller: Poller): void {
    const options: ScheduleOptions = {
      clock: this.#options.clock,
      stop: this.#stop.signal,
      poll: (task, kind) => poller.poll(task, kind),
      onDue: (task, at) => this.#due.set(task, at),
    };
    this.#running = [runSchedules(this.wholeChain, this.roundRobins, options), this.upstreams.run()];
  }

  /** Ends schedules and every request, and saves the used budgets. Running polls must be cancelled before. */
  async close(): Promise<void> {
    this.#stop.abort(new DOMException("the network is no longer polled", "AbortError"));
    await Promise.all(this.#running);
    await Promise.all(this.upstreams.all.map(({ client }) => client.close()));
    this.saveBudgets();
  }

  /** Saves what is used of the budgets until now. */
  saveBudgets(): void {
    for (const upstream of this.upstreams.all) this.#saveBudget(upstream, upstream.client.budget.record());
  }

  #saveBudget(upstream: { readonly name: string }, record: BudgetRecord): void {
    const { budgets, log } = this.#options;
    try {
      budgets.saveBudget(`${this.name}/${upstream.name}`, record);
      this.#isFailureLogged = false;
    } catch (error) {
      if (!this.#isFailureLogged) log.error({ err: error }, "the used budget could not be saved");
      this.#isFailureLogged = true;
    }
  }

  #createClient(upstream: UpstreamConfig): Client {
    const { version, clock, redactor, budgets, isBeside } = this.#options;
    const { name, longestPauseMs, upstreams } = this.#config;
    const isPreferred = upstream === upstreams[0];
    const fields = { network: name, ...(upstreams.length === 1 ? {} : { upstream: upstream.name }) };
    // An API that is back is noticed by the next poll of the most frequent collector.
    const intervals = this.#polled().map(({ configuredIntervalMs }) => configuredIntervalMs);
    return new Client({
      baseUrl: upstream.url,
      key: upstream.apiKey,
      redactor,
      userAgent: `stacks-exporter/${version}`,
      budget: {
        ...(isBeside ? commandsPart : exporterPart)(upstream.budget),
        plannedPerMinute: isPreferred ? this.#planned() : [],
      },
      used: budgets.loadBudget(`${name}/${upstream.name}`),
      save: (record) => this.#saveBudget(upstream, record),
      longestPauseMs,
      probeEveryMs: Math.min(MAX_PROBE_MS, ...intervals),
      clock,
      observer: clientObserver({
        ...this.#options,
        network: name,
        fields,
        place: () => (this.upstreams.active.name === upstream.name ? name : `${name}/${upstream.name}`),
      }),
    });
  }

  // Every known label set starts at 0, so that `rate()` sees the first increase.
  #createSeries(): void {
    const { instruments } = this.#options;
    const network = this.name;
    instruments.add(counters.pauses, { network }, 0);
    const operations = [...this.#polled().flatMap(({ collector }) => collector.operations), ...upstreamOperations];
    for (const { name: operation } of operations)
      instruments.add(counters.requests, { network, operation, code: "200" }, 0);
    for (const { collector } of this.#polled()) {
      const labels = { network, collector: collector.name };
      for (const outcome of Object.keys(OUTCOMES)) instruments.add(counters.runs, { ...labels, outcome }, 0);
      for (const reason of Object.keys(REASONS)) instruments.add(counters.failures, { ...labels, reason }, 0);
    }
  }

  #budgetOf(upstream: { readonly name: string }): UpstreamConfig["budget"] {
    const { budget } = this.#config.upstreams.find(({ name }) => name === upstream.name) as UpstreamConfig;
    return budget;
  }

  // Plans with the budget of the active upstream.
  #plan(): void {
    const { active } = this.upstreams;
    this.#pacings = planPolls(this.#config, this.#budgetOf(active));
    active.client.budget.setPlan(this.#planned());
    for (const roundRobin of this.roundRobins) {
      const { collector, options } = roundRobin.settings;
      const targets = targetsOf(collector, this.#config, options);
      roundRobin.update(targets, this.#timesOf(roundRobin.settings), this.#options.clock.elapsed());
    }
  }

  // The small part of a command has no room for a reserve.
  #planned(): readonly number[] {
    return this.#options.isBeside ? [] : peakByPriority(this.#pacings);
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

  #chainView(): ChainView | undefined {
    return this.#viewOf((collector, observation) => collector.chainView?.(observation));
  }

  /**
   * The first view that a collector of the whole chain offers to the others.
   * @param isCurrent whether one as it was before a restart has no information. @default true
   */
  #viewOf<View>(
    offered: (collector: AnyCollector, observation: unknown) => View | undefined,
    isCurrent = true,
  ): View | undefined {
    const { state } = this.#options;
    for (const task of this.wholeChain) {
      if (isCurrent && state.of(task).lastSuccessAt === undefined) continue;
      const observation = state.observationOf(task);
      const view = observation === undefined ? undefined : offered(task.collector, observation);
      if (view !== undefined) return view;
    }
    return undefined;
  }
}
