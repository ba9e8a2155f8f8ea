// The upstreams of a network with real servers, a fake clock, and polls of one operation.
import { afterEach, beforeEach } from "@jest/globals";
import { z } from "zod";
import { Budget } from "../../src/api/budget.ts";
import { Client } from "../../src/api/client.ts";
import { ApiError, type Reason } from "../../src/api/errors.ts";
import { operation } from "../../src/api/operation.ts";
import { Redactor } from "../../src/api/redact.ts";
import { status } from "../../src/chain/block-source.ts";
import type { NetworkConfig } from "../../src/config/settings.ts";
import { type UpstreamApi, Upstreams } from "../../src/upstreams/upstreams.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { chainOf } from "../support/known-chain.ts";
import { ChainServer, hashOf } from "./chain-server.ts";

const value = operation({ name: "value", path: "/value", body: z.object({ value: z.number() }) });

const BLOCKS = Array.from({ length: 100 }, (_, height) => [height, { hash: hashOf("a", height) }] as const);

/** The outcome of a poll of the test. */
export type Outcome = "ok" | Reason;

interface Poll {
  readonly collector?: string;
  readonly counts?: boolean;
  readonly end?: Reason;
}

/** Upstreams `u0`, `u1`, …, one for each server. */
export class UpstreamsFixture {
  readonly clock = new FakeClock();
  readonly log: { readonly level: string; readonly message: string; readonly [field: string]: unknown }[] = [];
  readonly switches: string[] = [];
  readonly saved = new Map<string, string>();
  readonly upstreams: Upstreams;
  /** Height of the tip that the collectors have accepted when the fixture was made. */
  knownTip = 100;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(servers: readonly ChainServer[], changes: Partial<NetworkConfig> = {}, saved?: string) {
    if (saved !== undefined) this.saved.set("n", saved);
    const logAs = (level: string) => (fields: object, message: string) =>
      void this.log.push({ level, message, ...fields });
    const made = servers.map(({ url }, index) => ({
      name: `u${index}`,
      url,
      apiKey: () => `key-of-upstream-${index}`,
      budget: { perMinute: 1000, perMonth: undefined },
    }));
    const tipAt = this.clock.now();
    const config = {
      name: "n",
      upstreams: made as unknown as NetworkConfig["upstreams"],
      confirmations: 6,
      collectors: [],
      ...changes,
    } as NetworkConfig;
    this.upstreams = new Upstreams({
      config,
      clock: this.clock,
      stop: this.#stop.signal,
      log: { info: logAs("info"), warn: logAs("warn"), error: logAs("error") },
      store: {
        loadNetwork: (network) => this.saved.get(network),
        saveNetwork: (network, body) => void this.saved.set(network, body),
      },
      createClient: (upstream) =>
        new Client({
          baseUrl: upstream.url,
          userAgent: "test",
          budget: new Budget(upstream.budget, this.clock),
          key: upstream.apiKey,
          redactor: new Redactor([]),
          clock: this.clock,
          retries: 0,
        }),
      chain: () => chainOf(this.knownTip, BLOCKS, tipAt),
      onSwitch: ({ name }) => this.switches.push(name),
    });
  }

  /** The API for a poll that ends after some milliseconds. */
  api(milliseconds = 10_000, counts = true): Promise<UpstreamApi> {
    const deadline = this.clock.elapsed() + milliseconds;
    return this.upstreams.forPoll({ priority: 1, signal: this.#stop.signal, deadline, counts });
  }

  /** Polls once. `end` is the reason with which the collector fails, such as `behind`. */
  poll(poll: Poll = {}): Promise<Outcome> {
    // Less than the deadline of a check: the servers are real and take their own time.
    return this.clock.until(this.#poll(poll), 2000);
  }

  async #poll({ collector = "blocks", counts = true, end }: Poll): Promise<Outcome> {
    let api: UpstreamApi | undefined;
    let failure: { reason: Reason; message: string } | undefined;
    try {
      api = await this.api(10_000, counts);
      await api.get(value, { path: {} });
      if (end !== undefined) throw new ApiError(end, "value", "planned");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failure = { reason: error.reason, message: error.message };
    }
    api?.ended(collector, failure);
    // Everything that the poll has started ends before the clock advances.
    await this.idle();
    // Failed polls that start sooner count as one.
    await this.clock.advance(5000);
    return failure?.reason ?? "ok";
  }

  /** What the status page shows of each upstream. */
  report() {
    return this.upstreams.all.map((upstream) => upstream.report(upstream === this.upstreams.active));
  }

  /** Reads the tip, as the collector of blocks does. */
  async readTip(): Promise<void> {
    const tip = this.api().then((api) => api.get(status, { path: {} }));
    await this.clock.until(tip, 2000);
  }

  /** Starts the probes. */
  run(): void {
    this.#running = this.upstreams.run();
  }

  /** Advances the clock in steps below the deadline of requests, with time for them in between. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.clock.elapsed() + milliseconds;
    while (this.clock.elapsed() < end) {
      await this.idle();
      await this.clock.advance(Math.min(5_000, end - this.clock.elapsed()));
    }
    await this.idle();
  }

  /** Resolves when no request is in flight. */
  async idle(): Promise<void> {
    for (let quiet = 0; quiet < 10; ) {
      await new Promise((resolve) => setImmediate(resolve));
      const isBusy = this.upstreams.all.some(({ client }) => client.budget.inFlight > 0);
      quiet = isBusy ? 0 : quiet + 1;
    }
  }

  async close(): Promise<void> {
    this.#stop.abort(new DOMException("the test has ended", "AbortError"));
    await this.#running;
    await Promise.all(this.upstreams.all.map(({ client }) => client.close()));
  }
}

/** Two servers of one chain, new for each test of a file, and the upstreams that the test makes of them. */
export function ofEachTest() {
  const world = {} as { first: ChainServer; second: ChainServer; fixture: UpstreamsFixture };
  beforeEach(async () => {
    world.first = await ChainServer.start();
    world.second = await ChainServer.start();
  });
  afterEach(async () => {
    await world.fixture.close();
    await Promise.all([world.first.close(), world.second.close()]);
  });
  return world;
}
