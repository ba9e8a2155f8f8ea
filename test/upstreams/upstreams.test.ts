import { describe, expect, test } from "@jest/globals";
import { status } from "../../src/chain/block-source.ts";
import { failure, NONE } from "../api/fixture.ts";
import { ofEachTest, UpstreamsFixture } from "./fixture.ts";

const world = ofEachTest();

const twoUpstreams = (changes = {}) => {
  world.fixture = new UpstreamsFixture([world.first, world.second], changes);
  return world.fixture;
};

const active = () => world.fixture.upstreams.active.name;
const upOf = () => world.fixture.report().map(({ up }) => up);

test("polls use the first upstream, and a key goes to no other upstream", async () => {
  twoUpstreams();
  world.fixture.run();
  expect(await world.fixture.poll()).toBe("ok");
  await world.fixture.pass(240_000);

  expect(active()).toBe("u0");
  expect(world.first.count("/value")).toBe(1);
  expect(world.second.count("/value")).toBe(0);
  expect(world.second.count()).toBeGreaterThan(0);
  for (const [server, key] of [
    [world.first, "key-of-upstream-0"],
    [world.second, "key-of-upstream-1"],
  ] as const) {
    expect(new Set(server.seen.map(({ headers }) => headers["x-api-key"]))).toEqual(new Set([key]));
  }
});

test("when polls have failed for ten seconds another upstream takes over, and the cause is logged", async () => {
  twoUpstreams();
  await world.fixture.poll();
  world.first.failure = 503;
  expect([await world.fixture.poll(), await world.fixture.poll()]).toEqual(["http_server", "http_server"]);
  expect(active()).toBe("u0");
  await world.fixture.poll();
  await world.fixture.idle();

  expect(active()).toBe("u1");
  expect(world.fixture.switches).toEqual(["u1"]);
  expect(upOf()).toEqual([false, true]);
  expect(world.fixture.log.find(({ message }) => message === "another upstream takes over")).toMatchObject({
    level: "warn",
    network: "n",
    from: "u0",
    to: "u1",
    reason: "http_server",
    cause: expect.stringContaining("HTTP 503"),
  });
  expect(await world.fixture.poll()).toBe("ok");
  expect(world.second.count("/value")).toBe(1);
});

test("requests wait for the next probe of a server that is down: no early poll fails for it", async () => {
  world.fixture = new UpstreamsFixture([world.first]);
  const { upstreams } = world.fixture;
  await world.fixture.poll();
  world.first.failure = 503;
  for (let times = 0; times < 3; times += 1) {
    await world.fixture.poll();
    await world.fixture.readTip().catch(() => undefined);
  }
  const probeIn = upstreams.active.client.waitFor(1);
  world.first.failure = undefined;
  await world.fixture.pass(probeIn);

  expect(probeIn).toBeGreaterThan(0);
  expect(upstreams.active.client.waitFor(1)).toBe(0);
  expect(await world.fixture.poll()).toBe("ok");
});

test("a success in between, simultaneous failures and local failures do not switch", async () => {
  twoUpstreams();
  await world.fixture.poll();
  world.first.failure = 503;
  await world.fixture.poll();
  await world.fixture.poll();
  world.first.failure = undefined;
  await world.fixture.poll();
  world.first.failure = 503;
  // One outage fails all collectors at the same time.
  const apis = await Promise.all([1, 2, 3, 4, 5].map(() => world.fixture.api()));
  for (const api of apis) api.ended("fees", { reason: "http_server", message: "" });
  for (const reason of ["budget", "state", "bug", "not_found", "gone"] as const) {
    const api = await world.fixture.api();
    api.ended("fees", { reason, message: "" });
  }
  await world.fixture.idle();

  expect(active()).toBe("u0");
  expect(world.fixture.switches).toEqual([]);
});

test("a server that requests one short pause after the other is left after a minute, and not before", async () => {
  twoUpstreams();
  await world.fixture.poll();
  world.first.failure = 429;
  const rateLimited = async () => {
    const api = await world.fixture.api(2000, false);
    const { reason, message } = await failure(api.get(status, NONE));
    api.ended("fees", { reason, message });
    await world.fixture.idle();
    await world.fixture.clock.advance(5000);
    return reason;
  };
  for (let times = 0; times < 12; times += 1) expect(await rateLimited()).toBe("rate_limited");
  expect(active()).toBe("u0");
  await rateLimited();

  expect(active()).toBe("u1");
});

test("a pause before the first failure does not count as a part of it", async () => {
  twoUpstreams();
  for (const [end, upstream] of [
    ...Array.from({ length: 4 }, () => ["rate_limited", "u0"] as const),
    ["timeout", "u0"],
    ["timeout", "u1"],
  ] as const) {
    await world.fixture.poll({ collector: "fees", end });
    await world.fixture.idle();
    expect(active()).toBe(upstream);
    await world.fixture.pass(12_000);
  }
});

test.each([
  ["that is behind", "behind", 0],
  ["without blocks", "timeout", 6000],
] as const)("an upstream %s is replaced although other collectors succeed on it", async (_, end, pause) => {
  twoUpstreams();
  for (let times = 0; times < 3; times += 1) {
    expect(await world.fixture.poll({ collector: "blocks", end })).toBe(end);
    await world.fixture.pass(pause);
    expect(await world.fixture.poll({ collector: "fees", counts: false })).toBe("ok");
  }
  await world.fixture.idle();

  expect(active()).toBe("u1");
});

test("polls without requests do not keep an upstream that is no API any more", async () => {
  twoUpstreams();
  await world.fixture.poll();
  for (let times = 0; times < 3; times += 1) {
    await world.fixture.poll({ collector: "blocks", end: "bad_body" });
    const api = await world.fixture.api();
    api.checkUp(status);
    api.ended("waiting");
  }
  await world.fixture.idle();

  expect(active()).toBe("u1");
});

test("the preferred upstream returns when it has been healthy for the configured time, not before", async () => {
  twoUpstreams();
  world.fixture.run();
  await world.fixture.poll();
  world.first.failure = 500;
  for (let times = 0; times < 3; times += 1) await world.fixture.poll();
  await world.fixture.pass(240_000);
  expect(active()).toBe("u1");
  world.first.failure = undefined;
  await world.fixture.pass(480_000);
  expect(active()).toBe("u1");
  expect(upOf()).toEqual([true, true]);
  await world.fixture.pass(360_000);

  expect(active()).toBe("u0");
  expect(world.fixture.switches).toEqual(["u1", "u0"]);
  expect(world.fixture.log.at(-1)).toMatchObject({ level: "info", from: "u1", to: "u0" });
});

test("while no upstream is fit, the active one stays, and few probes are sent", async () => {
  twoUpstreams();
  await world.fixture.poll();
  world.first.failure = 500;
  world.second.failure = 500;
  for (let times = 0; times < 20; times += 1) await world.fixture.poll();
  await world.fixture.idle();

  expect(active()).toBe("u0");
  expect(upOf()).toEqual([false, false]);
  // One for each half minute.
  expect(world.second.count()).toBeLessThanOrEqual(4);
});

describe("lag", () => {
  const polled = async (minutes: number) => {
    for (let passed = 0; passed < minutes; passed += 1) {
      if (active() === "u0") await world.fixture.readTip();
      await world.fixture.pass(60_000);
    }
  };

  test("an upstream whose tip stays behind is replaced after some time", async () => {
    twoUpstreams();
    world.fixture.run();
    await world.fixture.poll();
    world.first.tip = 80;
    await polled(4);
    expect(active()).toBe("u0");
    await polled(8);

    expect(active()).toBe("u1");
    expect(world.fixture.report()[0]).toMatchObject({
      up: false,
      lag_blocks: 20,
      cause: { reason: "behind", message: "its tip is 20 blocks behind the highest known one" },
    });
  });

  // Of the first, the block at the tip does not exist; of the second, it does.
  test.each([
    [120, "not a hash"],
    [1_000_100, undefined],
  ])("an upstream that claims the tip %d does not take over", async (tip, hash) => {
    twoUpstreams();
    world.fixture.run();
    await world.fixture.poll();
    world.second.tip = tip;
    if (hash !== undefined) world.second.other.set(tip, hash);
    await polled(15);

    expect(active()).toBe("u0");
    expect(world.fixture.report()[0]).toMatchObject({ up: true, lag_blocks: 0 });
  });

  test.each([
    [60, "u0"],
    [600, "u1"],
  ])(
    "with blocks_per_minute %d, a tip that is 400 blocks higher after a minute leaves %s active",
    async (rate, name) => {
      const blocks = { name: "blocks", options: { blocks_per_minute: rate } };
      twoUpstreams({ collectors: [blocks] });
      await world.fixture.poll();
      await world.fixture.pass(60_000);
      world.second.tip = 500;
      world.first.failure = 503;
      for (let times = 0; times < 3; times += 1) await world.fixture.poll();
      await world.fixture.idle();

      expect(active()).toBe(name);
    },
  );

  test("present values of an upstream that lags are refused with `behind`, and counters are still polled", async () => {
    world.fixture = new UpstreamsFixture([world.first]);
    const outcomes = [];
    for (const tip of [91, 80, 100]) {
      world.first.tip = tip;
      await world.fixture.readTip();
      outcomes.push(await world.fixture.poll({ collector: "fees", counts: false }), await world.fixture.poll());
    }

    expect(outcomes).toEqual(["ok", "ok", "behind", "ok", "ok", "ok"]);
    expect(world.first.count("/value")).toBe(5);
  });

  test("of a single upstream is measured against the tip of the collectors, without additional requests", async () => {
    world.fixture = new UpstreamsFixture([world.first]);
    world.fixture.run();
    world.fixture.knownTip = 130;
    expect(await world.fixture.poll()).toBe("ok");
    await world.fixture.pass(600_000);
    expect(world.first.count("/extended")).toBe(1);
    expect(world.fixture.report()[0]).toMatchObject({ up: true, lag_blocks: undefined });
    for (const tip of [121, 100]) {
      world.first.tip = tip;
      await world.fixture.readTip();
    }
    expect(world.fixture.report()[0]).toMatchObject({ up: true, lag_blocks: 30 });
    await world.fixture.pass(300_000);

    expect(world.fixture.report()[0]).toMatchObject({ up: false, cause: { reason: "behind" } });
  });
});
