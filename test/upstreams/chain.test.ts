// Evidence rows 7 and 8: another chain behind the same name, and a database that was never filled.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { ChainServer, hashOf } from "./chain-server.ts";
import { World } from "./world.ts";

const A = { firstBlock: hashOf("a", 1) };

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

test("the chain is asked for once in a process, by one request, and kept", async () => {
  world = new World([first]);
  await Promise.all([world.poll(), world.poll({ collector: "fees", counts: false })]);
  await world.poll();

  expect(first.seen.map(({ path }) => path)).toEqual(["/extended/v2/blocks/1", "/value", "/value", "/value"]);
  expect(world.saved.get("n")).toEqual(A);
});

test("another chain than the saved one: every poll fails, without further requests", async () => {
  first.chain = "b";
  world = new World([first], {}, A);
  const outcomes = [
    await world.poll(),
    await world.poll({ collector: "fees", counts: false }),
    await world.poll({ collector: "addresses" }),
  ];

  expect(outcomes).toEqual(["wrong_chain", "wrong_chain", "wrong_chain"]);
  expect(first.count()).toBe(1);
  expect(world.saved.get("n")).toEqual(A);
  expect(world.upstreams.blocked()).toMatchObject({
    reason: "wrong_chain",
    message:
      `block 1 of the API is ${hashOf("b", 1)}, that of the chain of network n is ${hashOf("a", 1)}: nothing is polled; ` +
      "use another name for this network, start once with --reset-state, or set on_new_chain: reset for a devnet",
  });
  expect(world.upstreams.report()).toMatchObject([{ name: "u0", isActive: true, isUp: false }]);
  expect(world.log.map(({ level, message }) => [level, message])).toEqual([["error", "the upstream is not polled"]]);
});

test("it is checked again after a minute, and polls go on when the right chain is back", async () => {
  first.chain = "b";
  world = new World([first], {}, A);
  await world.poll();
  first.chain = "a";
  expect(await world.poll()).toBe("wrong_chain");
  await world.pass(60_000);

  expect(await world.poll()).toBe("ok");
  expect(world.upstreams.blocked()).toBeUndefined();
  expect(world.log.at(-1)?.message).toBe("the upstream follows the right chain again");
});

test.each(["behind", "wrong_chain"] as const)(
  "a chain that changes under way is found when a collector reports %s",
  async (end) => {
    world = new World([first], {}, A);
    await world.poll();
    first.chain = "b";
    expect(await world.poll({ end })).toBe(end);
    await world.pass(60_000);

    expect(await world.poll()).toBe("wrong_chain");
    expect(first.count("/extended/v2/blocks/1")).toBe(2);
  },
);

describe("with another upstream", () => {
  test("that one takes over at once when it follows the right chain", async () => {
    first.chain = "b";
    world = new World([first, second], {}, A);

    expect(await world.poll()).toBe("ok");
    expect(world.switches).toEqual(["u1"]);
    expect(first.count("/value")).toBe(0);
    expect(world.upstreams.blocked()).toBeUndefined();
    expect(world.upstreams.report()).toMatchObject([
      { name: "u0", isUp: false, cause: { reason: "wrong_chain" } },
      { name: "u1", isUp: true, isActive: true },
    ]);
  });

  test("an upstream of another chain never takes over", async () => {
    second.chain = "b";
    world = new World([first, second], {}, A);
    await world.poll();
    first.failure = 500;
    for (let times = 0; times < 5; times += 1) await world.poll();

    expect(world.switches).toEqual([]);
    expect(second.count("/value")).toBe(0);
  });
});

describe("on_new_chain: reset", () => {
  test("forgets what was saved, once, and goes on with the new chain", async () => {
    first.chain = "b";
    world = new World([first], { onNewChain: "reset" }, A);
    const outcomes = await Promise.all([world.poll(), world.poll({ collector: "fees", counts: false })]);

    expect(outcomes).toEqual(["ok", "ok"]);
    expect(world.forgotten).toBe(1);
    expect(world.saved.get("n")).toEqual({ firstBlock: hashOf("b", 1) });
    expect(world.log.at(-1)).toMatchObject({ level: "warn", before: hashOf("a", 1), now: hashOf("b", 1) });
  });

  test("not while another upstream follows the old one", async () => {
    first.chain = "b";
    world = new World([first, second], { onNewChain: "reset" }, A);
    await world.poll();

    expect(world.forgotten).toBe(0);
    expect(world.upstreams.active.name).toBe("u1");
  });
});

describe("an empty database", () => {
  test("is a failure of its own, and polls go on when it is filled", async () => {
    first.tip = 0;
    world = new World([first]);
    expect(await world.poll()).toBe("empty");
    expect(await world.poll({ collector: "fees", counts: false })).toBe("empty");
    expect(world.upstreams.blocked()).toMatchObject({ reason: "empty" });
    first.tip = 10;
    await world.pass(60_000);

    expect(await world.poll()).toBe("ok");
    expect(world.saved.get("n")).toEqual(A);
  });

  test("that was filled before blocks the network too, when a collector finds it empty", async () => {
    world = new World([first], { onNewChain: "reset" });
    await world.poll();
    first.tip = 0;
    await world.poll({ end: "empty" });
    await world.pass(60_000);

    expect(await world.poll()).toBe("empty");
    expect(world.forgotten).toBe(0);
  });
});

test("while the chain cannot be asked for, counters wait and gauges do not", async () => {
  first.failure = 503;
  world = new World([first], {}, A);
  expect(await world.poll()).toBe("http_server");
  first.failure = undefined;
  first.gone.add("/extended");
  expect(first.count("/value")).toBe(0);
  expect(await world.poll({ collector: "fees", counts: false })).toBe("ok");
  expect(world.upstreams.blocked()).toBeUndefined();
});

test("the replacement of a retired operation tells the chain as well; without both it is not checked, and the log says so", async () => {
  first.gone.add("/extended/v2/blocks");
  first.chain = "b";
  world = new World([first], {}, A);
  expect(await world.poll()).toBe("wrong_chain");
  await world.close();

  first.gone.add("/extended/v1/block");
  world = new World([first], {}, A);
  expect(await world.poll()).toBe("ok");
  expect(world.log).toMatchObject([
    { level: "warn", message: "the API does not have block 1: its chain cannot be checked" },
  ]);
});

test("upstreams that disagree on a settled block are told once an hour, by one request each", async () => {
  world = new World([first, second]);
  // The tip is 100: with at least 20 blocks above, the settled height is 80.
  second.other.set(80, hashOf("fork", 80));
  world.run();
  await world.poll();
  await world.pass(30 * 60_000);
  expect(world.disagreements).toEqual(["u1"]);
  expect([first, second].map((server) => server.count("/extended/v2/blocks/80"))).toEqual([1, 1]);
  expect(world.log.find(({ level }) => level === "error")).toMatchObject({
    message: "two upstreams disagree on the block at a settled height",
    ...{ upstream: "u1", active: "u0", height: 80, hash: hashOf("fork", 80), activeHash: hashOf("a", 80) },
  });
  second.other.clear();
  await world.pass(60 * 60_000);

  expect(world.disagreements).toEqual(["u1"]);
  expect(second.count("/extended/v2/blocks/80")).toBe(2);
});
