// A server that follows another chain, or whose database is empty.
import { beforeEach, describe, expect, test } from "@jest/globals";
import { hashOf } from "./chain-server.ts";
import { ofEachTest, UpstreamsFixture } from "./fixture.ts";

const A = hashOf("a", 1);

const world = ofEachTest();

test("the chain is read once in a process, by one request, and saved", async () => {
  world.fixture = new UpstreamsFixture([world.first]);
  await Promise.all([world.fixture.poll(), world.fixture.poll({ collector: "fees", counts: false })]);
  await world.fixture.poll();

  expect(world.first.seen.map(({ url }) => url)).toEqual(["/extended/v2/blocks/1", "/value", "/value", "/value"]);
  expect(world.fixture.saved.get("n")).toEqual(A);
});

test("on another chain than the saved one, every poll fails without further requests", async () => {
  world.first.chain = "b";
  world.fixture = new UpstreamsFixture([world.first], {}, A);
  const outcomes = [
    await world.fixture.poll(),
    await world.fixture.poll({ collector: "fees", counts: false }),
    await world.fixture.poll({ collector: "addresses" }),
  ];

  expect(outcomes).toEqual(["wrong_chain", "wrong_chain", "wrong_chain"]);
  expect(world.first.count()).toBe(1);
  expect(world.fixture.saved.get("n")).toEqual(A);
  expect(world.fixture.upstreams.active.chain.refused).toMatchObject({
    reason: "wrong_chain",
    message:
      `block 1 of the API is ${hashOf("b", 1)}, that of the chain of network n is ${hashOf("a", 1)}: ` +
      "nothing is polled; use another name for this network, or start once with --reset-state",
  });
  expect(world.fixture.report()).toMatchObject([{ name: "u0", active: true, up: false }]);
  expect(world.fixture.log.map(({ level, message }) => [level, message])).toEqual([
    ["error", "the upstream is not polled"],
  ]);
});

test("a refused chain is checked again after a minute, and polls continue when the right chain is back", async () => {
  world.first.chain = "b";
  world.fixture = new UpstreamsFixture([world.first], {}, A);
  await world.fixture.poll();
  world.first.chain = "a";
  expect(await world.fixture.poll()).toBe("wrong_chain");
  await world.fixture.pass(60_000);

  expect(await world.fixture.poll()).toBe("ok");
  expect(world.fixture.upstreams.active.chain.refused).toBeUndefined();
  expect(world.fixture.log.at(-1)?.message).toBe("the upstream follows the right chain again");
});

test.each(["behind", "wrong_chain"] as const)(
  "a change of the chain is found when a collector reports %s",
  async (end) => {
    world.fixture = new UpstreamsFixture([world.first], {}, A);
    await world.fixture.poll();
    world.first.chain = "b";
    expect(await world.fixture.poll({ end })).toBe(end);
    await world.fixture.pass(60_000);

    expect(await world.fixture.poll()).toBe("wrong_chain");
    expect(world.first.count("/extended/v2/blocks/1")).toBe(2);
  },
);

describe("with another upstream", () => {
  test("the other upstream takes over at once when it follows the right chain", async () => {
    world.first.chain = "b";
    world.fixture = new UpstreamsFixture([world.first, world.second], {}, A);

    expect(await world.fixture.poll()).toBe("ok");
    expect(world.fixture.switches).toEqual(["u1"]);
    expect(world.first.count("/value")).toBe(0);
    expect(world.fixture.upstreams.active.chain.refused).toBeUndefined();
    expect(world.fixture.report()).toMatchObject([
      { name: "u0", up: false, cause: { reason: "wrong_chain" } },
      { name: "u1", up: true, active: true },
    ]);
  });

  test("an upstream of another chain never takes over", async () => {
    world.second.chain = "b";
    world.fixture = new UpstreamsFixture([world.first, world.second], {}, A);
    await world.fixture.poll();
    world.first.failure = 500;
    for (let times = 0; times < 5; times += 1) await world.fixture.poll();

    expect(world.fixture.switches).toEqual([]);
    expect(world.second.count("/value")).toBe(0);
  });
});

describe("an empty database", () => {
  test("fails polls with `empty`, and polls continue when it is filled", async () => {
    world.first.tip = 0;
    world.fixture = new UpstreamsFixture([world.first]);
    expect(await world.fixture.poll()).toBe("empty");
    expect(await world.fixture.poll({ collector: "fees", counts: false })).toBe("empty");
    expect(world.fixture.upstreams.active.chain.refused).toMatchObject({ reason: "empty" });
    world.first.tip = 10;
    await world.fixture.pass(60_000);

    expect(await world.fixture.poll()).toBe("ok");
    expect(world.fixture.saved.get("n")).toEqual(A);
  });

  test("that was filled before blocks the network, when a collector finds it empty", async () => {
    world.fixture = new UpstreamsFixture([world.first]);
    await world.fixture.poll();
    world.first.tip = 0;
    await world.fixture.poll({ end: "empty" });
    await world.fixture.pass(60_000);

    expect(await world.fixture.poll()).toBe("empty");
  });
});

test("while the check of the chain fails, every poll fails for its reason, also after an earlier check found another chain", async () => {
  world.first.chain = "b";
  world.fixture = new UpstreamsFixture([world.first], {}, A);
  expect(await world.fixture.poll()).toBe("wrong_chain");
  world.first.failure = 503;
  await world.fixture.pass(60_000);
  expect(await world.fixture.poll({ collector: "fees", counts: false })).toBe("http_server");
  expect(world.fixture.upstreams.active.chain.refused).toBeUndefined();
  expect(world.first.count("/value")).toBe(0);

  [world.first.failure, world.first.chain] = [undefined, "a"];
  expect(await world.fixture.poll()).toBe("ok");
});

test("an upstream without block 1 is polled, and a warning is logged", async () => {
  world.first.gone.add("/extended/v2/blocks");
  world.first.chain = "b";
  world.fixture = new UpstreamsFixture([world.first], {}, A);
  expect(await world.fixture.poll()).toBe("ok");
  expect(world.fixture.log).toMatchObject([
    { level: "warn", message: "the API does not have block 1: its chain cannot be checked" },
  ]);
});

test("a server that lacks block 1 is polled while no chain is known", async () => {
  world.first.other.set(1, undefined);
  world.fixture = new UpstreamsFixture([world.first]);
  expect(await world.fixture.poll()).toBe("ok");
  expect(world.fixture.saved.size).toBe(0);
});

test("a server that lacks block 1 of the known chain is not polled: it can follow another one", async () => {
  world.fixture = new UpstreamsFixture([world.first]);
  expect(await world.fixture.poll({ end: "behind" })).toBe("behind");
  world.first.chain = "b";
  world.first.other.set(1, undefined);
  await world.fixture.pass(60_000);

  expect(await world.fixture.poll()).toBe("wrong_chain");
  expect(world.fixture.upstreams.active.chain.refused?.message).toMatch(/^block 1 of the API is missing, that of/);
});

test("a single 404 for block 1 of the known chain does not refuse a server", async () => {
  world.fixture = new UpstreamsFixture([world.first]);
  await world.fixture.poll({ end: "behind" });
  await world.fixture.pass(60_000);
  world.first.missingOnce.add(1);

  expect(await world.fixture.poll()).toBe("ok");
  expect(world.first.missingOnce.size).toBe(0);
  expect(world.fixture.log).toEqual([]);
});

describe("block 1 of a server that was right before, and cannot be read now,", () => {
  beforeEach(async () => {
    world.fixture = new UpstreamsFixture([world.first, world.second]);
    world.fixture.run();
    await world.fixture.poll();
    await world.fixture.pass(5_000);
  });

  test("keeps it from taking over", async () => {
    world.second.other.set(1, "unreadable");
    world.first.failure = 500;
    for (let times = 0; times < 4; times += 1) await world.fixture.poll();

    expect(world.fixture.switches).toEqual([]);
  });

  test("fails the check that a deep fork needs", async () => {
    const api = await world.fixture.api();
    world.first.other.set(1, "unreadable");

    await expect(api.checkChain()).rejects.toMatchObject({ reason: "bad_body" });
  });
});
