// One network as it runs: its upstreams, what is polled on it, and what it reports.
import { isDeepStrictEqual } from "node:util";
import { type Client, createClient } from "./api/client.ts";
import type { Clock } from "./api/clock.ts";
import type { Redactor } from "./api/redact.ts";
import type { ChainView } from "./collectors/chain/chain-view.ts";
import { type AnyCollector, type Target, targetsOf } from "./collectors/collector.ts";
import { collectorOf } from "./collectors/index.ts";
import type { PollClient, Task } from "./collectors/task.ts";
import type { CollectorConfig, NetworkConfig, UpstreamConfig } from "./config/config.ts";
import { busyCollectors, type NetworkPlan, planNetwork } from "./plan.ts";
import { type Cause, type Pace, type Renewal, Sweep } from "./scheduler/round-robin.ts";
import type { State } from "./storage/state.ts";
import type { StateFile } from "./storage/state-file.ts";
import { withIncidents } from "./telemetry/api-incidents.ts";
import type { Incidents, PollLog } from "./telemetry/incidents.ts";
import type { Work } from "./telemetry/instrumentation.ts";
import type { NetworkReport } from "./telemetry/report.ts";
import { upstreamOperations } from "./upstreams/read-chain.ts";
import { Upstreams, type UpstreamsOptions } from "./upstreams/upstreams.ts";

interface Parts {
  readonly version: string;
  readonly clock: Clock;
  readonly work: Work;
  readonly state: State;
  readonly store: StateFile | undefined;
  readonly redactor: Redactor;
  readonly log: UpstreamsOptions["log"] & PollLog;
  readonly incidents: Incidents;
  /** Aborted at shutdown. */
  readonly stop: AbortSignal;
}

/** A watch list that is ready to be taken. */
export interface Preparation {
  /** Tasks of targets that were not watched before. */
  readonly added: readonly Task[];
  /** Takes it; says what is polled no more, or otherwise. */
  readonly apply: () => Renewal;
}

/** A task of a sweep: its times are those of the sweep, whatever they are now. */
class SweptTask implements Task {
  readonly network: string;
  readonly collector: AnyCollector;
  readonly target: Target;
  readonly chain: Task["chain"];
  readonly options: unknown;
  readonly client: PollClient;
  readonly schedule: Task["schedule"];
  readonly timeoutMs: number;
  readonly #sweep: Sweep;

  constructor(network: Network, { options, schedule, timeoutMs }: CollectorConfig, sweep: Sweep, target: Target) {
    this.network = network.name;
    this.collector = collectorOf(sweep.collector);
    this.target = target;
    this.chain = network.chain;
    this.options = options;
    this.client = network.upstreams;
    this.schedule = schedule;
    this.timeoutMs = timeoutMs;
    this.#sweep = sweep;
  }

  get intervalMs(): number {
    return this.#sweep.pace.intervalMs;
  }
  get wishedIntervalMs(): number {
    return this.#sweep.pace.wishedIntervalMs;
  }
  get maxAgeMs(): number {
    return this.#sweep.pace.maxAgeMs;
  }
}

/** A network of the configuration. */
export class Network {
  readonly name: string;
  readonly upstreams: Upstreams;
  /** Tasks that look at the whole chain. */
  readonly fixed: readonly Task[];
  /** Those that look at watched principals, by collector. */
  readonly sweeps: readonly Sweep[];
  /** What is known of the chain now; undefined when no collector follows it. */
  readonly chain: Task["chain"];
  readonly #parts: Parts;
  #config: NetworkConfig;
  #plan: NetworkPlan;

  /** @throws StateFileError when what is saved of the network cannot be read. */
  constructor(config: NetworkConfig, parts: Parts) {
    const { clock, work, state, store, log, incidents, stop } = parts;
    this.name = config.name;
    this.#config = config;
    this.#parts = parts;
    this.#plan = planNetwork(config);
    work.expectUpstreams(
      config.name,
      config.upstreams.map(({ name }) => name),
    );
    this.upstreams = new Upstreams({
      ...{ config, clock, stop, log, incidents },
      store,
      createClient: (upstream) => this.#createClient(upstream),
      knownTip: () => this.chain?.()?.tipHeight,
      onSwitch: ({ name }) => {
        work.switched(config.name, name);
        this.#replan();
      },
      onDisagreement: ({ name }) => work.disagreed(config.name, name),
      onNewChain: () => this.#forget(),
    });
    const enabled = config.collectors.map((settings) => ({ settings, collector: collectorOf(settings.name) }));
    const isFollowed = enabled.some(({ collector }) => collector.chainView !== undefined);
    this.chain = isFollowed ? () => chainView(this.fixed, state) : undefined;
    this.fixed = enabled.flatMap(({ settings, collector }) =>
      collector.targets === undefined ? [this.#fixedTask(settings, collector)] : [],
    );
    this.sweeps = enabled.flatMap(({ settings, collector }) =>
      collector.targets === undefined ? [] : [new Sweep(config.name, collector.name, this.#paceOf(settings))],
    );
    this.prepare(config).apply();
  }

  /** Every task there is now. */
  get tasks(): readonly Task[] {
    return [...this.fixed, ...this.sweeps.flatMap(({ tasks }) => tasks)];
  }

  /** Makes ready what the watch list of a configuration, which is otherwise the same, asks for; nothing changes before `apply`. */
  prepare(config: NetworkConfig): Preparation {
    const lists = this.sweeps.map((sweep) => {
      const settings = config.collectors.find(({ name }) => name === sweep.collector) as CollectorConfig;
      const known = new Map(sweep.tasks.map((task) => [task.target.key, task]));
      const tasks = targetsOf(collectorOf(sweep.collector), config).map((target) => {
        const task = known.get(target.key);
        return task !== undefined && isDeepStrictEqual(task.target, target)
          ? task
          : new SweptTask(this, settings, sweep, target);
      });
      return { sweep, settings, tasks, added: tasks.filter(({ target }) => !known.has(target.key)) };
    });
    const apply = () => {
      this.#config = config;
      this.#plan = this.#planNow();
      this.upstreams.active.client.setPlan(plannedPerMinute(this.#plan));
      this.#parts.work.expectNetwork(this.name, this.#operations());
      for (const { name } of busyCollectors(config)) this.#parts.work.expectCollector(this.name, name);
      const renewals = lists.map(({ sweep, settings, tasks }) => {
        if (tasks.length > 0) this.#parts.work.expectHints(this.name, sweep.collector);
        return sweep.renew(tasks, this.#paceOf(settings));
      });
      return {
        gone: renewals.flatMap(({ gone }) => gone),
        replaced: renewals.flatMap(({ replaced }) => replaced),
      };
    };
    return { added: lists.flatMap(({ added }) => added), apply };
  }

  /** Lets the sweeps know who should not wait for its turn, now that this was observed of a task. */
  note({ collector, target }: Task, observation: unknown): void {
    const sighting = collector.sighting?.(observation, target);
    if (sighting === undefined) return;
    const { seen, isBehind } = sighting;
    for (const sweep of this.sweeps) {
      const hint = (key: string, cause: Cause) => {
        if (sweep.hint(key, cause)) this.#parts.work.hint(this.name, sweep.collector, cause);
      };
      if (isBehind && sweep.collector === collector.name) hint(target.key, "behind");
      for (const principal of seen) hint(principal, "seen");
    }
  }

  /** Time between two turns of a task's sweep. Milliseconds. */
  spacingOf({ collector }: Task): number {
    return this.sweeps.find((sweep) => sweep.collector === collector.name)?.spacingMs ?? 0;
  }

  /** What the upstreams and the plan say now. */
  report(): NetworkReport {
    const { active } = this.upstreams;
    const { budget, pausedUntil, longestPauseMs, outage, retired, rateLimits } = active.client.snapshot();
    const used = budget.usedLastMinute;
    return {
      network: this.name,
      origin: active.origin,
      upstreams: this.upstreams.report(),
      blocked: this.upstreams.blocked(),
      plannedPerMinute: this.#plan.requestsPerMinute,
      operations: this.#operations(),
      minute: { limit: budget.perMinute, used, remaining: budget.remaining },
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

  /** Saves how much of each upstream's budget is used. @throws StateFileError */
  saveBudgets(): void {
    const { store, clock } = this.#parts;
    for (const { name, client } of this.upstreams.all) {
      store?.saveBudget(budgetKey(this.name, name), client.budgetRecord(), clock.now());
    }
  }

  #createClient(upstream: UpstreamConfig): Client {
    const { version, clock, log, incidents, redactor, work, store } = this.#parts;
    const { name, maxBodyBytes, longestPauseMs, upstreams } = this.#config;
    const isFirst = upstream === upstreams[0];
    return createClient({
      baseUrl: upstream.url,
      key: upstream.apiKey,
      keyHeader: upstream.apiKeyHeader,
      redactor,
      userAgent: `stacks-exporter/${version}`,
      budget: { ...upstream.budget, plannedPerMinute: isFirst ? plannedPerMinute(this.#plan) : [] },
      // Files of versions without upstreams have the record under the name of the network.
      used: store?.loadBudget(budgetKey(name, upstream.name)) ?? (isFirst ? store?.loadBudget(name) : undefined),
      maxBodyBytes,
      longestPauseMs,
      longestProbeMs: longestProbeMs(this.#config),
      clock,
      observer: withIncidents(work.observerOf(name), {
        ...{ incidents, log, clock },
        fields: { network: name, ...(upstreams.length === 1 ? {} : { upstream: upstream.name }) },
        place: () => (this.upstreams.active.name === upstream.name ? name : `${name}/${upstream.name}`),
      }),
    });
  }

  #planNow(): NetworkPlan {
    const active = this.#config.upstreams.find(({ name }) => name === this.upstreams.active.name);
    return planNetwork(this.#config, active);
  }

  // The active upstream has another budget than the one before, so targets may be polled at another pace.
  #replan(): void {
    this.#plan = this.#planNow();
    this.upstreams.active.client.setPlan(plannedPerMinute(this.#plan));
    for (const sweep of this.sweeps) {
      const settings = this.#config.collectors.find(({ name }) => name === sweep.collector) as CollectorConfig;
      sweep.renew(sweep.tasks, this.#paceOf(settings));
    }
    this.#parts.state.recomputeExpiry();
  }

  // The chain is another one: nothing that is known of the old one may be continued.
  #forget(): void {
    const { store, clock, state } = this.#parts;
    store?.forgetNetwork(this.name, clock.now());
    for (const task of this.tasks) state.reset(task);
  }

  #operations(): readonly string[] {
    const busy = busyCollectors(this.#config).map(({ name }) => collectorOf(name));
    const operations = [...busy.flatMap(({ operations }) => operations), ...upstreamOperations];
    return [...new Set(operations.map(({ name }) => name))];
  }

  #paceOf({ name, intervalMs, maxAgeMs }: CollectorConfig): Pace {
    const row = this.#plan.collectors.find(({ collector }) => collector === name);
    return {
      intervalMs: Math.max(intervalMs, (row?.roundSeconds ?? 0) * 1000),
      wishedIntervalMs: intervalMs,
      maxAgeMs: Math.max(maxAgeMs, (row?.worstAgeSeconds ?? 0) * 1000),
    };
  }

  #fixedTask(settings: CollectorConfig, collector: AnyCollector): Task {
    const { options, schedule, timeoutMs } = settings;
    const [target] = targetsOf(collector, this.#config) as [Target];
    const common = { network: this.name, collector, target, options, client: this.upstreams, schedule, timeoutMs };
    return { ...common, ...this.#paceOf(settings), chain: this.chain };
  }
}

function chainView(tasks: readonly Task[], state: State): ChainView | undefined {
  for (const task of tasks) {
    if (task.collector.chainView === undefined) continue;
    const { observation, lastSuccessAt } = state.of(task);
    // What the process before left says nothing of the tip of today.
    const view = lastSuccessAt === undefined ? undefined : task.collector.chainView(observation);
    if (view !== undefined) return view;
  }
  return undefined;
}

const MOST_PROBE_MS = 60_000;

// An API that is back is noticed by the next poll of the most frequent collector.
function longestProbeMs(config: NetworkConfig): number {
  return Math.min(MOST_PROBE_MS, ...busyCollectors(config).map(({ intervalMs }) => intervalMs));
}

const budgetKey = (network: string, upstream: string) => `${network}/${upstream}`;

function plannedPerMinute({ collectors }: NetworkPlan): number[] {
  const planned: number[] = [];
  for (const { collector, peakPerMinute } of collectors) {
    const { priority } = collectorOf(collector);
    planned[priority] = (planned[priority] ?? 0) + peakPerMinute;
  }
  return Array.from(planned, (requests) => requests ?? 0);
}
