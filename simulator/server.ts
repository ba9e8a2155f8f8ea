// The simulator: one chain, its clock, and its listen addresses.
import type { Network } from "./chain/accounts.ts";
import { Chain } from "./chain/chain.ts";
import { FASTEST_BLOCK_SECONDS } from "./chain/schedule.ts";
import { createControl } from "./control/control.ts";
import { FaultList } from "./faults/fault-list.ts";
import { type ListenOptions, listen } from "./http/listener.ts";
import { RequestLog } from "./http/request-log.ts";
import { realSchedule, type Schedule } from "./http/timers.ts";
import { Replicas } from "./replicas/replicas.ts";

/** How a simulator is started. Everything has a default. */
export interface SimulatorOptions extends ListenOptions {
  /** Same seed, same chain. @default 1 */
  readonly seed?: number | string;
  /** @default mainnet */
  readonly network?: Network;
  /** Blocks that exist at the start; 0 is an API with an empty database. @default 200 */
  readonly history?: number;
  /** Virtual seconds per real second. @default 1 */
  readonly timeScale?: number;
  /** Real time, Unix milliseconds. A constant stops the clock: time then moves by `advance` only. @default Date.now */
  readonly now?: () => number;
  /** Virtual time at the start, Unix seconds. @default the real time */
  readonly start?: number;
  /** Whether spikes, floods and stuck clusters come by themselves. @default false */
  readonly randomEvents?: boolean;
  /** Blocks that are remembered. @default 5000, about 14 hours */
  readonly keepBlocks?: number;
  /** Timer of slow answers. @default setTimeout */
  readonly schedule?: Schedule;
}

/** One listen address. Several of them are several upstreams of the same chain. */
export interface Upstream {
  /** E.g. `http://127.0.0.1:40123`, without a slash at the end. */
  readonly url: string;
  /** The replicas behind the address; by default only the newest. */
  readonly replicas: Replicas;
  readonly faults: FaultList;
  readonly log: RequestLog;
  /** The requests, oldest first; the same as `log.entries`. */
  readonly requests: RequestLog["entries"];
  /** Stops listening, cancels delayed responses and closes all connections. */
  close(): Promise<void>;
}

/** A running simulator: the chain and its first listen address. `close` closes all addresses. */
export interface Simulator extends Upstream {
  /** The chain as of the last request or `advance`. */
  readonly chain: Chain;
  /** Minimum interval between blocks in real seconds. Blocks come faster only through `advance`. */
  readonly fastestBlockSeconds: number;
  /** Moves virtual time forward by so many seconds, whatever the clock does. */
  advance(seconds: number): void;
  /**
   * Opens another listen address of the same chain, with its own replicas, faults, gateway and request log. Rejects if
   * the port is in use.
   *
   * ```ts
   * const backup = await simulator.listen({ gateway: { key: { header: "x-api-key", value: "secret" } } });
   * backup.replicas.use({ kind: "lag", blocks: 20 });
   * await backup.close(); // connections are refused; `listen({ port })` opens the address again
   * ```
   */
  listen(options?: ListenOptions): Promise<Upstream>;
}

/** Starts a simulator and resolves when it listens. Rejects when the port is taken. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { timeScale = 1, now = Date.now, schedule = realSchedule } = options;
  const startedAt = now();
  const start = options.start ?? startedAt / 1000;
  let advanced = 0;
  const chain = new Chain({
    seed: String(options.seed ?? 1),
    start,
    history: options.history ?? 200,
    network: options.network ?? "mainnet",
    randomEvents: options.randomEvents ?? false,
    keepBlocks: options.keepBlocks ?? 5000,
  });
  const live = () => chain.advanceTo(start + advanced + ((now() - startedAt) / 1000) * timeScale);
  const advance = (seconds: number) => {
    advanced += seconds;
    live();
  };
  const fastestBlockSeconds = FASTEST_BLOCK_SECONDS / timeScale;

  const upstreams = new Set<Upstream>();
  const open = async (where: ListenOptions): Promise<Upstream> => {
    const parts = { replicas: new Replicas(chain), faults: new FaultList(), log: new RequestLog() };
    const control = createControl({ ...parts, chain, advance, fastestBlockSeconds });
    const { url, close } = await listen({ ...parts, control, live, now, schedule }, where);
    const upstream: Upstream = {
      ...parts,
      url,
      get requests() {
        return parts.log.entries;
      },
      close: () => {
        upstreams.delete(upstream);
        return close();
      },
    };
    upstreams.add(upstream);
    return upstream;
  };

  const first = await open(options);
  return {
    url: first.url,
    replicas: first.replicas,
    faults: first.faults,
    log: first.log,
    get requests() {
      return first.requests;
    },
    chain,
    fastestBlockSeconds,
    advance,
    listen: (where = {}) => open(where),
    close: async () => {
      await Promise.all([...upstreams].map((upstream) => upstream.close()));
    },
  };
}
