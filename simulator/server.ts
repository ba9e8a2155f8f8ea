// The simulator: one chain, its clock, and its listen addresses.
import type { Network } from "./chain/accounts.ts";
import { Chain } from "./chain/chain.ts";
import { FASTEST_BLOCK_SECONDS } from "./chain/schedule.ts";
import { createControl } from "./control/control.ts";
import { FaultList } from "./faults/fault-list.ts";
import { realSchedule, type Schedule } from "./http/deliver.ts";
import { type Listener, type ListenOptions, listen } from "./http/listener.ts";
import { RequestLog } from "./http/request-log.ts";
import { Replicas } from "./replicas/replicas.ts";

/** Options of a simulator. All fields are optional. */
export interface SimulatorOptions extends ListenOptions {
  /** The same seed gives the same chain. @default 1 */
  readonly seed?: number | string;
  /** @default mainnet */
  readonly network?: Network;
  /** Number of blocks at the start; 0 is an API with an empty database. @default 200 */
  readonly history?: number;
  /** Hours before those blocks, in which the chain was slow: a block every half an hour. @default 0 */
  readonly slowHours?: number;
  /** Least number of seconds between two renewals of a budget within a tenure. @default 144 */
  readonly renewal?: number;
  /** Virtual seconds per real second. @default 1 */
  readonly timeScale?: number;
  /** Real time, Unix milliseconds. A constant stops the clock: only `advance` changes it then. @default Date.now */
  readonly now?: () => number;
  /** Virtual time at the start, Unix seconds. @default the real time */
  readonly start?: number;
  /** Whether spikes, floods and stuck clusters start at random. @default false */
  readonly randomEvents?: boolean;
  /** Multiplies the transactions of ordinary demand, about 60,000 a day. @default 1 */
  readonly activity?: number;
  /** Number of blocks to keep. @default 5000, about 14 hours */
  readonly keepBlocks?: number;
  /** Timer of delayed responses. @default setTimeout */
  readonly schedule?: Schedule;
}

/** One listen address. Several of them are several upstreams of the same chain. */
export interface Upstream extends Listener {
  /** The replicas behind the address; by default only the newest. */
  readonly replicas: Replicas;
  readonly faults: FaultList;
  readonly log: RequestLog;
  /** The requests, oldest first; the same as `log.entries`. */
  readonly requests: RequestLog["entries"];
}

/** A running simulator: the chain and its first listen address. `close` closes all addresses. */
export interface Simulator extends Upstream {
  /** The chain as of the last request or `advance`. */
  readonly chain: Chain;
  /** Minimum interval between blocks in real seconds. Only `advance` creates blocks faster. */
  readonly fastestBlockSeconds: number;
  /** Advances virtual time by this number of seconds, independent of the clock. */
  advance(seconds: number): void;
  /**
   * Opens another listen address of the same chain, with its own replicas, faults, gateway and request log. Rejects if
   * the port is in use.
   *
   * ```ts
   * const backup = await simulator.listen({ gateway: { key: { header: "x-api-key", value: "secret" } } });
   * backup.replicas.use([{ kind: "lag", blocks: 20 }]);
   * await backup.close(); // connections are refused; `listen({ port })` opens the address again
   * ```
   */
  listen(options?: ListenOptions): Promise<Upstream>;
}

/** Starts a simulator. Resolves when it listens; rejects if the port is in use. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { timeScale = 1, now = Date.now, schedule = realSchedule } = options;
  const startedAt = now();
  const start = options.start ?? startedAt / 1000;
  let advanced = 0;
  const chain = new Chain({
    seed: String(options.seed ?? 1),
    start,
    history: options.history ?? 200,
    slowHours: options.slowHours,
    renewal: options.renewal,
    network: options.network ?? "mainnet",
    randomEvents: options.randomEvents ?? false,
    activity: options.activity,
    keepBlocks: options.keepBlocks ?? 5000,
  });
  const live = () => {
    chain.advanceTo(start + advanced + ((now() - startedAt) / 1000) * timeScale);
    return chain.now;
  };
  const advance = (seconds: number) => {
    advanced += seconds;
    live();
  };
  const fastestBlockSeconds = FASTEST_BLOCK_SECONDS / timeScale;

  const listeners = new Set<Listener>();
  const open = async (where: ListenOptions = {}): Promise<Upstream> => {
    const parts = { replicas: new Replicas(chain), faults: new FaultList(), log: new RequestLog() };
    const control = createControl({ ...parts, chain, advance, fastestBlockSeconds });
    const listener = await listen({ ...parts, control, live, now, schedule }, where);
    listeners.add(listener);
    const close = () => {
      listeners.delete(listener);
      return listener.close();
    };
    return { ...parts, url: listener.url, requests: parts.log.entries, close };
  };

  return {
    ...(await open(options)),
    chain,
    fastestBlockSeconds,
    advance,
    listen: open,
    close: async () => {
      await Promise.all([...listeners].map((listener) => listener.close()));
    },
  };
}
