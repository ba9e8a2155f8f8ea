import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { ChainServer } from "./chain-server.ts";
import { UpstreamsFixture } from "./fixture.ts";

let first: ChainServer;
let second: ChainServer;
let fixture: UpstreamsFixture;

beforeEach(async () => {
  first = await ChainServer.start();
  second = await ChainServer.start();
});

afterEach(async () => {
  await fixture.close();
  await Promise.all([first.close(), second.close()]);
});

const twoUpstreams = (changes = {}) => {
  fixture = new UpstreamsFixture([first, second], changes);
  return fixture;
};

const active = () => fixture.upstreams.active.name;
const upOf = () => fixture.report().map(({ up }) => up);

test("polls use the first upstream, and a key goes to no other upstream", async () => {
  twoUpstreams();
  fixture.run();
  expect(await fixture.poll()).toBe("ok");
  await fixture.pass(240_000);

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

test("after three failures in a row another upstream takes over, and the cause is logged", async () => {
  twoUpstreams();
  await fixture.poll();
  first.failure = 503;
  expect([await fixture.poll(), await fixture.poll()]).toEqual(["http_server", "http_server"]);
  expect(active()).toBe("u0");
  await fixture.poll();
  await fixture.idle();

  expect(active()).toBe("u1");
  expect(fixture.switches).toEqual(["u1"]);
  expect(upOf()).toEqual([false, true]);
  expect(fixture.log.find(({ message }) => message === "another upstream takes over")).toMatchObject({
    level: "warn",
    network: "n",
    from: "u0",
    to: "u1",
    reason: "http_server",
    cause: expect.stringContaining("HTTP 503"),
  });
  expect(await fixture.poll()).toBe("ok");
  expect(second.count("/value")).toBe(1);
});

test("a success in between, simultaneous failures and local failures do not switch", async () => {
  twoUpstreams();
  await fixture.poll();
  first.failure = 503;
  await fixture.poll();
  await fixture.poll();
  first.failure = undefined;
  await fixture.poll();
  first.failure = 503;
  // One outage fails all collectors at the same time.
  const stop = new AbortController();
  const poll = { priority: 1, signal: stop.signal, deadline: fixture.clock.now() + 5000, counts: true };
  const apis = await Promise.all([1, 2, 3, 4, 5].map(() => fixture.upstreams.forPoll(poll)));
  for (const api of apis) fixture.upstreams.ended(api, { collector: "fees", reason: "http_server", message: "" });
  for (const reason of ["budget", "state", "bug", "not_found", "gone"] as const) {
    const api = await fixture.upstreams.forPoll(poll);
    fixture.upstreams.ended(api, { collector: "fees", reason, message: "" });
  }
  await fixture.idle();

  expect(active()).toBe("u0");
  expect(fixture.switches).toEqual([]);
});

test("a long pause switches, a short one does not", async () => {
  twoUpstreams();
  await fixture.poll();
  const { upstreams, clock } = fixture;
  const rateLimited = async () => {
    const poll = { priority: 1, signal: new AbortController().signal, deadline: clock.now() + 5000, counts: false };
    const api = await upstreams.forPoll(poll);
    upstreams.ended(api, { collector: "fees", reason: "rate_limited", message: "429" });
    await clock.advance(5000);
    await fixture.idle();
  };
  for (let times = 0; times < 5; times += 1) await rateLimited();
  expect(active()).toBe("u0");

  const { client } = upstreams.active;
  const snapshot = client.snapshot.bind(client);
  client.snapshot = () => ({ ...snapshot(), pausedUntil: clock.now() + 600_000 });
  for (let times = 0; times < 3; times += 1) await rateLimited();

  expect(active()).toBe("u1");
});

test("an upstream that is behind is replaced although other collectors succeed on it", async () => {
  twoUpstreams();
  for (let times = 0; times < 3; times += 1) {
    expect(await fixture.poll({ collector: "blocks", end: "behind" })).toBe("behind");
    expect(await fixture.poll({ collector: "fees", counts: false })).toBe("ok");
  }
  await fixture.idle();

  expect(active()).toBe("u1");
});

describe("the preferred upstream", () => {
  test("returns when it has been healthy for the configured time, not before", async () => {
    twoUpstreams();
    fixture.run();
    await fixture.poll();
    first.failure = 500;
    for (let times = 0; times < 3; times += 1) await fixture.poll();
    await fixture.pass(240_000);
    expect(active()).toBe("u1");
    first.failure = undefined;
    await fixture.pass(480_000);
    expect(active()).toBe("u1");
    expect(upOf()).toEqual([true, true]);
    await fixture.pass(360_000);

    expect(active()).toBe("u0");
    expect(fixture.switches).toEqual(["u1", "u0"]);
    expect(fixture.log.at(-1)).toMatchObject({ level: "info", from: "u1", to: "u0", reason: "recovered" });
  });
});

test("while no upstream is fit, the active one stays, and few probes are sent", async () => {
  twoUpstreams();
  await fixture.poll();
  first.failure = 500;
  second.failure = 500;
  for (let times = 0; times < 20; times += 1) await fixture.poll();
  await fixture.idle();

  expect(active()).toBe("u0");
  expect(upOf()).toEqual([false, false]);
  // One for each half minute.
  expect(second.count()).toBeLessThanOrEqual(4);
});

describe("lag", () => {
  const polled = async (minutes: number) => {
    for (let passed = 0; passed < minutes; passed += 1) {
      if (active() === "u0") await fixture.readTip();
      await fixture.pass(60_000);
    }
  };

  test("an upstream whose tip stays behind is replaced after some time", async () => {
    twoUpstreams();
    fixture.run();
    await fixture.poll();
    first.tip = 80;
    await polled(4);
    expect(active()).toBe("u0");
    await polled(8);

    expect(active()).toBe("u1");
    expect(fixture.report()[0]).toMatchObject({
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
    fixture.run();
    await fixture.poll();
    second.tip = tip;
    if (hash !== undefined) second.other.set(tip, hash);
    await polled(15);

    expect(active()).toBe("u0");
  });

  test("present values of an upstream that lags are refused with `behind`, and counters are still polled", async () => {
    fixture = new UpstreamsFixture([first]);
    const outcomes = [];
    for (const tip of [91, 80, 100]) {
      first.tip = tip;
      await fixture.readTip();
      outcomes.push(await fixture.poll({ collector: "fees", counts: false }), await fixture.poll());
    }

    expect(outcomes).toEqual(["ok", "ok", "behind", "ok", "ok", "ok"]);
    expect(first.count("/value")).toBe(5);
  });

  test("of a single upstream is measured against the tip of the collectors, without additional requests", async () => {
    fixture = new UpstreamsFixture([first]);
    fixture.run();
    fixture.knownTip = 130;
    expect(await fixture.poll()).toBe("ok");
    await fixture.pass(600_000);
    expect(first.count("/extended")).toBe(1);
    expect(fixture.report()[0]).toMatchObject({ up: true, lag_blocks: undefined });
    for (const tip of [121, 100]) {
      first.tip = tip;
      await fixture.readTip();
    }
    expect(fixture.report()[0]).toMatchObject({ up: true, lag_blocks: 30, tip_height: 100 });
    await fixture.pass(300_000);

    expect(fixture.report()[0]).toMatchObject({ up: false, cause: { reason: "behind" } });
  });
});
