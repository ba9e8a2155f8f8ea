// The collector `waiting` on a simulated chain, with the collectors that it depends on, each polled at its interval of
// a free key. Time is that of the chain.

import type { Simulator, SimulatorOptions } from "../../simulator/server.ts";
import { createClient } from "../../src/api/client.ts";
import { blocks } from "../../src/collectors/blocks/blocks.ts";
import { type AnyCollector, type Target, wholeChain } from "../../src/collectors/collector.ts";
import { mempoolTransactions } from "../../src/collectors/mempool-transactions/mempool-transactions.ts";
import { transactions } from "../../src/collectors/transactions/transactions.ts";
import type { Observation } from "../../src/collectors/waiting/state.ts";
import { waiting } from "../../src/collectors/waiting/waiting.ts";
import { stillSimulator } from "../simulator/support.ts";
import { textOf } from "./golden.ts";
import { parseExposition } from "./parser.ts";
import { restarted } from "./plain-data.ts";

/** The collector `waiting`, as any collector. */
export const collector = waiting as unknown as AnyCollector;
const WHOLE_CHAIN: readonly (readonly [AnyCollector, number])[] = [
  [blocks, 240],
  [transactions, 180],
  [mempoolTransactions, 270],
].map(([one, seconds]) => [one as unknown as AnyCollector, seconds as number]);
const EVERY_SECONDS = 60;
const CONFIRMATIONS = 3;

/** The target of a principal. */
export const targetOf = (principal: string) => ({
  key: principal,
  watched: { principal, name: "wallet", group: "", labels: {} },
  confirmations: CONFIRMATIONS,
});

/** Samples of an address, by name without prefix and the labels that differ. */
export async function exposed(observation: unknown, principal: string): Promise<Readonly<Record<string, number>>> {
  const families = parseExposition(await textOf(collector, observation, "m", targetOf(principal)), "classic");
  return Object.fromEntries(
    families.flatMap(({ name, samples }) =>
      samples.map(({ labels, value }) => {
        const own = ["direction", "tx_type", "reason"].flatMap((label) => labels.get(label) ?? []);
        return [[name.replace("stacks_address_", ""), ...own].join(" "), value];
      }),
    ),
  );
}

/** A simulated chain whose wallets are polled. */
export class WaitingWorld implements AsyncDisposable {
  readonly simulator: Simulator;
  readonly principals: readonly string[];
  readonly #client: ReturnType<typeof createClient>;
  readonly #known = new Map<string, unknown>();
  readonly #due = new Map<string, number>();
  /** Called before the polls of each moment. */
  onPolls: () => void = () => undefined;
  /** Polls of wallets that failed. */
  failures = 0;
  /** Whether the lists of the whole chain are polled. */
  hasViews = true;

  private constructor(simulator: Simulator, principals: readonly string[]) {
    this.simulator = simulator;
    this.principals = principals;
    const budget = { perMinute: 1_000_000, perMonth: undefined };
    this.#client = createClient({ baseUrl: simulator.url, userAgent: "test", budget });
  }

  static async start(
    options: SimulatorOptions,
    principals: (of: Simulator["chain"]) => readonly string[],
  ): Promise<WaitingWorld> {
    const simulator = await stillSimulator({ history: 60, ...options });
    return new WaitingWorld(simulator, principals(simulator.chain));
  }

  get chain(): Simulator["chain"] {
    return this.simulator.chain;
  }

  /** Advances time, with every poll that is due. */
  async pass(seconds: number): Promise<void> {
    for (const end = this.chain.now + seconds; ; ) {
      await this.#pollDue();
      const next = Math.min(end, ...this.#due.values());
      if (next >= end && this.chain.now >= end) return;
      this.simulator.advance(next - this.chain.now);
    }
  }

  /** Polls one wallet now, and returns the last part of the path and the status of each request. */
  async poll(principal: string): Promise<string[]> {
    const before = this.simulator.requests.length;
    await this.#poll(collector, targetOf(principal));
    return this.simulator.requests.slice(before).map(({ path, status }) => {
      const [pathname = ""] = path.split("?");
      return `${pathname.replace(/.*\/(mempool\/transactions|nonces|0x).*/, "$1")} ${status}`;
    });
  }

  observationOf(principal: string): Observation | undefined {
    return this.#known.get(`waiting ${principal}`) as Observation | undefined;
  }

  samplesOf(principal: string): Promise<Readonly<Record<string, number>>> {
    return exposed(this.observationOf(principal), principal);
  }

  /** The process ends and another one continues: only what is saved remains. */
  restart(): void {
    for (const key of [...this.#known.keys()]) {
      if (key.startsWith("mempool_transactions")) this.#known.delete(key);
      else this.#known.set(key, restarted(this.#known.get(key)));
    }
    this.#due.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.close();
    await this.simulator.close();
  }

  async #pollDue(): Promise<void> {
    const { now } = this.chain;
    this.onPolls();
    const isDue = (key: string, every: number) => {
      if ((this.#due.get(key) ?? now) > now) return false;
      this.#due.set(key, now + every);
      return true;
    };
    for (const [one, every] of this.hasViews ? WHOLE_CHAIN : []) {
      // A server that is behind fails the poll of the chain, as in the exporter.
      if (isDue(one.name, every)) await this.#poll(one, wholeChain({ confirmations: CONFIRMATIONS })).catch(() => {});
    }
    for (const principal of this.principals) {
      if (!isDue(principal, EVERY_SECONDS)) continue;
      await this.#poll(collector, targetOf(principal)).catch(() => {
        this.failures += 1;
      });
    }
  }

  async #poll(one: AnyCollector, target: Target): Promise<void> {
    const key = `${one.name} ${target.key}`;
    const viewOf = <View>(view: (collector: AnyCollector, observation: unknown) => View | undefined) =>
      WHOLE_CHAIN.flatMap(([other]) => {
        const observation = this.#known.get(`${other.name} `);
        return (observation === undefined ? undefined : view(other, observation)) ?? [];
      })[0];
    const poll = {
      api: this.#client.forPoll({ priority: 0, signal: AbortSignal.timeout(60_000) }),
      target,
      chain: viewOf((other, observation) => other.chainView?.(observation)),
      mined: viewOf((other, observation) => other.minedView?.(observation)),
      waiting: viewOf((other, observation) => other.waitingView?.(observation)),
      isFollowed: true,
      previous: this.#known.get(key),
      now: this.chain.now * 1000,
      spareSeries: 1e6,
    };
    this.#known.set(key, await one.observe(poll as Parameters<AnyCollector["observe"]>[0], one.options.parse({})));
  }
}
