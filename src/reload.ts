// Follows the files of the watch lists, and takes them over while the exporter runs.
import type { Clock } from "./api/clock.ts";
import type { Task } from "./collectors/task.ts";
import type { Config } from "./config/config.ts";
import { type ConfigError, formatError } from "./config/errors.ts";
import type { Loaded } from "./config/load.ts";
import { followFiles } from "./config/watch-changes.ts";
import type { Network } from "./network.ts";
import type { Poller } from "./scheduler/poller.ts";
import type { State } from "./storage/state.ts";
import type { WatchListReport } from "./telemetry/status.ts";
import type { UpstreamsOptions } from "./upstreams/upstreams.ts";

interface WatchListsOptions {
  readonly config: Config;
  /** Loads the configuration again, with the present watch lists; undefined: they are not followed. */
  readonly load: (() => Promise<Loaded>) | undefined;
  readonly networks: readonly Network[];
  readonly state: State;
  readonly poller: Poller;
  /** When the next poll of each task is due. */
  readonly due: WeakMap<Task, number>;
  readonly clock: Clock;
  readonly log: UpstreamsOptions["log"];
  readonly onReload: () => void;
}

/** The watch lists that are in files. */
export class WatchLists {
  readonly #options: WatchListsOptions;
  readonly #files: readonly string[];
  /** The result of the last reload; undefined without files. */
  report: WatchListReport | undefined;

  constructor(options: WatchListsOptions) {
    const { config, load, clock } = options;
    this.#options = options;
    this.#files = load === undefined ? [] : [...new Set(config.networks.flatMap(({ watchFiles }) => watchFiles))];
    if (this.#files.length > 0) this.report = { lastSuccessAt: clock.now() };
  }

  /** Reloads whenever a file changes, until `stop` is aborted. */
  async follow(stop: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    const onChange = () =>
      this.reload().catch((error) => log.error({ err: error }, "the watch list could not be read again"));
    await followFiles(this.#files, { clock, stop, onChange });
  }

  /** Takes the present watch lists. When they are not valid, logs why and keeps those before. */
  async reload(): Promise<void> {
    const { load, networks, state, clock, log, onReload } = this.#options;
    if (load === undefined) return;
    const loaded = await load();
    onReload();
    if (!loaded.ok) return this.#refuse(loaded.errors);
    const count = () => networks.reduce((total, { tasks }) => total + tasks.length, 0);
    const before = count();
    for (const network of networks) {
      const config = loaded.config.networks.find(({ name }) => name === network.name);
      if (config !== undefined) await this.#take(network, config);
    }
    state.recomputeExpiry();
    this.report = { lastSuccessAt: clock.now() };
    log.info({ before, now: count() }, "the watch list was read again");
  }

  async #take(network: Network, config: Config["networks"][number]): Promise<void> {
    const { state, poller, due, clock } = this.#options;
    const { added, removed, replaced } = await network.reload(config);
    for (const [slot, task] of added.entries()) due.set(task, clock.now() + slot * network.slotMsOf(task));
    for (const task of removed) {
      poller.cancel(task);
      state.forget(task);
    }
    for (const { before, after } of replaced) {
      poller.cancel(before);
      state.replace(before, after);
      const at = due.get(before);
      if (at !== undefined) due.set(after, at);
    }
  }

  #refuse(errors: readonly ConfigError[]): void {
    const { clock, log } = this.#options;
    for (const error of errors) log.error({}, formatError(error));
    log.error({ mistakes: errors.length }, "the watch list is wrong; the one before stays in force");
    this.report = {
      lastSuccessAt: this.report?.lastSuccessAt ?? clock.now(),
      failure: {
        message: errors.slice(0, 1).map(formatError).join(""),
        errors: errors.length,
        since: this.report?.failure?.since ?? clock.now(),
      },
    };
  }
}
