import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { timeoutReason } from "../../src/api/clock.ts";
import { operation } from "../../src/api/operation.ts";
import { block, Fixture, type FixtureOptions, failure, NONE, ONCE, stats } from "./fixture.ts";
import { json, type Scene, ScriptedServer, silence, text } from "./scripted-server.ts";

const good = json({ count: 1, height: 1 });
const down = text("", 502);
const at = (height: number) => ({ path: { height_or_hash: height } });

/** A client of a closed port. */
async function closedPort(options: FixtureOptions = {}): Promise<Fixture> {
  const server = await ScriptedServer.start();
  const { url } = server;
  await server.close();
  return Fixture.start([], { baseUrl: url, ...options });
}

/** Fails often enough to open the circuit for all requests. */
async function breakDown(f: Fixture): Promise<void> {
  for (const height of [1, 2]) await failure(f.api().get(block, at(height)));
  await failure(f.api().get(stats, NONE));
}

test("a server that refuses connections is requested three times for forty targets, and all fail with the first cause", async () => {
  await using f = await closedPort(ONCE);
  const start = f.clock.now();
  const errors = [await failure(f.api().get(stats, NONE))];
  for (let height = 1; height <= 40; height += 1) errors.push(await failure(f.api().get(block, at(height))));

  expect(new Set(errors.map(({ reason }) => reason))).toEqual(new Set(["network"]));
  expect(errors[39]?.message).toMatch(
    new RegExp(
      `^block: ECONNREFUSED 127\\.0\\.0\\.1:\\d+: before the response, since ${new Date(start).toISOString()}$`,
    ),
  );
  expect(f.recorder.codes).toEqual(["network", "network", "network"]);
  expect(f.recorder.outages).toHaveLength(1);
});

describe("a server that fails", () => {
  test("is probed once in the time between two probes", async () => {
    await using f = await Fixture.start([down], { ...ONCE, probeEveryMs: 20_000 });
    await breakDown(f);
    expect(f.server.seen).toHaveLength(3);
    for (const requests of [4, 5, 6]) {
      await f.clock.advance(19_999);
      await failure(f.api().get(stats, NONE));
      expect(f.server.seen).toHaveLength(requests - 1);
      await f.clock.advance(1);
      await Promise.all([1, 2, 3].map((height) => failure(f.api().get(block, at(height)))));
      expect(f.server.seen).toHaveLength(requests);
    }
  });

  test("keeps its first cause and time, is reported once, and recovers with the first response", async () => {
    await using f = await Fixture.start([json({ error: "no database" }, 503), down, text("", 500)], ONCE);
    const since = f.clock.now();
    await failure(f.api().get(block, at(1)));
    await f.clock.advance(1_000);
    await failure(f.api().get(block, at(2)));
    const third = await failure(f.api().get(stats, NONE));

    const cause = { reason: "http_server", message: "HTTP 503: no database" };
    const outage = { since, ...cause };
    expect(f.client.snapshot().outage).toEqual(outage);
    expect(third).toMatchObject({
      message: expect.stringMatching(/^mempool_stats: HTTP 503: no database, since /),
    });

    await f.clock.advance(60_000);
    f.server.play(json({ message: "no" }, 400));
    expect(await failure(f.api().get(stats, NONE))).toMatchObject({ reason: "http_client" });
    expect(f.client.snapshot().outage).toBeUndefined();
    expect(f.recorder.outages).toEqual([outage, undefined]);
  });
});

test("one operation that stays broken, and is requested first each time, does not keep the server down for others", async () => {
  await using f = await Fixture.start([down], ONCE);
  await breakDown(f);
  const byUrl: Scene = (response, request) => (request.url?.includes("/blocks/") ? good : down)(response, request);
  f.server.play(byUrl);
  let probes = 0;
  for (; probes < 10 && f.client.snapshot().outage !== undefined; probes += 1) {
    await f.clock.advance(60_000);
    await failure(f.api().get(stats, NONE));
    await f
      .api()
      .get(block, at(1))
      .catch(() => undefined);
  }
  expect(probes).toBe(5);
});

test("other operations are not requested as soon as a server is down", async () => {
  await using f = await Fixture.start([good, down], { ...ONCE, probeEveryMs: 60_000 });
  await f.api().get(block, at(1));
  await breakDown(f);
  const sent = f.server.seen.length;
  for (const name of ["fees", "pox"]) {
    const other = operation({ name, path: `/${name}`, body: z.object({}) });
    await failure(f.api().get(other, NONE));
  }

  expect(f.server.seen).toHaveLength(sent);
});

test("a server that fails from the start is down although one operation is requested, which others wait for", async () => {
  await using f = await Fixture.start([down], ONCE);
  for (const height of [1, 2, 3]) await failure(f.api().get(block, at(height)));
  expect(f.recorder.outages).toHaveLength(1);
});

test("two operations that always fail do not stop the others, and all of them fail when the server is down", async () => {
  const fees = operation({ name: "mempool_fees", path: "/extended/v2/mempool/fees", body: z.object({}) });
  const byUrl: Scene = (response, request) => (request.url?.includes("/blocks/") ? good : down)(response, request);
  await using f = await Fixture.start([byUrl], ONCE);
  const failBoth = async () => {
    await failure(f.api().get(stats, NONE));
    await failure(f.api().get(fees, NONE));
  };
  await failBoth();
  await f.api().get(block, at(1));
  await failBoth();
  await failBoth();
  await f.api().get(block, at(2));
  expect(f.recorder.outages).toEqual([]);

  f.server.play(good);
  await f.api().get(stats, NONE);
  f.server.play(down);
  await breakDown(f);
  expect(f.recorder.outages).toHaveLength(1);
});

test("an item of which two operations always fail does not stop others, and one failure of another item does", async () => {
  const again = { ...block, name: "block_again" };
  await using f = await Fixture.start([good], ONCE);
  await f.api().get(stats, NONE);
  f.server.play(down);
  for (const one of [block, again, block, again]) await failure(f.api().get(one, at(7)));
  expect(f.recorder.outages).toEqual([]);

  await failure(f.api().get(block, at(8)));
  expect(f.recorder.outages).toHaveLength(1);
});

describe("a server that hangs", () => {
  test("causes a timeout for all requests, including those without a connection, and not `budget`", async () => {
    await using f = await Fixture.start([silence], { budget: { perMinute: 600 }, connections: 4 });
    const poll = new AbortController();
    const view = f.api(10_000, { signal: poll.signal });
    const errors = Promise.all([
      failure(view.get(stats, NONE)),
      ...Array.from({ length: 20 }, (_, height) => failure(view.get(block, at(height)))),
    ]);
    await f.server.received(4);
    await f.clock.advance(10_000);
    poll.abort(timeoutReason(10_000));

    expect(new Set((await errors).map(({ reason }) => reason))).toEqual(new Set(["timeout"]));
    expect(f.client.snapshot()).toMatchObject({
      budget: { minute: { used: 4 } },
      outage: { reason: "timeout" },
    });
    expect((await failure(f.api().get(stats, NONE))).reason).toBe("timeout");
    expect(f.server.seen).toHaveLength(4);
  });

  test("is not down because of requests that were sent just before the deadline", async () => {
    await using f = await Fixture.start([silence]);
    const poll = new AbortController();
    const view = f.api(900, { signal: poll.signal });
    const errors = Promise.all([view.get(stats, NONE), view.get(block, at(1)), view.get(block, at(2))].map(failure));
    await f.server.received(3);
    await f.clock.advance(900);
    poll.abort(timeoutReason(900));
    await errors;

    expect(f.client.snapshot().outage).toBeUndefined();
  });

  test("is probed again later when a probe is cancelled", async () => {
    await using f = await Fixture.start([down], ONCE);
    await breakDown(f);
    await f.clock.advance(60_000);
    f.server.play(silence, good);
    const gone = new AbortController();
    const probe = f
      .api(10_000, { signal: gone.signal })
      .get(stats, NONE)
      .catch((reason: unknown) => reason);
    await f.server.received(4);
    expect((await failure(f.api().get(stats, NONE))).message).toContain(", since ");

    // A cancelled probe has no information about the server.
    const cancelled = new Error("removed from the watch list");
    gone.abort(cancelled);
    expect(await probe).toBe(cancelled);
    expect((await failure(f.api().get(stats, NONE))).message).toContain(", since ");
    await f.clock.advance(60_000);
    expect((await f.api().get(stats, NONE)).body).toEqual({ count: 1 });
  });
});

describe("a circuit that stays closed", () => {
  test.each<[string, Scene]>([
    ["a refusal", json({ error: "no" }, 400)],
    ["an item that does not exist", json({ error: "no" }, 404)],
    ["a retired operation", json({ error: "no" }, 410)],
    ["a body of another schema", json({ other: 1 })],
  ])("%s does not count", async (_, scene) => {
    await using f = await Fixture.start([scene], ONCE);
    await breakDown(f);
    await breakDown(f);

    expect(f.client.snapshot().outage).toBeUndefined();
    expect(f.recorder.outages).toEqual([]);
  });

  test("one URL that always fails does not affect other URLs", async () => {
    const broken: Scene = (response, request) => (request.url?.endsWith("/7") ? down : good)(response, request);
    await using f = await Fixture.start([broken]);
    await f.api().get(block, at(8));
    for (let poll = 0; poll < 3; poll += 1) {
      expect(await f.clock.until(failure(f.api().get(block, at(7))))).toMatchObject({ reason: "http_server" });
    }
    expect((await f.api().get(block, at(8))).body).toEqual({ height: 1 });
    expect(f.recorder.outages).toEqual([]);
  });
});
