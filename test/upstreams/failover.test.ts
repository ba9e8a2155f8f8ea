import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { ChainServer } from "./chain-server.ts";
import { World } from "./world.ts";

let first: ChainServer;
let second: ChainServer;
let world: World;

beforeEach(async () => {
  first = await ChainServer.start();
  second = await ChainServer.start();
});

afterEach(async () => {
  await world.close();
  await Promise.all([first.close(), second.close()]);
});

const several = (changes = {}) => {
  world = new World([first, second], changes);
  return world;
};

const active = () => world.upstreams.active.name;
const upOf = () => world.upstreams.report().map(({ isUp }) => isUp);

test("polls use the first upstream, and a key goes to no other upstream", async () => {
  several();
  world.run();
  expect(await world.poll()).toBe("ok");
  await world.pass(240_000);

  expect(active()).toBe("u0");
  expect(first.count("/value")).toBe(1);
  expect(second.count("/value")).toBe(0);
  expect(second.count()).toBeGreaterThan(0);
  for (const [server, key] of [
    [first, "key-of-upstream-0"],
    [second, "key-of-upstream-1"],
  ] as const) {
    expect(new Set(server.seen.map(({ headers }) => headers["x-api-key"]))).toEqual(new Set([key]));
  }
});

test("after three failures in a row another upstream takes over, and the log says why", async () => {
  several();
  await world.poll();
  first.failure = 503;
  expect([await world.poll(), await world.poll()]).toEqual(["http_server", "http_server"]);
  expect(active()).toBe("u0");
  await world.poll();
  await world.idle();

  expect(active()).toBe("u1");
  expect(world.switches).toEqual(["u1"]);
  expect(upOf()).toEqual([false, true]);
  expect(world.log.find(({ message }) => message === "another upstream takes over")).toMatchObject({
    level: "warn",
    network: "n",
    from: "u0",
    to: "u1",
    reason: "http_server",
    cause: expect.stringContaining("HTTP 503"),
  });
  expect(await world.poll()).toBe("ok");
  expect(second.count("/value")).toBe(1);
});

test("an upstream that cannot be reached is down at once, though it takes more failed polls to leave it", async () => {
  several({ failover: { failures: 50, lagBlocks: 10, lagForMs: 300_000, returnAfterMs: 1, probeEveryMs: 120_000 } });
  await world.poll();
  await first.close();
  await world.poll();
  expect(upOf()).toEqual([true, undefined]);
  for (let poll = 0; poll < 2; poll += 1) await world.poll();

  expect(active()).toBe("u0");
  expect(upOf()).toEqual([false, undefined]);
  expect(world.upstreams.report()[0]?.cause).toMatchObject({ reason: "network", since: expect.any(Number) });
});

test("a success in between, failures at the same time and local failures do not count", async () => {
  several();
  await world.poll();
  first.failure = 503;
  await world.poll();
  await world.poll();
  first.failure = undefined;
  await world.poll();
  first.failure = 503;
  // As many at once as there are collectors: one outage.
  const stop = new AbortController();
  const poll = { priority: 1, signal: stop.signal, deadline: world.clock.now() + 5000, counts: true };
  const apis = await Promise.all([1, 2, 3, 4, 5].map(() => world.upstreams.forPoll(poll)));
  for (const api of apis) world.upstreams.ended(api, { collector: "fees", reason: "http_server", message: "" });
  for (const reason of ["budget", "state", "bug", "not_found", "gone"] as const) {
    const api = await world.upstreams.forPoll(poll);
    world.upstreams.ended(api, { collector: "fees", reason, message: "" });
  }
  await world.idle();

  expect(active()).toBe("u0");
  expect(world.switches).toEqual([]);
});

test("a short pause is waited for, a long one is not", async () => {
  several();
  await world.poll();
  const { upstreams, clock } = world;
  const rateLimited = async () => {
    const poll = { priority: 1, signal: new AbortController().signal, deadline: clock.now() + 5000 };
    const api = await upstreams.forPoll(poll);
    upstreams.ended(api, { collector: "fees", reason: "rate_limited", message: "429" });
    await clock.advance(1000);
    await world.idle();
  };
  for (let times = 0; times < 5; times += 1) await rateLimited();
  expect(active()).toBe("u0");

  const { client } = upstreams.active;
  const snapshot = client.snapshot.bind(client);
  client.snapshot = () => ({ ...snapshot(), pausedUntil: clock.now() + 600_000 });
  for (let times = 0; times < 3; times += 1) await rateLimited();

  expect(active()).toBe("u1");
});

test("an upstream that is behind is left although other collectors succeed on it", async () => {
  several();
  for (let times = 0; times < 3; times += 1) {
    expect(await world.poll({ collector: "blocks", end: "behind" })).toBe("behind");
    expect(await world.poll({ collector: "fees", counts: false })).toBe("ok");
  }
  await world.idle();

  expect(active()).toBe("u1");
});

describe("the preferred upstream", () => {
  test("returns when it has been healthy for a while, not before", async () => {
    several();
    world.run();
    await world.poll();
    first.failure = 500;
    for (let times = 0; times < 3; times += 1) await world.poll();
    await world.pass(240_000);
    expect(active()).toBe("u1");
    first.failure = undefined;
    await world.pass(480_000);
    expect(active()).toBe("u1");
    expect(upOf()).toEqual([true, true]);
    await world.pass(360_000);

    expect(active()).toBe("u0");
    expect(world.switches).toEqual(["u1", "u0"]);
    expect(world.log.at(-1)).toMatchObject({ level: "info", from: "u1", to: "u0", reason: "recovered" });
  });

  test("does not return while it comes and goes", async () => {
    several();
    world.run();
    await world.poll();
    first.failure = 500;
    for (let times = 0; times < 3; times += 1) await world.poll();
    for (let times = 0; times < 8; times += 1) {
      first.failure = times % 2 === 0 ? undefined : 500;
      await world.pass(240_000);
    }

    expect(world.switches).toEqual(["u1"]);
  });
});

test("while no upstream is fit the active one stays, and few requests look for another one", async () => {
  several();
  await world.poll();
  first.failure = 500;
  second.failure = 500;
  for (let times = 0; times < 20; times += 1) await world.poll();
  await world.idle();

  expect(active()).toBe("u0");
  expect(upOf()).toEqual([false, false]);
  expect(second.count()).toBeLessThanOrEqual(2);
});

describe("lag", () => {
  const polled = async (minutes: number) => {
    for (let passed = 0; passed < minutes; passed += 1) {
      await world.poll();
      await world.pass(59_000);
    }
  };

  test("an upstream whose tip stays behind is left after a while", async () => {
    several();
    world.run();
    await world.poll();
    first.tip = 80;
    await polled(4);
    expect(active()).toBe("u0");
    await polled(8);

    expect(active()).toBe("u1");
    expect(world.upstreams.report()[0]).toMatchObject({
      isUp: false,
      lagBlocks: 20,
      cause: { reason: "behind", message: "its tip is 20 blocks behind the highest known one" },
    });
  });

  test("fewer blocks than the limit are no lag", async () => {
    several();
    world.run();
    first.tip = 91;
    await polled(15);

    expect(active()).toBe("u0");
    expect(world.upstreams.report()[0]).toMatchObject({ isUp: true, lagBlocks: 9 });
  });

  test("a tip that another upstream only claims takes nothing over", async () => {
    several();
    world.run();
    await world.poll();
    // The status is too high by 1,000, and the block is not there.
    Object.defineProperty(second, "tip", { get: () => 1100 });
    second.other.set(1100, "not a hash");
    await polled(15);

    expect(active()).toBe("u0");
  });

  test("with one upstream, it is measured against the tip that the collectors have accepted, without requests of its own", async () => {
    world = new World([first]);
    world.run();
    world.knownTip = 130;
    expect(await world.poll()).toBe("ok");
    await world.pass(600_000);
    expect(first.count("/extended")).toBe(1);
    expect(world.upstreams.report()[0]).toMatchObject({ isUp: true, lagBlocks: undefined });
    for (const tip of [121, 100]) {
      first.tip = tip;
      await world.askTip();
    }
    expect(world.upstreams.report()[0]).toMatchObject({ isUp: true, lagBlocks: 30, tipHeight: 100 });
    await world.pass(300_000);

    expect(world.upstreams.report()[0]).toMatchObject({ isUp: false, cause: { reason: "behind" } });
  });
});
