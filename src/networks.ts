// The running networks, and how they follow a change of the configuration: a network whose settings are the same goes
// on, with its new watch lists; any other one is replaced as a whole.
import { isDeepStrictEqual } from "node:util";
import { assetSamples } from "./collectors/balances/families.ts";
import { collectorOf } from "./collectors/index.ts";
import type { Task } from "./collectors/task.ts";
import type { NetworkConfig } from "./config/config.ts";
import type { Exposition } from "./exposition/exposition.ts";
import { Network, type NetworkOptions } from "./network.ts";
import type { Poller } from "./scheduler/poller.ts";
import type { SummedGroup } from "./store/group.ts";

interface NetworksOptions extends NetworkOptions {
  readonly exposition: Exposition;
  readonly poller: Poller;
}

/** The networks of the current configuration. */
export class Networks {
  readonly #options: NetworksOptions;
  #isStarted = false;
  all: readonly Network[] = [];

  /** @throws StateFileError when the saved state of a network cannot be used. */
  constructor(configs: readonly NetworkConfig[], options: NetworksOptions) {
    this.#options = options;
    this.all = configs.map((config) => new Network(config, options));
    for (const network of this.all) this.#follow(network);
  }

  /** All present tasks. */
  get tasks(): readonly Task[] {
    return this.all.flatMap(({ tasks }) => tasks);
  }

  /** Time when the next poll of a task is due. Unix time, milliseconds; undefined when none is scheduled. */
  dueAt(task: Task): number | undefined {
    return this.all.find(({ name }) => name === task.network)?.dueAt(task);
  }

  /** Polls on schedule until `close`. */
  start(): void {
    this.#isStarted = true;
    for (const network of this.all) network.start(this.#options.poller);
  }

  /** Follows another configuration. Counters, gauges and used budgets continue. */
  async take(configs: readonly NetworkConfig[]): Promise<void> {
    const { poller, state, instruments, exposition } = this.#options;
    const removed = this.all.filter(({ name }) => !configs.some((config) => config.name === name));
    for (const network of removed) {
      await this.#end(network);
      state.follow(network.name, []);
      exposition.remove(assetsKey(network));
      await instruments.remove({ network: network.name });
    }
    const networks: Network[] = [];
    for (const config of configs) {
      const before = this.all.find(({ name }) => name === config.name);
      if (before !== undefined && hasSameSettings(before.config, config)) {
        const tasks = before.tasks;
        before.take(config);
        const kept = new Set(before.tasks);
        for (const task of tasks) if (!kept.has(task)) poller.cancel(task);
        networks.push(before);
      } else {
        if (before !== undefined) await this.#end(before);
        const after = new Network(config, this.#options);
        networks.push(after);
        if (before !== undefined) await this.#removeSeries(before, after);
      }
    }
    const started = networks.filter((network) => !this.all.includes(network));
    this.all = networks;
    for (const network of networks) this.#follow(network);
    if (this.#isStarted) for (const network of started) network.start(poller);
  }

  /** Ends polling and every request. Running polls must be cancelled before. */
  async close(): Promise<void> {
    await Promise.all(this.all.map((network) => network.close()));
  }

  #follow({ name, config, tasks }: Network): void {
    const { exposition, state } = this.#options;
    const canWatch = config.addresses.length + config.watchFiles.length > 0;
    exposition.set(assetsKey(config), canWatch ? assetSamples(config) : []);
    state.follow(name, tasks, summedGroupsOf(config));
  }

  async #end(network: Network): Promise<void> {
    const { poller, incidents } = this.#options;
    const closed = network.close();
    for (const task of network.tasks) poller.cancel(task);
    await closed;
    incidents.remove(network.name);
  }

  /** Removes the metrics about collectors that are no longer polled. */
  async #removeSeries(before: Network, after: Network): Promise<void> {
    const namesOf = ({ tasks }: Network) => [...new Set(tasks.map(({ collector }) => collector.name))];
    const polled = namesOf(after);
    for (const collector of namesOf(before)) {
      if (!polled.includes(collector)) await this.#options.instruments.remove({ network: before.name, collector });
    }
  }
}

/** The groups that are exported as sums, for each collector. */
const summedGroupsOf = ({ name, summedGroups, collectors }: NetworkConfig): readonly SummedGroup[] =>
  collectors.flatMap(({ name: collector }) => {
    const { sums } = collectorOf(collector);
    return sums === undefined ? [] : summedGroups.map((group) => ({ network: name, collector, group, sums }));
  });

const assetsKey = ({ name }: { readonly name: string }) => `${name}/assets`;

/** Whether only the watch lists of a network differ. */
function hasSameSettings(a: NetworkConfig, b: NetworkConfig): boolean {
  return isDeepStrictEqual(settingsOf(a), settingsOf(b));
}

function settingsOf({ addresses, contracts, watchFiles, upstreams, ...settings }: NetworkConfig) {
  // The comparison does not see the value of a secret.
  const revealed = upstreams.map(({ apiKey, ...upstream }) => ({ ...upstream, key: apiKey?.reveal() }));
  return { ...settings, upstreams: revealed };
}
