import { expect, test } from "@jest/globals";
import type { Reason } from "../../src/api/errors.ts";
import type { Status } from "../../src/http/status-json.ts";
import type { NetworkReport } from "../../src/telemetry/reports.ts";
import { at, NOON, StatusWorld, type Written } from "../support/status.ts";

type Problem = Partial<Written<Status>["problems"][number]>;

/** A network on which the polls of some collectors have ended as given, some seconds ago. */
class Case {
  readonly world = new StatusWorld();

  constructor(changes: Partial<NetworkReport> = {}) {
    this.world.network("mainnet", changes);
  }

  good(name: string, secondsAgo = 1): this {
    this.world.succeed(this.world.task(name), secondsAgo);
    return this;
  }

  bad(name: string, reason: Reason, message = "no", ...secondsAgo: readonly number[]): this {
    const task = this.world.task(name);
    for (const seconds of secondsAgo.length === 0 ? [5] : secondsAgo) this.world.fail(task, seconds, reason, message);
    return this;
  }

  recovered(name: string): this {
    const task = this.world.task(name);
    this.world.fail(task, 120, "http_server");
    this.world.succeed(task, 3);
    return this;
  }

  waiting(name: string): this {
    this.world.task(name);
    return this;
  }

  lacking(name: string): this {
    this.world.lack(this.world.task(name), 3600);
    return this;
  }

  /** Addresses and their failures, or the seconds since their success. */
  addresses(failures: Readonly<Record<string, readonly [Reason, string] | number>>): this {
    const tasks = this.world.watch("addresses", Object.keys(failures));
    for (const [index, end] of Object.values(failures).entries()) {
      const task = tasks[index] ?? this.world.task("addresses");
      if (typeof end === "number") this.world.succeed(task, end);
      else this.world.fail(task, 5, ...end);
    }
    return this;
  }

  reloads(changes: Partial<StatusWorld["reloads"]>): this {
    this.world.reloads = { ...this.world.reloads, ...changes };
    return this;
  }
}

const failure = { message: "list.csv:3: no address s3cret", errors: 2, since: NOON - 30_000 };
const network = "mainnet";
const paused: Partial<NetworkReport> = { pausedUntil: NOON + 60_000 };
const pause = { network, message: "the API requested a pause (429)", until: at(60) };
const cause = { reason: "network", message: "ECONNREFUSED s3cret:3999: no connection" } as const;
const outage = { operation: undefined, since: NOON - 90_000, cause, nextProbeAt: NOON + 15_000 };
const unreachable = "the API cannot be reached (network): ECONNREFUSED ***:3999: no connection";
const down = { network, message: unreachable, since: at(-90), until: at(15) };
const blocked = { reason: "wrong_chain", message: "block 1 is another one", since: NOON - 5000 } as const;
const [notFound, late, broken] = [
  ["not_found", "no such address"],
  ["timeout", "late"],
  ["http_server", "500"],
] as const;
const expired = (collector: string, values: string): Problem => ({
  ...{ network, collector },
  message: `${values} older than their maximum age, and absent from the metrics`,
});
const on = (collector: string, message: string, since = -5): Problem => ({
  ...{ network, collector, message, since: at(since) },
});
const onAll = (message: string, since = -5): Problem => ({ network, message, since: at(since) });

test.each<[string, Case, Status["status"], readonly Problem[]]>([
  ["every poll succeeded", new Case().good("fees"), "ok", []],
  ["a collector has recovered", new Case().recovered("fees"), "ok", []],
  ["a target waits for its first poll", new Case().good("fees").waiting("mempool"), "starting", []],
  ["the server lacks the operation of a collector", new Case().good("fees").lacking("transactions"), "ok", []],
  [
    "a retired operation has a replacement",
    new Case({ retired: [{ operation: "mempool_fees", since: NOON, nextTryAt: NOON }] }).good("fees"),
    "ok",
    [],
  ],
  ["a pause has ended", new Case({ pausedUntil: NOON }).good("fees"), "ok", []],
  [
    "a target fails, since its first failure in a row",
    new Case().good("mempool").bad("fees", "http_server", "mempool_fees: 503", 15, 5),
    "degraded",
    [on("fees", "the API reports a server error (http_server): mempool_fees: 503", -15)],
  ],
  [
    "values expire, although no poll failed",
    new Case().good("fees", 30),
    "degraded",
    [expired("fees", "its values are")],
  ],
  [
    "a changed watch list has errors",
    new Case().good("fees").reloads({ files: { failure } }),
    "degraded",
    [
      {
        subject: "watch list",
        message: "the changed watch list is not in use, the previous one is: list.csv:3: no address *** (and 1 more)",
        since: at(-30),
      },
    ],
  ],
  [
    "a changed web configuration has an error",
    new Case().good("fees").reloads({ web: { failure: { ...failure, errors: 1 } } }),
    "degraded",
    [
      {
        subject: "web configuration",
        message: "the changed web configuration is not in use, the previous one is: list.csv:3: no address ***",
        since: at(-30),
      },
    ],
  ],
  [
    "every collector fails for one cause",
    new Case().bad("fees", "http_server").bad("mempool", "http_server"),
    "down",
    [onAll("fees and mempool: the API reports a server error (http_server): no")],
  ],
  [
    "every other collector fails",
    new Case().lacking("transactions").bad("fees", ...late),
    "down",
    [on("fees", "the API does not respond in time (timeout): late")],
  ],
  [
    "the operation of the only collector is retired",
    new Case().bad("fees", "gone", "mempool_fees: gone", 60),
    "down",
    [on("fees", "the operation is retired (gone): mempool_fees: gone", -60)],
  ],
  [
    "the API follows another chain, which is the cause of failures",
    new Case({ blocked }).bad("fees", "wrong_chain").good("mempool"),
    "down",
    [onAll("the API follows another chain (wrong_chain): block 1 is another one")],
  ],
  ["the API requested a pause", new Case(paused).good("fees"), "degraded", [pause]],
  [
    "a pause fails every collector",
    new Case(paused).bad("fees", "rate_limited").bad("mempool", "rate_limited"),
    "down",
    [pause],
  ],
  [
    "a pause fails a collector, and another one fails for another reason",
    new Case(paused).bad("fees", "rate_limited").addresses({ vault: notFound }).good("blocks"),
    "degraded",
    [pause, on("addresses", "vault: the API does not know it (not_found): no such address")],
  ],
  [
    "an outage of the whole API fails polls",
    new Case({ outage }).bad("fees", "network", "", 90).bad("mempool", "network", "", 80),
    "down",
    [down],
  ],
  [
    "an outage of the whole API has not failed every collector, and one fails for another reason",
    new Case({ outage }).bad("fees", "network").good("blocks").bad("contracts", "gone"),
    "down",
    [down, on("contracts", "the operation is retired (gone): no")],
  ],
  [
    "one operation has an outage",
    new Case({ outage: { ...outage, operation: "block" } }).bad("blocks", ...late).good("fees"),
    "degraded",
    [on("blocks", "the API does not respond in time (timeout): late")],
  ],
  [
    "collectors fail for two reasons of the network",
    new Case()
      .bad("fees", ...late, 9)
      .bad("mempool", "behind", "2 blocks")
      .bad("blocks", "behind", "3 blocks"),
    "down",
    [
      on("fees", "the API does not respond in time (timeout): late", -9),
      onAll("mempool and blocks: the API is behind the chain (behind): 3 blocks"),
    ],
  ],
  [
    "two collectors and some targets of another one fail for one cause",
    new Case()
      .bad("fees", ...broken)
      .bad("mempool", ...broken)
      .addresses({ a: broken, b: broken, c: 1 }),
    "degraded",
    [onAll("fees, mempool and addresses (2 of 3): the API reports a server error (http_server): 500")],
  ],
  [
    "many targets fail for one cause",
    new Case().addresses({ a: late, b: late, c: late, d: late, e: late, f: 1 }),
    "degraded",
    [on("addresses", "5 of 6 targets fail, a, b, c and 2 more: the API does not respond in time (timeout): late")],
  ],
  [
    "targets of a collector fail for two reasons, and values of another one expire",
    new Case().addresses({ a: notFound, b: late, c: 30 }),
    "degraded",
    [
      on("addresses", "1 of 3 targets fail, a: the API does not know it (not_found): no such address"),
      on("addresses", "1 of 3 targets fail, b: the API does not respond in time (timeout): late"),
      expired("addresses", "the values of 1 of 3 targets are"),
    ],
  ],
])("when %s", (_, { world }, status, problems) => {
  expect([world.json().status, world.json().problems]).toEqual([status, problems]);
});
