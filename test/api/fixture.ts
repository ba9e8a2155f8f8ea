import { inspect } from "node:util";
import { z } from "zod";
import { Budget, type WindowLimits } from "../../src/api/budget.ts";
import { Client, type ClientOptions, type PollOptions } from "../../src/api/client.ts";
import { ApiError } from "../../src/api/errors.ts";
import { operation } from "../../src/api/operation.ts";
import type { Observer, Outage } from "../../src/api/outages.ts";
import { Redactor } from "../../src/api/redact.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { type Scene, ScriptedServer } from "./scripted-server.ts";

export const SECRET = "s3cr3t-key-0123456789";

export const stats = operation({
  name: "mempool_stats",
  path: "/extended/v1/tx/mempool/stats",
  body: z.object({ count: z.number() }),
});
export const block = operation({
  name: "block",
  path: "/extended/v2/blocks/{height_or_hash}",
  body: z.object({ height: z.number() }),
});
export const NONE = { path: {} };
/** Options of a client that does not retry. */
export const ONCE = { retries: 0 };

/** All events, by callback. */
export class Recorder implements Required<Observer> {
  readonly codes: string[] = [];
  readonly drifts: string[] = [];
  readonly pauses: number[] = [];
  readonly outages: (Outage | undefined)[] = [];
  readonly retired: string[] = [];
  onRequest(_operation: string, code: string) {
    this.codes.push(code);
  }
  onDrift(operation: string, field: string, kind: string) {
    this.drifts.push(`${operation} ${field} ${kind}`);
  }
  onPause(until: number) {
    this.pauses.push(until);
  }
  onOutage(outage: Outage | undefined) {
    this.outages.push(outage);
  }
  onRetired({ name }: { name: string }) {
    this.retired.push(name);
  }
}

/** Options of a client, with the limits of its budget. */
export interface FixtureOptions extends Partial<Omit<ClientOptions, "budget">> {
  readonly budget?: WindowLimits;
  readonly longestPauseMs?: number;
}

/** A server, a client on a fake clock, and the events of the client; closed by `await using`. */
export class Fixture implements AsyncDisposable {
  readonly server: ScriptedServer;
  readonly clock: FakeClock;
  readonly recorder: Recorder;
  readonly client: Client;

  private constructor(
    server: ScriptedServer,
    { budget = { perMinute: 100 }, longestPauseMs, ...options }: FixtureOptions,
  ) {
    this.server = server;
    this.clock = new FakeClock();
    this.recorder = new Recorder();
    this.client = new Client({
      baseUrl: server.url,
      userAgent: "stacks-exporter/0.0.0",
      budget: new Budget(budget, this.clock, undefined, undefined, longestPauseMs),
      key: () => SECRET,
      redactor: new Redactor([SECRET]),
      clock: this.clock,
      observer: this.recorder,
      ...options,
    });
  }

  static async start(scenes: readonly Scene[], options: FixtureOptions = {}): Promise<Fixture> {
    return new Fixture(await ScriptedServer.start(...scenes), options);
  }

  /** The API for a poll that ends after some milliseconds. */
  api(milliseconds = 30_000, options: Partial<PollOptions> = {}) {
    const signal = new AbortController().signal;
    return this.client.forPoll({ priority: 0, signal, deadline: this.clock.elapsed() + milliseconds, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
    await this.server.close();
  }
}

/** The ApiError with which a promise fails; anything else fails the test. Checks that it shows no secret. */
export async function failure(promise: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await promise.then(
    () => new Error("did not fail"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw error;
  const shown = inspect(error, { depth: 20, showHidden: true }) + error.stack;
  if (shown.includes(SECRET)) throw new Error("the error shows the key");
  return error;
}
