// The simulator: one chain, its clock, and its API.
import type { Network } from "./chain/accounts.ts";
import { Chain } from "./chain/chain.ts";
import { createControl } from "./control/control.ts";
import { FaultList } from "./faults/fault-list.ts";
import { type Listener, listen } from "./http/listener.ts";
import type { LoggedRequest } from "./http/request-log.ts";
import { Replicas } from "./replicas/replicas.ts";

/** Options of a simulator. All fields are optional. */
export interface SimulatorOptions {
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
}

/** A running simulator. */
export interface Simulator extends Listener {
  /** The chain as of the last request or `advance`. */
  readonly chain: Chain;
  /** The replicas behind the address; by default only the newest. */
  readonly replicas: Replicas;
  readonly faults: FaultList;
  /** The newest hundred thousand requests, oldest first. */
  readonly requests: readonly LoggedRequest[];
  /** Advances virtual time by this number of seconds, independent of the clock. */
  advance(seconds: number): void;
}

/** Starts a simulator. Resolves when it listens. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { timeScale = 1, now = Date.now } = options;
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

  const parts = { replicas: new Replicas(chain), faults: new FaultList(), requests: [] as LoggedRequest[] };
  const control = createControl({ ...parts, chain, advance });
  const listener = await listen({ ...parts, control, live, now });
  return { ...parts, ...listener, chain, advance };
}
