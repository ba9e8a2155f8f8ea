// Connects the parts of one exporter, which polls and serves until it is stopped.
import PQueue from "p-queue";
import type { Logger } from "pino";
import type { PollOptions } from "./api/client.ts";
import type { StacksApi } from "./api/operation.ts";
import type { Task } from "./collectors/collector.ts";
import { collectorFamilies, ruleFamilies } from "./collectors/index.ts";
import { formatError } from "./config/errors.ts";
import type { Loaded } from "./config/load.ts";
import { secretsOf } from "./config/secret.ts";
import type { Config, NetworkConfig } from "./config/settings.ts";
import type { ListenAddress } from "./config/values.ts";
import type { LoadedWebConfig } from "./config/web-config.ts";
import { Exposition } from "./exposition/exposition.ts";
import type { Family } from "./exposition/family.ts";
import { type Listener, Listeners } from "./http/listeners.ts";
import { MetricsPage } from "./http/page.ts";
import type { View } from "./http/server.ts";
import { type Selection, type Status, statusOf } from "./http/status.ts";
import { Network, type NetworkOptions } from "./network.ts";
import { type ConfigSource, Reload, type Reloads, type WebSource } from "./reload.ts";
import { MEMORY, type StateFileError } from "./store/open.ts";
import { keyOf, State } from "./store/state.ts";
import { Store } from "./store/store.ts";
import { feeReport } from "./telemetry/fee-report.ts";
import { events, Instruments, ownSamples, selfMetrics } from "./telemetry/self-metrics.ts";
import { networkStatuses, type ReloadReports, type StatusSources } from "./telemetry/status.ts";

/** Dependencies and settings of an exporter. */
export interface AppOptions extends Pick<NetworkOptions, "version" | "clock" | "redactor" | "isBeside"> {
  readonly config: Config;
  readonly log: Logger;
  /** Addresses of the pages. @default none */
  readonly listen?: readonly ListenAddress[];
  /** Addresses that serve only health checks, without TLS and password. @default none */
  readonly probes?: readonly ListenAddress[];
  /** Source of the configuration. @default none, so it cannot be reloaded */
  readonly source?: ConfigSource | undefined;
  /** Source of the web configuration. @default plain HTTP without passwords */
  readonly webSource?: WebSource | undefined;
  /** Keeps counters and used budgets; closed by `stop`. @default one in memory */
  readonly store?: Store | undefined;
  /** Why the state file cannot be used: nothing is counted. @default it can be used */
  readonly damage?: StateFileError | undefined;
  /** Keeps used budgets instead of `store`. */
  readonly budgets?: Store | undefined;
  /** @default there are no runbooks */
  readonly runbook?: (subject: string) => Promise<string | undefined>;
}

// Polls that can run at the same time share the series that are left.
const MAX_CONCURRENT_POLLS = 20;
// Part of the five seconds that a stop may take.
const SCRAPE_GRACE_MS = 3000;

/** What has failed, and why; nothing without a cause. */
const failed = (what: string, cause: { readonly reason: string; readonly message: string } | undefined) =>
  cause === undefined ? [] : [`${what}: ${cause.reason}: ${cause.message}`];

/** The files that a configuration names: watch lists and keys. */
function filesOf({ networks }: Config): readonly string[] {
  const keys = networks.flatMap(({ upstreams }) => upstreams.flatMap(({ apiKeyFile }) => apiKeyFile ?? []));
  return [...new Set([...networks.flatMap(({ watchFiles }) => watchFiles), ...keys])];
}

const familiesOf = ({ networks }: Config): readonly Family[] => [...collectorFamilies, ...ruleFamilies(networks)];

/** An exporter. */
export class App {
  readonly page: MetricsPage;
  readonly log: Logger;
  /** Reloads what its files configure; undefined without files. */
  readonly reloads: Reloads;
  readonly #options: AppOptions;
  readonly #startedAt: number;
  readonly #state: State;
  readonly #store: Store;
  readonly #exposition: Exposition;
  readonly #instruments = new Instruments();
  readonly #networkOptions: NetworkOptions;
  #networks: readonly Network[];
  #config: Config;
  readonly #stop = new AbortController();
  #listeners: Listeners | undefined;
  #following: readonly Promise<void>[] = [];
  /** Reloads run one at a time. */
  readonly #turns = new PQueue({ concurrency: 1 });

  constructor(options: AppOptions) {
    const { config, clock, log, store = new Store(MEMORY) } = options;
    this.#options = options;
    this.#config = config;
    this.#store = store;
    this.#startedAt = clock.now();
    this.log = log;
    this.#exposition = new Exposition([...familiesOf(config), ...selfMetrics, ...this.#instruments.watchProcess()]);
    const instruments = this.#instruments;
    this.#state = new State(this.#exposition, store, {
      onDamage: (damage) => log.error({}, damage.message),
      onGap: ({ network, collector, target }, { message }) => {
        instruments.add(events.stateGaps, { network, collector: collector.name });
        log.error({ network, collector: collector.name, target: target.key }, `${message}. It counts from now on`);
      },
    });
    if (options.damage !== undefined) this.#state.stopCounting(options.damage);
    this.page = new MetricsPage({
      exposition: this.#exposition,
      expire: (now) => this.#state.expire(now),
      renew: () => this.#renew(),
      now: () => clock.now(),
      onError: (error) => log.error({ err: error }, "the exporter's own samples could not be made"),
    });
    this.#networkOptions = {
      ...{ ...options, store, instruments, state: this.#state, exposition: this.#exposition },
      budgets: options.budgets ?? store,
      spareSeries: () =>
        Math.max(0, Math.floor((this.#config.maxSeries - this.#exposition.size) / MAX_CONCURRENT_POLLS)),
      onEnd: () => this.page.touch(),
    };
    this.#networks = config.networks.map((network) => new Network(network, this.#networkOptions));
    this.reloads = this.#reloadsOf(options);
  }

  get tasks(): readonly Task[] {
    return this.#networks.flatMap(({ tasks }) => tasks);
  }

  /** Networks that are not polled, and collectors without a successful poll, as `network/collector: why`. */
  missing(): readonly string[] {
    return networkStatuses(this.#statusSources()).flatMap(({ name: network, blocked, collectors, targets }) => {
      // A success of before a restart is none of this process.
      const polled = targets.filter((one) => one.state === "active" || (one.last_success_at ?? 0) >= this.#startedAt);
      const ready = new Set(polled.map(({ collector }) => collector));
      const unready = collectors.filter(({ name, targets }) => !ready.has(name) && targets.unsupported === 0);
      const ofCollectors = unready.flatMap(({ name, last_error }) =>
        last_error ? failed(`${network}/${name}`, last_error) : `${network}/${name}: the first poll has not ended`,
      );
      return [...failed(network, blocked), ...ofCollectors];
    });
  }

  status(selection: Selection): Status {
    const program = { version: this.#options.version, startedAt: this.#startedAt, reloads: this.#reports() };
    return statusOf({ ...this.#statusSources(), ...program }, selection);
  }

  /** Listens and starts to poll; resolves with the open listeners. Throws when it cannot listen. */
  async start(): Promise<readonly Listener[]> {
    const { log, redactor, webSource, listen = [], probes = [] } = this.#options;
    const view: View = {
      page: this.page,
      missing: () => this.missing(),
      statusOf: (selection) => this.status(selection),
      feesOf: (network) => feeReport(network, this.#statusSources()),
      runbook: async (subject) => this.#options.runbook?.(subject),
      mask: (text) => redactor.mask(text),
      onError: (error) => log.error({ err: error }, "a page could not be made"),
    };
    const listeners = new Listeners({ listen, probes, view, web: webSource?.web });
    const opened = await listeners.open();
    this.#listeners = listeners;
    const stop = this.#stop.signal;
    for (const network of this.#networks) network.start();
    this.#following = Object.values(this.reloads).flatMap((reload) => reload?.follow(stop) ?? []);
    return opened;
  }

  apiOf(network: string, poll: PollOptions): StacksApi {
    return this.#networkOf(network).upstreams.active.client.forPoll(poll);
  }

  /** Polls one task now, in addition to its schedule; resolves when the poll has ended, with or without success. */
  async poll(task: Task): Promise<void> {
    await this.#networkOf(task.network).poller.poll(task);
  }

  #networkOf(wanted: string): Network {
    return this.#networks.find(({ name }) => name === wanted) as Network;
  }

  /** Polls everything once; resolves with the tasks that failed, as `network/collector/target: why`. */
  async pollOnce(): Promise<readonly string[]> {
    // In turn: collectors use the data of those before them, and with concurrent polls, most targets of a long watch
    // list would wait for the budget until their deadline.
    const pollAll = async ({ tasks }: Network) => {
      for (const task of tasks) await this.poll(task);
    };
    await Promise.all(this.#networks.map(pollAll));
    return this.tasks.flatMap((task) => failed(keyOf(task), this.#state.of(task).failure));
  }

  /** Aborts polls, and finishes running scrapes; resolves when all of it has ended. */
  async stop(): Promise<void> {
    this.#stop.abort(new DOMException("the exporter stops", "AbortError"));
    const closed = this.#networks.map((network) => network.close());
    await Promise.all([...this.#following, ...closed, this.#turns.onIdle(), this.#listeners?.close(SCRAPE_GRACE_MS)]);
    this.#store.close();
  }

  #reloadsOf({ source, webSource, clock, log }: AppOptions): Reloads {
    const common = { clock, log, turns: this.#turns };
    const take = async (loaded: Loaded) => (loaded.ok ? this.#take(loaded.config) : loaded.errors.map(formatError));
    const configuration = { ...common, what: "the configuration", files: () => [] };
    const files = { ...common, what: "the watch lists and keys", files: () => filesOf(this.#config) };
    const web = { ...common, what: "the web configuration", files: () => webSource?.files() ?? [] };
    const takeWeb = (loaded: LoadedWebConfig) =>
      loaded.ok ? (this.#listeners?.take(loaded.web) ?? []) : loaded.errors.map(formatError);
    return {
      configuration: source && new Reload({ ...configuration, apply: async () => take(await source.load()) }),
      files: source && new Reload({ ...files, apply: async () => take(await source.loadFiles()) }),
      web: webSource && new Reload({ ...web, apply: async () => takeWeb(await webSource.load()) }),
    };
  }

  async #take(config: Config): Promise<readonly string[]> {
    const { redactor } = this.#options;
    // Before anything uses them. Those of before stay masked: a response that repeats them can arrive late.
    redactor.learn(secretsOf(config.networks));
    this.#exposition.declare(familiesOf(config));
    this.#config = config;
    await this.#follow(config.networks);
    // It includes the files.
    if (this.reloads.files !== undefined) this.reloads.files.report = {};
    this.page.touch();
    return [];
  }

  // A network whose settings are the same goes on, with its new watch lists; any other one is replaced as a whole.
  async #follow(configs: readonly NetworkConfig[]): Promise<void> {
    const before = this.#networks;
    const kept = before.filter((network) =>
      configs.some((config) => config.name === network.name && network.take(config)),
    );
    for (const network of before.filter((one) => !kept.includes(one))) {
      await network.close();
      if (!configs.some(({ name }) => name === network.name)) network.remove();
    }
    this.#networks = configs.map(
      (config) => kept.find(({ name }) => name === config.name) ?? new Network(config, this.#networkOptions),
    );
    if (this.#listeners !== undefined && !this.#stop.signal.aborted)
      for (const network of this.#networks) if (!kept.includes(network)) network.start();
  }

  #reports(): ReloadReports {
    const { configuration, files, web } = this.reloads;
    return {
      configuration: this.#options.source?.isFile ? configuration?.report : undefined,
      files: filesOf(this.#config).length > 0 ? files?.report : undefined,
      web: web?.report,
    };
  }

  #statusSources(): StatusSources {
    return {
      tasks: this.tasks,
      state: this.#state,
      networks: this.#networks.map((network) => network.report()),
      now: this.#options.clock.now(),
    };
  }

  async #renew(): Promise<void> {
    const { statePath, shard, maxSeries } = this.#config;
    const { version } = this.#options;
    const known = {
      ...{ version, shard, maxSeries, reloads: this.#reports() },
      networks: networkStatuses(this.#statusSources()),
      isDamaged: statePath === undefined ? undefined : this.#state.damage !== undefined,
    };
    const samples = await this.#instruments.samples();
    // These samples are series, too: their number has changed at the first scrape, and after a reload.
    let series: number;
    do {
      series = this.#exposition.size;
      this.#exposition.set("exporter", [...samples, ...ownSamples({ ...known, series })]);
    } while (series !== this.#exposition.size);
  }
}
