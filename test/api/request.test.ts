import { describe, expect, test } from "@jest/globals";
import { timeoutReason } from "../../src/api/clock.ts";
import { turn } from "../support/fake-clock.ts";
import { Fixture, failure, NONE, stats } from "./fixture.ts";
import { json, type Scene, silence, text } from "./scripted-server.ts";

const good = json({ count: 7 });
const MINUTE = 60_000;

describe("a retry", () => {
  test.each([500, 502, 503, 504])("follows a %d, at most twice, and each uses the budget", async (status) => {
    await using f = await Fixture.start([json({ error: "down" }, status)]);
    const start = f.clock.now();

    const error = await f.clock.until(failure(f.api().get(stats, NONE)));

    expect(error).toMatchObject({ reason: "http_server", status });
    expect(f.recorder.codes).toEqual([`${status}`, `${status}`, `${status}`]);
    expect(f.clock.now() - start).toBe(500 + 500);
    expect(f.client.snapshot().budget.minute.used).toBe(3);
  });

  test("waits as long as a 503 requests, without delaying other requests", async () => {
    await using f = await Fixture.start([json({ error: "later" }, 503, { "retry-after": "7" }), good]);
    const first = f.api().get(stats, NONE);
    await f.server.received(1);
    while (f.recorder.codes.length === 0) await turn();

    await f.api().get(stats, NONE);
    await f.clock.advance(6_999);
    expect(f.server.seen).toHaveLength(2);
    await f.clock.until(first);
    expect(f.server.seen).toHaveLength(3);
  });

  test("is not sent when it would be after the deadline", async () => {
    await using f = await Fixture.start([json({ error: "later" }, 503, { "retry-after": "30" })]);

    expect(await failure(f.api(30_000).get(stats, NONE))).toMatchObject({ reason: "http_server" });
    expect(f.recorder.codes).toEqual(["503"]);
  });

  test("is refused by an empty budget", async () => {
    await using f = await Fixture.start([text("", 500)], { budget: { perMinute: 2 } });

    expect(await f.clock.until(failure(f.api().get(stats, NONE)))).toMatchObject({ reason: "budget" });
    expect(f.server.seen).toHaveLength(2);
  });

  test("waits for the budget when the deadline allows, and no minute sees more than the limit", async () => {
    const perMinute = 2;
    await using f = await Fixture.start([text("", 500), text("", 500), good], { budget: { perMinute }, retries: 2 });
    const start = f.clock.now();

    await f.clock.until(f.api(10 * MINUTE).get(stats, NONE), 2 * MINUTE);

    expect(f.server.seen).toHaveLength(3);
    expect(f.clock.now() - start).toBe(MINUTE + 1000);
  });
});

test.each([86_400_000, -86_400_000])("a poll continues when the clock is set by %d ms during it", async (shift) => {
  await using f = await Fixture.start([text("", 500), good]);
  const api = f.api(600);
  f.clock.set(f.clock.now() + shift);

  await f.clock.until(api.get(stats, NONE));
  expect(f.server.seen).toHaveLength(2);
});

test.each([301, 302, 303, 307, 308, 300])(
  "a redirect with %d is a failure, and nothing is sent there",
  async (status) => {
    await using f = await Fixture.start([text("", status, { location: "/other" }), good]);

    expect(await failure(f.api().get(stats, NONE))).toMatchObject({ reason: "redirect", status });
    expect(f.server.seen).toHaveLength(1);
  },
);

describe("an abort", () => {
  test("at the deadline is a timeout, in the middle of slow headers", async () => {
    await using f = await Fixture.start([silence]);
    const poll = new AbortController();
    const error = failure(f.api(30_000, { signal: poll.signal }).get(stats, NONE));
    await f.server.received(1);

    poll.abort(timeoutReason(30_000));

    expect(await error).toMatchObject({
      reason: "timeout",
      message: "mempool_stats: no complete response in time",
    });
    expect(f.recorder.codes).toEqual(["timeout"]);
    expect(f.server.seen).toHaveLength(1);
  });

  test("after a minute is a timeout, which is tried again in a poll that can wait longer", async () => {
    await using f = await Fixture.start([silence, good]);
    const response = f.api(300_000).get(stats, NONE);
    await f.server.received(1);

    await f.clock.advance(60_000);
    await f.clock.until(response);
    expect(f.recorder.codes).toEqual(["timeout", "200"]);
  });

  const shutdown = new Error("shutdown");
  const retried = async (f: Fixture) => {
    while (f.recorder.codes.length === 0) await turn();
  };
  test.each<[string, readonly Scene[], (f: Fixture) => Promise<void>]>([
    ["during the request", [silence], (f) => f.server.received(1)],
    [
      "in the body",
      [(response) => response.writeHead(200, { "content-length": "100" }).write("{")],
      (f) => f.server.received(1),
    ],
    ["between two tries", [text("", 500)], retried],
    ["in a pause", [json({}, 429, { "retry-after": "20" })], retried],
  ])("at shutdown %s cancels at once and is not a failure", async (_, scenes, arrived) => {
    await using f = await Fixture.start(scenes);
    const poll = new AbortController();
    const outcome = f
      .api(30_000, { signal: poll.signal })
      .get(stats, NONE)
      .catch((reason: unknown) => reason);
    await arrived(f);

    poll.abort(shutdown);

    expect(await outcome).toBe(shutdown);
    expect(f.clock.sleepers).toBe(0);
  });

  test("between two tries is the failure of the last try", async () => {
    await using f = await Fixture.start([text("", 500)]);
    const poll = new AbortController();
    const error = failure(f.api(30_000, { signal: poll.signal }).get(stats, NONE));
    while (f.recorder.codes.length === 0) await turn();

    poll.abort(timeoutReason(1));

    expect(await error).toMatchObject({ reason: "http_server", status: 500 });
  });

  test("before the start sends nothing", async () => {
    await using f = await Fixture.start([good]);

    const late = failure(f.api(30_000, { signal: AbortSignal.abort(timeoutReason(1)) }).get(stats, NONE));
    expect(await late).toMatchObject({ reason: "timeout" });
    await expect(f.api(30_000, { signal: AbortSignal.abort(shutdown) }).get(stats, NONE)).rejects.toBe(shutdown);
    expect(f.server.seen).toHaveLength(0);
  });

  test("cancels every request when the client is closed", async () => {
    await using f = await Fixture.start([silence], { budget: { perMinute: 1 } });
    const outcomes = Promise.allSettled([f.api(90_000).get(stats, NONE), f.api(90_000).get(stats, NONE)]);
    await f.server.received(1);

    await f.client.close();

    const closed = { status: "rejected", reason: expect.objectContaining({ message: "the client is closed" }) };
    expect(await outcomes).toEqual([closed, closed]);
    expect(f.clock.sleepers).toBe(0);
  });
});
