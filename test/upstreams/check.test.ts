// A server that follows another chain, or whose database is empty.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { ChainServer, hashOf } from "./chain-server.ts";
import { UpstreamsFixture } from "./fixture.ts";

const A = hashOf("a", 1);

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

test("the chain is read once in a process, by one request, and saved", async () => {
  fixture = new UpstreamsFixture([first]);
  await Promise.all([fixture.poll(), fixture.poll({ collector: "fees", counts: false })]);
  await fixture.poll();

  expect(first.seen.map(({ path }) => path)).toEqual(["/extended/v2/blocks/1", "/value", "/value", "/value"]);
  expect(fixture.saved.get("n")).toEqual(A);
});

test("on another chain than the saved one, every poll fails without further requests", async () => {
  first.chain = "b";
  fixture = new UpstreamsFixture([first], {}, A);
  const outcomes = [
    await fixture.poll(),
    await fixture.poll({ collector: "fees", counts: false }),
    await fixture.poll({ collector: "addresses" }),
  ];

  expect(outcomes).toEqual(["wrong_chain", "wrong_chain", "wrong_chain"]);
  expect(first.count()).toBe(1);
  expect(fixture.saved.get("n")).toEqual(A);
  expect(fixture.upstreams.active.chain.refused).toMatchObject({
    reason: "wrong_chain",
    message:
      `block 1 of the API is ${hashOf("b", 1)}, that of the chain of network n is ${hashOf("a", 1)}: ` +
      "nothing is polled; use another name for this network, or start once with --reset-state",
  });
  expect(fixture.report()).toMatchObject([{ name: "u0", active: true, up: false }]);
  expect(fixture.log.map(({ level, message }) => [level, message])).toEqual([["error", "the upstream is not polled"]]);
});

test("a refused chain is checked again after a minute, and polls continue when the right chain is back", async () => {
  first.chain = "b";
  fixture = new UpstreamsFixture([first], {}, A);
  await fixture.poll();
  first.chain = "a";
  expect(await fixture.poll()).toBe("wrong_chain");
  await fixture.pass(60_000);

  expect(await fixture.poll()).toBe("ok");
  expect(fixture.upstreams.active.chain.refused).toBeUndefined();
  expect(fixture.log.at(-1)?.message).toBe("the upstream follows the right chain again");
});

test.each(["behind", "wrong_chain"] as const)(
  "a change of the chain is found when a collector reports %s",
  async (end) => {
    fixture = new UpstreamsFixture([first], {}, A);
    await fixture.poll();
    first.chain = "b";
    expect(await fixture.poll({ end })).toBe(end);
    await fixture.pass(60_000);

    expect(await fixture.poll()).toBe("wrong_chain");
    expect(first.count("/extended/v2/blocks/1")).toBe(2);
  },
);

describe("with another upstream", () => {
  test("the other upstream takes over at once when it follows the right chain", async () => {
    first.chain = "b";
    fixture = new UpstreamsFixture([first, second], {}, A);

    expect(await fixture.poll()).toBe("ok");
    expect(fixture.switches).toEqual(["u1"]);
    expect(first.count("/value")).toBe(0);
    expect(fixture.upstreams.active.chain.refused).toBeUndefined();
    expect(fixture.report()).toMatchObject([
      { name: "u0", up: false, cause: { reason: "wrong_chain" } },
      { name: "u1", up: true, active: true },
    ]);
  });

  test("an upstream of another chain never takes over", async () => {
    second.chain = "b";
    fixture = new UpstreamsFixture([first, second], {}, A);
    await fixture.poll();
    first.failure = 500;
    for (let times = 0; times < 5; times += 1) await fixture.poll();

    expect(fixture.switches).toEqual([]);
    expect(second.count("/value")).toBe(0);
  });
});

describe("an empty database", () => {
  test("fails polls with `empty`, and polls continue when it is filled", async () => {
    first.tip = 0;
    fixture = new UpstreamsFixture([first]);
    expect(await fixture.poll()).toBe("empty");
    expect(await fixture.poll({ collector: "fees", counts: false })).toBe("empty");
    expect(fixture.upstreams.active.chain.refused).toMatchObject({ reason: "empty" });
    first.tip = 10;
    await fixture.pass(60_000);

    expect(await fixture.poll()).toBe("ok");
    expect(fixture.saved.get("n")).toEqual(A);
  });

  test("that was filled before blocks the network, when a collector finds it empty", async () => {
    fixture = new UpstreamsFixture([first]);
    await fixture.poll();
    first.tip = 0;
    await fixture.poll({ end: "empty" });
    await fixture.pass(60_000);

    expect(await fixture.poll()).toBe("empty");
  });
});

test("while the check of the chain fails, every poll fails for its reason, whatever an earlier check has found", async () => {
  first.chain = "b";
  fixture = new UpstreamsFixture([first], {}, A);
  expect(await fixture.poll()).toBe("wrong_chain");
  first.failure = 503;
  await fixture.pass(60_000);
  expect(await fixture.poll({ collector: "fees", counts: false })).toBe("http_server");
  expect(fixture.upstreams.active.chain.refused).toBeUndefined();
  expect(first.count("/value")).toBe(0);

  [first.failure, first.chain] = [undefined, "a"];
  expect(await fixture.poll()).toBe("ok");
});

test("an upstream without block 1 is polled, and a warning is logged", async () => {
  first.gone.add("/extended/v2/blocks");
  first.chain = "b";
  fixture = new UpstreamsFixture([first], {}, A);
  expect(await fixture.poll()).toBe("ok");
  expect(fixture.log).toMatchObject([
    { level: "warn", message: "the API does not have block 1: its chain cannot be checked" },
  ]);
});
