// The one place where the parts are put together. Started once, polled and served until stopped.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Logger } from "pino";
import type { Clock } from "./api/clock.ts";
import type { Redactor } from "./api/redact.ts";
import { collectorFamilies } from "./collectors/index.ts";
import { keyOf, type Task } from "./collectors/task.ts";
import type { Config } from "./config/config.ts";
import type { Loaded } from "./config/load.ts";
import { formatMistake } from "./config/mistakes.ts";
import { redactorOf } from "./config/secret.ts";
import { followFiles } from "./config/watch-changes.ts";
import { Exposition } from "./exposition/exposition.ts";
import type { Family, Sample } from "./exposition/family.ts";
import { MetricsPage } from "./http/page.ts";
import { closeServer, createHttpServer } from "./http/server.ts";
import { Network } from "./network.ts";
import { Poller } from "./scheduler/poller.ts";
import { runSchedules } from "./scheduler/schedule.ts";
import { State } from "./storage/state.ts";
import type { StateFile } from "./storage/state-file.ts";
import { Incidents } from "./telemetry/incidents.ts";
import { Work } from "./telemetry/instrumentation.ts";
import type { WatchListReport } from "./telemetry/report.ts";
import * as own from "./telemetry/self-metrics.ts";
import { networkStatuses, type Selection, type Status, type StatusSources, statusOf } from "./telemetry/status.ts";
import { networkSamples, stateFileSamples, watchListSamples } from "./telemetry/status-samples.ts";

/** What an app is made of. */
export interface AppOptions {
  readonly config: Config;
  readonly version: string;
  readonly log: Logger;
  readonly clock: Clock;
  /** Loads the configuration again, with watch lists as they are now. @default the files are not followed */
  readonly reload?: (() => Promise<Loaded>) | undefined;
  /** Where counters and the used budget outlive the process; closed by `stop`. @default nowhere */
  readonly store?: StateFile | undefined;
}

const MOST_POLLS_AT_ONCE = 20;
// A few milliseconds' worth.
const RESTORED_AT_ONCE = 50;
// Together below the five seconds that a stop may take.
const SCRAPE_GRACE_MS = 3000;
const BUDGETS_SAVED_AFTER_MS = 1000;

/** A running exporter. */
export class App {
  readonly page: MetricsPage;
  readonly log: Logger;
  readonly #options: AppOptions;
  readonly #state: State;
  readonly #exposition: Exposition;
  readonly #families: readonly Family[];
  readonly #work = new Work(() => this.#saveBudgetsSoon());
  #isSaving = false;
  readonly #poller: Poller;
  readonly #networks: readonly Network[];
  readonly #stop = new AbortController();
  #watchList: WatchListReport | undefined;
  readonly #due = new WeakMap<Task, number>();
  readonly #startedAt: number;
  readonly #redactor: Redactor;
  #server: Server | undefined;
  #running: readonly Promise<void>[] = [];

  /** @throws StateFileError when the state file cannot be used. */
  constructor(options: AppOptions) {
    const { config, clock, log, version, store } = options;
    this.#options = options;
    this.#startedAt = clock.now();
    this.#redactor = redactorOf(config.networks.flatMap(({ upstreams }) => upstreams));
    this.log = log;
    this.#families = [...collectorFamilies, ...own.selfMetrics, ...this.#work.instruments.watchProcess()];
    this.#exposition = new Exposition(this.#families);
    this.#state = new State(this.#exposition, store);
    const incidents = new Incidents();
    const parts = {
      ...{ version, clock, log, store, incidents, redactor: this.#redactor },
      ...{ stop: this.#stop.signal, work: this.#work, state: this.#state },
    };
    this.#networks = config.networks.map((network) => new Network(network, parts));
    for (const task of this.tasks) this.#state.restore(task);
    if (this.#watchFiles().length > 0) this.#watchList = { lastSuccessAt: clock.now() };
    this.page = new MetricsPage({
      exposition: this.#exposition,
      expire: (now) => this.#state.expire(now),
      ownSamples: () => this.#ownSamples(version),
      now: () => clock.now(),
      onError: (error) => log.error({ err: error }, "the exporter's own samples could not be made"),
    });
    this.#poller = new Poller({
      ...{ state: this.#state, clock, log, incidents },
      stop: this.#stop.signal,
      // Of what is left each poll may have a part, because so many can be under way.
      spareSeries: () => Math.max(0, Math.floor((config.maxSeries - this.#exposition.size) / MOST_POLLS_AT_ONCE)),
      onRun: ({ task, outcome, reason, seconds }) => {
        this.#work.run(task.network, task.collector.name, outcome, reason, seconds);
        this.page.touch();
      },
      onObserved: (task, observation) =>
        this.#networks.find(({ name }) => name === task.network)?.note(task, observation),
    });
  }

  /** Every task there is now. */
  get tasks(): readonly Task[] {
    return this.#networks.flatMap(({ tasks }) => tasks);
  }

  // Every request is known to the next process a second later, even when this one is killed.
  #saveBudgetsSoon(): void {
    if (this.#options.store === undefined || this.#isSaving) return;
    this.#isSaving = true;
    this.#options.clock.sleep(BUDGETS_SAVED_AFTER_MS, this.#stop.signal).then(
      () => {
        this.#isSaving = false;
        this.#saveBudgets();
      },
      () => undefined, // stopped, which saves them
    );
  }

  #saveBudgets(): void {
    try {
      for (const network of this.#networks) network.saveBudgets();
    } catch (error) {
      this.log.error({ err: error }, "the used budget could not be saved");
    }
  }

  async #ownSamples(version: string): Promise<Sample[]> {
    const { store } = this.#options;
    const samples = [
      ...(await this.#work.instruments.samples()),
      own.buildInfo.at({ version, node_version: process.version }, 1),
      ...networkStatuses(this.#statusSources()).flatMap((network) => [...networkSamples(network)]),
      ...(this.#watchList === undefined ? [] : watchListSamples(this.#watchList)),
      ...(store === undefined ? [] : stateFileSamples(store.facts())),
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
    counts.set(own.seriesLimit as Family, 1);
    counts.set(own.series as Family, counts.size + 1);
    for (const [family, count] of counts) yield own.series.at({ family: family.name }, count);
    yield own.seriesLimit.at({}, this.#options.config.maxSeries);
  }

  /** The networks that are not polled, the collectors of which no target has succeeded yet, and why. */
  missing(): { what: string; why: string }[] {
    const blocked = this.#networks.flatMap(({ name, upstreams }) => {
      const why = upstreams.blocked();
      return why === undefined ? [] : [{ what: name, why: `${why.reason}: ${why.message}` }];
    });
    return [...blocked, ...this.#unpolled()];
  }

  #unpolled(): { what: string; why: string }[] {
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

  #statusSources(): StatusSources {
    return {
      tasks: this.tasks,
      state: this.#state,
      networks: this.#networks.map((network) => network.report()),
      dueAt: (task) => this.#due.get(task),
      now: this.#options.clock.now(),
    };
  }

  /** The status now, with one page of the selected targets. */
  status(selection: Selection): Status {
    return statusOf(this.#statusSources(), this.#watchList, selection);
  }

  /** Listens and starts to poll; resolves with the address when the server listens. Throws when it cannot listen. */
  async start(): Promise<AddressInfo> {
    const { config, version, log, clock } = this.#options;
    const server = createHttpServer({
      page: this.page,
      missing: () => this.missing(),
      program: { version, startedAt: this.#startedAt },
      known: {
        networks: config.networks.map(({ name }) => name),
        collectors: [...new Set(config.networks.flatMap(({ collectors }) => collectors.map(({ name }) => name)))],
      },
      statusOf: (selection) => this.status(selection),
      mask: (text) => this.#redactor.mask(text),
      onError: (error) => log.error({ err: error }, "a page could not be made"),
      onRefused: (reason) => this.#work.httpRefused(reason),
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ ...config.listen }, () => resolve());
    });
    this.#server = server;
    const stop = this.#stop.signal;
    const onDue = (task: Task, at: number) => this.#due.set(task, at);
    const rota = {
      tasks: this.#networks.flatMap(({ fixed }) => fixed),
      sweeps: this.#networks.flatMap(({ sweeps }) => sweeps),
    };
    this.#running = [
      runSchedules(rota, { clock, stop, poll: (task, isEarly) => this.#poller.poll(task, isEarly), onDue, log }),
      ...this.#networks.map(({ upstreams }) => upstreams.run()),
      followFiles(this.#watchFiles(), { clock, stop, onChange: () => this.#reloadSafely() }),
    ];
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

  // Without somebody who can load them again there is nothing to follow.
  #watchFiles(): readonly string[] {
    const { config, reload } = this.#options;
    return reload === undefined ? [] : [...new Set(config.networks.flatMap(({ watchFiles }) => watchFiles))];
  }

  #reloadSafely(): Promise<void> {
    return this.reload().catch((error) => this.log.error({ err: error }, "the watch list could not be read again"));
  }

  /** Takes the watch lists as they are now; when something is wrong with them, says what, and goes on with the old ones. */
  async reload(): Promise<void> {
    const { reload, clock } = this.#options;
    if (reload === undefined) return;
    const loaded = await reload();
    this.page.touch();
    if (!loaded.ok) {
      for (const mistake of loaded.mistakes) this.log.error({}, formatMistake(mistake));
      this.log.error({ mistakes: loaded.mistakes.length }, "the watch list is wrong; the one before stays in force");
      this.#watchList = {
        lastSuccessAt: this.#watchList?.lastSuccessAt ?? clock.now(),
        failure: {
          message: loaded.mistakes.slice(0, 1).map(formatMistake).join(""),
          errors: loaded.mistakes.length,
          since: this.#watchList?.failure?.since ?? clock.now(),
        },
      };
      return;
    }
    const before = this.tasks.length;
    for (const network of this.#networks) {
      const config = loaded.config.networks.find(({ name }) => name === network.name);
      if (config === undefined) continue;
      const { added, apply } = network.prepare(config);
      // Who was watched before goes on from there: known before the first poll, which must not begin anew.
      for (const [place, task] of added.entries()) {
        if (place % RESTORED_AT_ONCE === 0) await nextTurn();
        this.#state.restore(task);
      }
      const { gone, replaced } = apply();
      for (const [turn, task] of added.entries()) this.#due.set(task, clock.now() + turn * network.spacingOf(task));
      for (const task of gone) {
        this.#poller.drop(task);
        this.#state.forget(task);
      }
      for (const { before, after } of replaced) {
        this.#poller.drop(before);
        this.#state.replace(before, after);
        const due = this.#due.get(before);
        if (due !== undefined) this.#due.set(after, due);
      }
    }
    this.#state.recomputeExpiry();
    this.#watchList = { lastSuccessAt: clock.now() };
    this.log.info({ before, now: this.tasks.length }, "the watch list was read again");
  }

  /** No new polls, running ones aborted, open scrapes finished; resolves when all of it is done. */
  async stop(): Promise<void> {
    this.#stop.abort(new DOMException("the exporter stops", "AbortError"));
    await Promise.all([
      ...this.#running,
      this.#server === undefined ? undefined : closeServer(this.#server, SCRAPE_GRACE_MS),
    ]);
    await Promise.all(this.#networks.map(({ upstreams }) => upstreams.close()));
    this.#saveBudgets();
    this.#options.store?.close();
  }
}
