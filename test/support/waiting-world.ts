// The collector `waiting` on a simulated chain, with the collectors that it depends on, each polled at its interval of
// a free key. Time is that of the chain.

import type { Simulator, SimulatorOptions } from "../../simulator/server.ts";
import { stillSimulator } from "../simulator/support.ts";
import { Exporter } from "./exporter.ts";
import type { Page } from "./page.ts";
import type { ParsedSample } from "./parser.ts";

// Intervals in seconds.
const WHOLE_CHAIN = { blocks: 240, transactions: 180, mempool_transactions: 270 };
const EVERY_SECONDS = 60;
const CONFIRMATIONS = 3;

/** Samples of an address, by name without prefix and the labels that differ. */
export function samplesOn(page: Page, address: string): Readonly<Record<string, number>> {
  const names = page.names.filter((name) => /^stacks_address_(mempool_|missing_nonce)/.test(name));
  return valuesOf(names.flatMap((name) => page.samples(name, { address })));
}

const valuesOf = (samples: readonly ParsedSample[]) =>
  Object.fromEntries(
    samples.map(({ name, labels, value }) => {
      const own = ["direction", "tx_type", "reason"].flatMap((label) => labels.get(label) ?? []);
      return [[name.replace("stacks_address_", ""), ...own].join(" "), value];
    }),
  );

/** A simulated chain whose wallets are polled. */
export class WaitingWorld implements AsyncDisposable {
  readonly simulator: Simulator;
  readonly principals: readonly string[];
  readonly exporter: Exporter;
  readonly #due = new Map<string, number>();
  /** Called before the polls of each moment. */
  onPolls: () => void = () => undefined;
  /** Whether the lists of the whole chain are polled. */
  hasViews = true;

  private constructor(simulator: Simulator, principals: readonly string[], exporter: Exporter) {
    this.simulator = simulator;
    this.principals = principals;
    this.exporter = exporter;
  }

  static async start(
    options: SimulatorOptions,
    of: (chain: Simulator["chain"]) => readonly string[],
  ): Promise<WaitingWorld> {
    const simulator = await stillSimulator({ history: 60, ...options });
    const principals = of(simulator.chain);
    const exporter = await Exporter.start({
      api: simulator,
      now: () => simulator.chain.now * 1000,
      network: { confirmations: CONFIRMATIONS, addresses: principals.map((address) => ({ address })) },
      collectors: { blocks: {}, transactions: {}, mempool_transactions: {}, waiting: { addresses: "all" } },
    });
    return new WaitingWorld(simulator, principals, exporter);
  }

  get chain(): Simulator["chain"] {
    return this.simulator.chain;
  }

  /** Reasons of the failed polls of wallets. A server that is behind fails polls of the chain, too. */
  get failures(): readonly string[] {
    return this.exporter.failures.flatMap((failure) => /^waiting (.+)/.exec(failure)?.[1] ?? []);
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
    await this.exporter.poll("waiting", principal);
    return this.simulator.requests.slice(before).flatMap(({ path, status }) => {
      const [part] = /(?<=\/)(mempool\/transactions|nonces|0x)/.exec(path) ?? [];
      // The check which chain a server follows comes before the first poll.
      return part === undefined ? [] : [`${part} ${status}`];
    });
  }

  async samplesOf(principal: string): Promise<Readonly<Record<string, number>>> {
    return samplesOn(await this.exporter.page(), principal);
  }

  /** The process ends and another one continues: only what is saved remains. */
  async restart(): Promise<void> {
    await this.exporter.restart();
    this.#due.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.exporter[Symbol.asyncDispose]();
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
    for (const [name, every] of this.hasViews ? Object.entries(WHOLE_CHAIN) : []) {
      if (isDue(name, every)) await this.exporter.poll(name);
    }
    for (const principal of this.principals) {
      if (isDue(principal, EVERY_SECONDS)) await this.exporter.poll("waiting", principal);
    }
  }
}
