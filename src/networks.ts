// The running networks, and how they follow a change of the configuration: a network whose settings are the same goes
// on, with its new watch lists; any other one is replaced.
import { setImmediate as nextTurn } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { assetSamples } from "./collectors/balances/families.ts";
import { collectorOf } from "./collectors/index.ts";
import { keyOf, type Task } from "./collectors/task.ts";
import type { NetworkConfig } from "./config/config.ts";
import type { Exposition } from "./exposition/exposition.ts";
import { Network, type NetworkOptions } from "./network.ts";
import type { Poller } from "./scheduler/poller.ts";

interface NetworksOptions extends NetworkOptions {
  readonly exposition: Exposition;
  readonly poller: Poller;
}

// A few milliseconds of work.
const CONTINUED_AT_ONCE = 50;

/** The networks of the current configuration. */
export class Networks {
  readonly #options: NetworksOptions;
  #isStarted = false;
  all: readonly Network[];

  /** @throws StateFileError when the saved state of a network cannot be used. */
  constructor(configs: readonly NetworkConfig[], options: NetworksOptions) {
    this.#options = options;
    this.all = configs.map((config) => this.#create(config));
    for (const task of this.tasks) options.state.restore(task);
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
    const { state } = this.#options;
    for (const network of this.all) {
      if (!configs.some(({ name }) => name === network.name)) await this.#remove(network);
    }
    for (const [index, config] of configs.entries()) {
      const before = this.all.find(({ name }) => name === config.name);
      if (before !== undefined && hasSameSettings(before.config, config)) await this.#takeLists(before, config);
      else await this.#replace(before, config, index);
    }
    state.recomputeExpiry();
  }

  /** Ends polling and every request. Running polls must be cancelled before. */
  async close(): Promise<void> {
    await Promise.all(this.all.map((network) => network.close()));
  }

  #create(config: NetworkConfig): Network {
    const { exposition, state } = this.#options;
    const canWatch = config.addresses.length + config.watchFiles.length > 0;
    if (canWatch) exposition.set(assetsKey(config), assetSamples(config));
    else exposition.remove(assetsKey(config));
    state.keepGroups(config.name, summedGroupsOf(config));
    return new Network(config, this.#options);
  }

  async #takeLists(network: Network, config: NetworkConfig): Promise<void> {
    const { poller, state } = this.#options;
    const { removed, replaced } = await network.reload(config);
    for (const task of removed) {
      poller.cancel(task);
      state.remove(task);
    }
    for (const { before, after } of replaced) {
      poller.cancel(before);
      state.replace(before, after);
    }
  }

  // The new one is created first: when its state cannot be used, the old one continues.
  async #replace(before: Network | undefined, config: NetworkConfig, index: number): Promise<void> {
    const { state, instruments } = this.#options;
    before?.saveBudgets();
    const after = this.#create(config);
    const known = new Map(before?.tasks.map((task) => [keyOf(task), task]));
    if (before !== undefined) await this.#end(before);
    for (const [position, task] of after.tasks.entries()) {
      if (position % CONTINUED_AT_ONCE === 0) await nextTurn();
      const same = known.get(keyOf(task));
      known.delete(keyOf(task));
      if (same === undefined) state.restore(task);
      else if (!task.collector.isDurable && !isDeepStrictEqual(same.options, task.options)) {
        // Its observation was made with other settings.
        state.remove(same);
        state.restore(task);
      } else state.replace(same, task);
    }
    for (const task of known.values()) state.remove(task);
    const polled = new Set(after.tasks.map(({ collector }) => collector.name));
    for (const { collector } of known.values()) {
      if (!polled.has(collector.name)) await instruments.remove({ network: config.name, collector: collector.name });
    }
    this.all =
      before === undefined ? this.all.toSpliced(index, 0, after) : this.all.with(this.all.indexOf(before), after);
    if (this.#isStarted) after.start(this.#options.poller);
  }

  async #remove(network: Network): Promise<void> {
    const { state, instruments, exposition } = this.#options;
    await this.#end(network);
    for (const task of network.tasks) state.remove(task);
    exposition.remove(assetsKey(network));
    state.keepGroups(network.name, []);
    await instruments.remove({ network: network.name });
    this.all = this.all.filter((one) => one !== network);
  }

  async #end(network: Network): Promise<void> {
    const { poller, incidents } = this.#options;
    const closed = network.close();
    for (const task of network.tasks) poller.cancel(task);
    await closed;
    incidents.remove(network.name);
  }
}

/** The groups that are exported as sums, by collector. */
const summedGroupsOf = ({ summedGroups, collectors }: NetworkConfig) =>
  collectors.flatMap(({ name: collector }) => {
    const { sums } = collectorOf(collector);
    return sums === undefined ? [] : summedGroups.map((group) => ({ collector, group, sums }));
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
