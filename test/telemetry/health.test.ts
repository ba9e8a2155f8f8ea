import { beforeEach, describe, expect, test } from "@jest/globals";
import type { NetworkReport } from "../../src/telemetry/reports.ts";
import { at, NOON, StatusWorld, watched } from "../support/status.ts";

let world: StatusWorld;
beforeEach(() => {
  world = new StatusWorld();
});

const minute = 60_000;
const asNetwork = (changes: Partial<NetworkReport> = {}) => world.network("mainnet", changes);

describe("the health is", () => {
  beforeEach(() => {
    asNetwork();
  });

  test("ok when the last poll of every target succeeded", () => {
    world.succeed(world.task("fees"), 7);
    expect(world.json()).toMatchObject({ status: "ok", problems: [] });
  });

  test("ok after a recovery", () => {
    const fees = world.task("fees");
    world.fail(fees, 120, "http_server");
    world.succeed(fees, 3);
    expect(world.json()).toMatchObject({ status: "ok", problems: [] });
  });

  test("ok when the server lacks the operation of a collector, also after its values have expired", () => {
    const lacking = world.task("transactions");
    world.succeed(world.task("fees"), 7);
    world.succeed(lacking, 7200);
    world.lack(lacking, 3600);
    expect(world.json()).toMatchObject({ status: "ok", problems: [] });
  });

  test("down when every other collector fails", () => {
    world.lack(world.task("transactions"), 3600);
    world.fail(world.task("fees"), 1, "timeout");
    expect(world.json()).toMatchObject({ status: "down" });
  });

  test("starting while a target waits for its first poll", () => {
    world.succeed(world.task("fees"), 7);
    world.task("mempool");
    expect(world.json()).toMatchObject({ status: "starting", problems: [] });
  });

  test("degraded when a target fails, since its first failure in a row", () => {
    const fees = world.task("fees");
    world.succeed(world.task("mempool"), 1);
    world.succeed(fees, 25);
    world.fail(fees, 15, "http_server", "mempool_fees: expected 200, got 500");
    world.fail(fees, 5, "http_server", "mempool_fees: expected 200, got 503");

    const message = "the API reports a server error (http_server): mempool_fees: expected 200, got 503";
    expect(world.json()).toMatchObject({ status: "degraded" });
    expect(world.json().problems).toEqual([{ network: "mainnet", collector: "fees", since: at(-15), message }]);
  });

  test("degraded when values expire, even if no poll failed", () => {
    world.succeed(world.task("fees"), 30);
    const message = "its values are older than their maximum age, and absent from the metrics";
    expect(world.json()).toMatchObject({ status: "degraded", problems: [{ collector: "fees", message }] });
  });

  test("degraded when a changed watch list has errors", () => {
    world.succeed(world.task("fees"), 1);
    const failure = { message: "wallets.csv:3: expected an address s3cret", errors: 2, since: NOON - 30_000 };
    world.reloads = { ...world.reloads, files: { failure } };

    const message =
      "the changed watch list is not in use, the previous one is: wallets.csv:3: expected an address *** (and 1 more)";
    expect(world.json()).toMatchObject({ status: "degraded" });
    expect(world.json().problems).toEqual([{ subject: "watch list", message, since: at(-30) }]);
  });

  test("degraded when a changed web configuration has errors", () => {
    world.succeed(world.task("fees"), 5);
    const failure = { message: "web.yml:2: expected a file", errors: 1, since: world.now - 30_000 };
    world.reloads = { ...world.reloads, web: { failure } };

    const message = "the changed web configuration is not in use, the previous one is: web.yml:2: expected a file";
    expect(world.json()).toMatchObject({ status: "degraded" });
    expect(world.json().problems).toEqual([{ subject: "web configuration", message, since: at(-30) }]);
    expect(world.pageText()).toContain(`web configuration : ${message}`);
  });

  test("down when no target of a network succeeds, since the first failure", () => {
    for (const name of ["fees", "mempool"]) {
      const task = world.task(name);
      world.succeed(task, name === "fees" ? 20 : 12);
      world.fail(task, 5, "http_server");
    }

    const message = "fees and mempool: the API reports a server error (http_server): no";
    expect(world.json()).toMatchObject({ status: "down" });
    expect(world.json().problems).toEqual([{ network: "mainnet", message, since: at(-5) }]);
  });

  test("down when the operation of the only collector is retired", () => {
    world.fail(world.task("fees"), 60, "gone", "mempool_fees: gone");

    const message = "the operation is retired (gone): mempool_fees: gone";
    expect(world.json()).toMatchObject({ status: "down" });
    expect(world.json().problems).toEqual([{ network: "mainnet", collector: "fees", message, since: at(-60) }]);
  });
});

test("the API follows another chain: the network is down, with one problem for all collectors", () => {
  asNetwork({ blocked: { reason: "wrong_chain", message: "block 1 is another one", since: NOON - 5000 } });
  world.fail(world.task("fees"), 1, "wrong_chain", "block: block 1 is another one");
  world.succeed(world.task("mempool"), 1);

  const message = "the API follows another chain (wrong_chain): block 1 is another one";
  expect(world.json()).toMatchObject({ status: "down" });
  expect(world.json().problems).toEqual([{ network: "mainnet", message, since: at(-5) }]);
});

test("a retired operation is not a problem while its collector has a replacement", () => {
  const times = { since: NOON, nextTryAt: NOON + 60 * minute };
  asNetwork({ retired: [{ operation: "mempool_fees", ...times }] });
  world.succeed(world.task("fees"), 1);
  expect(world.json()).toMatchObject({ status: "ok", problems: [] });
});

describe("a pause", () => {
  const message = "the API requested a pause (429)";

  test("is a problem until it ends, even if no poll failed", () => {
    asNetwork({ pausedUntil: NOON + minute });
    world.succeed(world.task("fees"), 7);
    expect(world.json()).toMatchObject({ status: "degraded" });
    expect(world.json().problems).toEqual([{ network: "mainnet", message, until: at(60) }]);
  });

  test("is not a problem after its end", () => {
    asNetwork({ pausedUntil: NOON });
    world.succeed(world.task("fees"), 7);
    expect(world.json()).toMatchObject({ status: "ok", problems: [] });
  });

  test("that fails every collector is one problem", () => {
    asNetwork({ pausedUntil: NOON + minute });
    for (const name of ["fees", "mempool", "blocks"]) {
      const task = world.task(name);
      world.succeed(task, 20);
      world.fail(task, 5, "rate_limited", "paused for 65 s");
    }

    expect(world.json()).toMatchObject({ status: "down" });
    expect(world.json().problems).toEqual([{ network: "mainnet", message, until: at(60) }]);
  });

  test("that fails some collectors is one problem; a failure for another reason is another problem", () => {
    asNetwork({ pausedUntil: NOON + minute });
    for (const name of ["fees", "mempool"]) world.fail(world.task(name), 5, "rate_limited", "paused for 65 s");
    world.fail(world.task("addresses", { target: watched("SP1", "vault") }), 5, "not_found", "no such address");
    world.succeed(world.task("blocks"), 1);

    expect(world.json()).toMatchObject({ status: "degraded" });
    expect(world.json().problems.map(({ collector, message }) => [collector, message])).toEqual([
      [undefined, message],
      ["addresses", "vault: the API does not know it (not_found): no such address"],
    ]);
  });
});

describe("an outage", () => {
  test("of the whole API is one problem with its first cause and the time of the next request", () => {
    const cause = { reason: "network", message: `ECONNREFUSED ${world.secret}:3999: no connection` } as const;
    asNetwork({ outage: { operation: undefined, since: NOON - 90_000, cause, nextProbeAt: NOON + 15_000 } });
    world.fail(world.task("fees"), 90, "network");
    world.fail(world.task("mempool"), 80, "network");

    const message = "the API cannot be reached (network): ECONNREFUSED ***:3999: no connection";
    expect(world.json()).toMatchObject({ status: "down" });
    expect(world.json().problems).toEqual([{ network: "mainnet", message, since: at(-90), until: at(15) }]);

    world.succeed(world.task("blocks"), 7);
    world.fail(world.task("contracts"), 70, "gone");
    expect(world.json().status).toBe("down");
    expect(world.json().problems).toMatchObject([
      { message, since: at(-90), until: at(15) },
      { collector: "contracts" },
    ]);
  });

  test("of one operation is a problem of the collectors that need it", () => {
    const cause = { reason: "timeout", message: "late" } as const;
    asNetwork({ outage: { operation: "block", since: NOON, cause, nextProbeAt: NOON + 15_000 } });
    world.fail(world.task("blocks"), 90, "timeout");
    world.succeed(world.task("fees"), 7);

    expect(world.json().problems.map(({ collector }) => collector)).toEqual(["blocks"]);
  });

  test("with several causes is one problem for each", () => {
    asNetwork();
    for (const [name, reason] of [
      ["fees", "timeout"],
      ["mempool", "network"],
      ["blocks", "network"],
    ] as const) {
      world.fail(world.task(name), 5, reason, `${name} failed`);
    }

    expect(world.json().problems.map(({ message }) => message)).toEqual([
      "the API does not respond in time (timeout): fees failed",
      "mempool and blocks: the API cannot be reached (network): blocks failed",
    ]);
  });
});

describe("while other collectors succeed,", () => {
  beforeEach(() => {
    asNetwork();
  });

  test("collectors that fail for the same reason of the network are one problem", () => {
    for (const name of ["fees", "mempool"]) world.fail(world.task(name), name === "fees" ? 9 : 5, "behind", "2 blocks");
    world.fail(world.task("contracts"), 5, "bad_body", "no list");
    world.succeed(world.task("blocks"), 1);

    expect(world.json().problems).toEqual([
      {
        network: "mainnet",
        message: "fees and mempool: the API is behind the chain (behind): 2 blocks",
        since: at(-9),
      },
      {
        ...{ network: "mainnet", collector: "contracts", since: at(-5) },
        message: "the response does not have the expected form (bad_body): no list",
      },
    ]);
  });

  test("the same cause is one problem of all collectors, also if it fails some targets only", () => {
    world.fail(world.task("fees"), 5, "http_server", "500");
    world.fail(world.task("mempool"), 5, "http_server", "500");
    for (const [index, task] of world.watch("addresses", ["a", "b", "c", "d", "e", "treasury"]).entries()) {
      if (index < 5) world.fail(task, 5, "http_server", "500");
      else world.succeed(task, 1);
    }

    expect(world.json().problems.map(({ collector, message }) => [collector, message])).toEqual([
      [undefined, "fees, mempool and addresses (5 of 6): the API reports a server error (http_server): 500"],
    ]);
  });

  test("failing targets of a collector are one problem for each reason, and one for expired values", () => {
    const [a, b, c] = world.watch("addresses", ["a", "b", "c"]);
    for (const task of [a, b, c]) if (task !== undefined) world.succeed(task, task === c ? 30 : 10);
    if (a !== undefined) world.fail(a, 5, "not_found", "no such address");
    if (b !== undefined) world.fail(b, 4, "timeout", "late");

    expect(world.json().problems.map(({ message }) => message)).toEqual([
      "1 of 3 targets fail, a: the API does not know it (not_found): no such address",
      "1 of 3 targets fail, b: the API does not respond in time (timeout): late",
      "the values of 1 of 3 targets are older than their maximum age, and absent from the metrics",
    ]);
  });
});
