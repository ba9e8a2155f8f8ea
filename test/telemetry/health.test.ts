import { expect, test } from "@jest/globals";
import { REASONS, type Reason } from "../../src/api/errors.ts";
import type { Status } from "../../src/http/status.ts";
import type { NetworkReport } from "../../src/telemetry/status.ts";
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
const subject = "mainnet";
const paused: Partial<NetworkReport> = { pausedUntil: NOON + 60_000 };
const pause = {
  subject,
  message: `no request is sent before ${at(60)} (rate_limited: ${REASONS.rate_limited})`,
};
const cause = { reason: "network", message: "ECONNREFUSED s3cret:3999: no connection" } as const;
const outage = { since: NOON - 90_000, ...cause };
const down = {
  subject,
  message: `ECONNREFUSED ***:3999: no connection (network: ${REASONS.network})`,
  since: at(-90),
};
const blocked = { reason: "wrong_chain", message: "block 1 is another one", since: NOON - 5000 } as const;
const [notFound, late, broken] = [
  ["not_found", "no such address"],
  ["timeout", "late"],
  ["http_server", "500"],
] as const;
/** The problem of a changed file. */
const refused = (subject: string, found: string): Problem => ({
  subject,
  message: `the change is refused, and the previous one stays in use: ${found}`,
  since: at(-30),
});
/** The problem of some targets. */
const of = (targets: string, reason: Reason, message: string, since = -5): Problem => ({
  ...{ subject, message: `${targets}: ${message} (${reason}: ${REASONS[reason]})`, since: at(since) },
});

test.each<[string, Case, Status["status"], readonly Problem[]]>([
  ["every poll succeeded", new Case().good("fees"), "ok", []],
  ["a collector has recovered", new Case().recovered("fees"), "ok", []],
  ["a target waits for its first poll", new Case().good("fees").waiting("mempool"), "starting", []],
  ["the server lacks the operation of a collector", new Case().good("fees").lacking("transactions"), "ok", []],
  ["a pause has ended", new Case({ pausedUntil: NOON }).good("fees"), "ok", []],
  [
    "a target fails, since its first failure in a row",
    new Case().good("mempool").bad("fees", "http_server", "mempool_fees: 503", 15, 5),
    "degraded",
    [of("fees", "http_server", "mempool_fees: 503", -15)],
  ],
  ["values expire, although no poll failed", new Case().good("fees", 30), "degraded", []],
  [
    "a changed watch list has errors",
    new Case().good("fees").reloads({ files: { failure } }),
    "degraded",
    [refused("watch list", "list.csv:3: no address *** (and 1 more)")],
  ],
  [
    "a changed web configuration has an error",
    new Case().good("fees").reloads({ web: { failure: { ...failure, errors: 1 } } }),
    "degraded",
    [refused("web configuration", "list.csv:3: no address ***")],
  ],
  [
    "every collector fails for one cause",
    new Case().bad("fees", "http_server").bad("mempool", "http_server"),
    "down",
    [of("fees, mempool", "http_server", "no")],
  ],
  [
    "every other collector fails",
    new Case().lacking("transactions").bad("fees", ...late),
    "down",
    [of("fees", "timeout", "late")],
  ],
  [
    "the operation of the only collector is retired",
    new Case().bad("fees", "gone", "mempool_fees: gone", 60),
    "down",
    [of("fees", "gone", "mempool_fees: gone", -60)],
  ],
  [
    "the API follows another chain, which is the cause of failures",
    new Case({ blocked }).bad("fees", "wrong_chain").good("mempool"),
    "down",
    [{ subject, message: `block 1 is another one (wrong_chain: ${REASONS.wrong_chain})`, since: at(-5) }],
  ],
  ["the API requested a pause", new Case(paused).good("fees"), "degraded", [pause]],
  [
    "a pause fails a collector, and another one fails for another reason",
    new Case(paused).bad("fees", "rate_limited").addresses({ vault: notFound }).good("blocks"),
    "degraded",
    [pause, of("addresses of vault", ...notFound)],
  ],
  [
    "an outage of the whole API has not failed every collector, and one fails for another reason",
    new Case({ outage }).bad("fees", "network").good("blocks").bad("contracts", "gone"),
    "down",
    [down, of("contracts", "gone", "no")],
  ],
  [
    "collectors fail for two reasons of the network",
    new Case()
      .bad("fees", ...late, 9)
      .bad("mempool", "behind", "2 blocks")
      .bad("blocks", "behind", "3 blocks"),
    "down",
    [of("fees", "timeout", "late", -9), of("mempool, blocks", "behind", "3 blocks")],
  ],
  [
    "a collector and many targets of another one fail for one cause",
    new Case().bad("fees", ...broken).addresses({ a: broken, b: broken, c: broken, d: broken, e: 1 }),
    "degraded",
    [of("fees, addresses of a, addresses of b and 2 more", ...broken)],
  ],
  [
    "targets of a collector fail for two reasons, and values of another one expire",
    new Case().addresses({ a: notFound, b: late, c: 30 }),
    "degraded",
    [of("addresses of a", ...notFound), of("addresses of b", ...late)],
  ],
])("when %s", (_, { world }, status, problems) => {
  expect([world.json().status, world.json().problems]).toEqual([status, problems]);
});
