// One running network: its upstreams, the targets that it polls, and what it reports.
import { isDeepStrictEqual } from "node:util";
import { Budget, type BudgetRecord, commandsPart, exporterPart, MINUTES_PER_MONTH, sum } from "./api/budget.ts";
import { Client } from "./api/client.ts";
import { REASONS } from "./api/errors.ts";
import type { Redactor } from "./api/redact.ts";
import { type Task, targetsOf, type Views } from "./collectors/collector.ts";
import { configuredSamples } from "./collectors/configured.ts";
import { collectors as allCollectors, collectorOf } from "./collectors/index.ts";
import type { NetworkConfig, UpstreamConfig } from "./config/settings.ts";
import type { Exposition } from "./exposition/exposition.ts";
import { demandsOf, firstPollsMs, type Pacing, pace, peakByPriority } from "./scheduler/pacing.ts";
import { Poller, type PollerOptions } from "./scheduler/poller.ts";
import { RoundRobin } from "./scheduler/round-robin.ts";
import { runSchedules } from "./scheduler/schedule.ts";
import { keyOf } from "./store/state.ts";
import type { Store } from "./store/store.ts";
import { clientObserver, Incidents } from "./telemetry/incidents.ts";
import { events } from "./telemetry/self-metrics.ts";
import type { NetworkReport } from "./telemetry/status.ts";
import { type UpstreamsOptions, upstreamOperations } from "./upstreams/check.ts";
import { Upstreams } from "./upstreams/upstreams.ts";

/** Dependencies and settings of a network. */
export interface NetworkOptions extends Omit<PollerOptions, "client" | "views" | "stop" | "incidents" | "onObserved"> {
  readonly version: string;
  /** Keeps the accepted chain for the next network of this name. */
  readonly store: Store;
  readonly budgets: Store;
  /** Whether an exporter may use the same budgets: this one uses the part that it leaves. @default false */
  readonly isBeside?: boolean | undefined;
  readonly redactor: Redactor;
  readonly log: UpstreamsOptions["log"] & PollerOptions["log"];
  readonly exposition: Exposition;
}

const MAX_PROBE_MS = 60_000;

const rounded = (requests: number) => Math.round(requests * 100) / 100;

/** A network of the configuration. */
export class Network {
  readonly name: string;
  readonly upstreams: Upstreams;
  readonly poller: Poller;
  readonly #options: NetworkOptions;
  readonly #incidents = new Incidents();
  readonly #stop = new AbortController();
  readonly #rounds: readonly RoundRobin[];
  #running: readonly Promise<void>[] = [];
  #config: NetworkConfig;
  #pacings: readonly Pacing[] = [];
  /** Unix time, milliseconds. */
  #firstPollsEndAt = 0;

  constructor(config: NetworkConfig, options: NetworkOptions) {
    const { name: network, collectors } = config;
    const stop = this.#stop.signal;
    this.name = network;
    this.#config = config;
    this.#options = options;
    this.upstreams = new Upstreams({
      ...options,
      config,
      stop,
      createClient: (upstream) => this.#createClient(upstream),
      // Also as it was before a restart: a server that lags behind that has old values.
      chain: () => this.#views(false).chain,
      // Its budget is another one, and so are the intervals.
      onSwitch: () => {
        this.#plan();
        for (const round of this.#rounds) round.retry();
      },
    });
    this.poller = new Poller({
      ...options,
      client: this.upstreams,
      views: () => this.#views(),
      stop,
      incidents: this.#incidents,
      onObserved: (...of) => this.#observed(...of),
    });
    this.#rounds = collectors.map(({ name, options: settings, cron, timeoutMs, isHidden }) => {
      const collector = collectorOf(name);
      return new RoundRobin({ network, collector, options: settings, cron, timeoutMs, isHidden });
    });
    this.#take();
  }

  get tasks(): readonly Task[] {
    return this.#rounds.flatMap(({ tasks }) => tasks);
  }

  /** Takes a configuration that differs in the watch lists only; false if another setting differs. */
  take(config: NetworkConfig): boolean {
    if (!isDeepStrictEqual(settingsOf(this.#config), settingsOf(config))) return false;
    for (const list of ["addresses", "contracts"] as const)
      if (this.#config[list].length > 0 && config[list].length === 0)
        this.#options.log.warn({ network: this.name }, `the list of ${list} is empty now: none are watched`);
    const before = this.tasks;
    this.#config = config;
    this.#take();
    const kept = new Set(this.tasks);
    for (const task of before) if (!kept.has(task)) this.poller.cancel(task);
    return true;
  }

  /** The current state of the active upstream's client, of the upstreams and of the plan. */
  report(): NetworkReport {
    const { active } = this.upstreams;
    const { budget, ...client } = active.client.snapshot();
    const planned = sum(this.#pacings.map(({ requestsPerMinute }) => requestsPerMinute));
    return {
      ...client,
      name: this.name,
      url: active.origin,
      upstreams: this.upstreams.all.map((one) => one.report(one === active)),
      blocked: active.chain.refused,
      first_polls_end_at: this.#firstPollsEndAt,
      budget: {
        minute: { planned: rounded(planned), limit: active.budget.perMinute, ...budget.minute },
        month: { planned: rounded(planned * MINUTES_PER_MONTH), ...budget.month },
      },
    };
  }

  /** Polls on schedule until `close`. */
  start(): void {
    const poll = this.poller.poll.bind(this.poller);
    const waitFor: Client["waitFor"] = (...of) => this.upstreams.active.client.waitFor(...of);
    const options = { clock: this.#options.clock, stop: this.#stop.signal, waitFor, poll };
    this.#running = [runSchedules(this.#rounds, options), this.upstreams.run()];
  }

  /** Ends schedules, polls and every request, and saves the used budgets. */
  async close(): Promise<void> {
    this.#stop.abort(new DOMException("the network is no longer polled", "AbortError"));
    await Promise.all(this.#running);
    await Promise.all(this.upstreams.all.map(({ client }) => client.close()));
    for (const { name, client } of this.upstreams.all) this.#saveBudget(name, client.budget.record());
  }

  /** Removes what it exposes, after `close`. Its counters continue if it returns. */
  remove(): void {
    this.#removeAudits();
    this.#options.exposition.remove(`${this.name}/configuration`);
    this.#options.state.follow(this.name, []);
  }

  /** Removes the times of the last audits, which a poll sets: of collectors that are not polled, only counters stay. */
  #removeAudits(polled: readonly Pacing[] = []): void {
    const names = new Set(polled.map(({ collector }) => collector.name));
    for (const { name: collector } of allCollectors)
      if (!names.has(collector)) this.#options.instruments.remove(events.cleanAudit, { network: this.name, collector });
  }

  #saveBudget(upstream: string, record: BudgetRecord): void {
    const { budgets, log } = this.#options;
    try {
      budgets.saveBudget(`${this.name}/${upstream}`, record);
      this.#incidents.end(this);
    } catch (error) {
      if (this.#incidents.begin(this, "budget not saved"))
        log.error({ err: error }, "the used budget could not be saved");
    }
  }

  #createClient(upstream: UpstreamConfig): Client {
    const { version, clock, redactor, budgets, isBeside } = this.#options;
    const { name, longestPauseMs, upstreams, collectors } = this.#config;
    const isOnly = upstreams.length === 1;
    const limits = (isBeside ? commandsPart : exporterPart)(upstream.budget);
    const used = budgets.budgets().get(`${name}/${upstream.name}`);
    const save = (record: BudgetRecord) => this.#saveBudget(upstream.name, record);
    return new Client({
      baseUrl: upstream.url,
      key: upstream.apiKey,
      redactor,
      userAgent: `stacks-exporter/${version}`,
      budget: new Budget(limits, clock, used, save, longestPauseMs),
      // An API that is back is noticed by the next poll of the most frequent collector.
      probeEveryMs: Math.min(MAX_PROBE_MS, ...collectors.map(({ intervalMs }) => intervalMs)),
      clock,
      observer: clientObserver({
        ...this.#options,
        network: name,
        incidents: this.#incidents,
        fields: { network: name, ...(!isOnly && { upstream: upstream.name }) },
        upstream: upstream.name,
        onRecovered: () => {
          for (const round of this.#rounds) round.retry();
        },
      }),
    });
  }

  #take(): void {
    const { state, exposition, instruments, clock } = this.#options;
    const { name: network, summedGroups } = this.#config;
    const known = new Set(this.tasks.map(keyOf));
    this.#plan();
    const added = this.tasks.filter((task) => !known.has(keyOf(task)));
    const targetsOf = (of: Pacing) => added.filter(({ collector }) => collector === of.collector).length;
    const first = this.#pacings.map((pacing) => ({ ...pacing, targets: targetsOf(pacing) }));
    const end = added.length === 0 ? 0 : clock.now() + firstPollsMs(first, this.upstreams.active.budget);
    this.#firstPollsEndAt = Math.max(this.#firstPollsEndAt, end);
    const groups = this.#rounds.flatMap(({ settings }) => {
      const { name: collector, sums } = settings.collector;
      return sums === undefined ? [] : summedGroups.map((group) => ({ network, collector, group, sums }));
    });
    state.follow(network, this.tasks, groups, clock.now());
    exposition.set(`${network}/configuration`, configuredSamples(this.#config));
    // Every known label set starts at 0, so that `rate()` sees the first increase.
    instruments.add(events.pauses, { network }, 0);
    const polled = this.#pacings.filter(({ targets }) => targets > 0);
    this.#removeAudits(polled);
    const operations = [...polled.flatMap(({ collector }) => collector.operations), ...upstreamOperations];
    for (const { name: operation } of operations)
      instruments.add(events.requests, { network, operation, code: "200" }, 0);
    for (const { collector } of polled) {
      const labels = { network, collector: collector.name };
      instruments.add(events.runs, labels, 0);
      for (const reason of Object.keys(REASONS)) instruments.add(events.failures, { ...labels, reason }, 0);
    }
  }

  // Plans with the budget of the active upstream.
  #plan(): void {
    const { client, budget } = this.upstreams.active;
    const { clock, isBeside } = this.#options;
    this.#pacings = pace(demandsOf(this.#config), budget);
    // The small part of a command has no room for a reserve.
    client.budget.setPlan(isBeside ? [] : peakByPriority(this.#pacings, budget));
    for (const round of this.#rounds) {
      const { collector, options } = round.settings;
      const times = this.#pacings.find((one) => one.collector === collector) as Pacing;
      round.update(targetsOf(collector, this.#config, options), times, clock.elapsed());
    }
  }

  // What a poll has observed makes targets due early.
  #observed({ collector, target }: Task, observation: unknown, isFirst: boolean): void {
    const { moved = [], seen = [], isWaiting, isBehind, isUrgent } = collector.hints?.(observation, target) ?? {};
    for (const round of this.#rounds) {
      if ((isFirst || isUrgent) && round.settings.collector.after === collector.name)
        round.hint("", isFirst ? "moved" : "spare", isFirst);
      for (const principal of moved) round.hint(principal, "moved");
      // What counts waits for its confirmations.
      if (round.settings.collector.counts === undefined) for (const principal of seen) round.hintLimited(principal);
      if (round.settings.collector === collector && target.key !== "" && (isBehind || isWaiting))
        round.hint(target.key, "spare", isBehind);
    }
  }

  /** What the collectors offer. @param isCurrent whether it is known only after a poll, and not from a restart on */
  #views(isCurrent = true): Views {
    const { state } = this.#options;
    const tasks = this.#rounds.filter(({ settings }) => settings.collector.views).flatMap((round) => round.tasks);
    const known = tasks.filter((task) => !isCurrent || state.of(task).lastSuccessAt !== undefined);
    return Object.assign({}, ...known.map((task) => viewsOf(task, state.observationOf(task))));
  }
}

const viewsOf = ({ collector }: Task, observation: unknown): Views =>
  observation === undefined ? {} : (collector.views?.(observation) ?? {});

/** All settings but the watch lists. */
function settingsOf({ addresses, summed, contracts, watchFiles, upstreams, ...settings }: NetworkConfig) {
  // Keys compare as values.
  const revealed = upstreams.map(({ apiKey, ...upstream }) => ({ ...upstream, key: apiKey?.() }));
  return { ...settings, upstreams: revealed };
}
