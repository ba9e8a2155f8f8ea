import { describe, expect, test } from "@jest/globals";
import { retryAfter } from "../../src/api/response.ts";
import { turn } from "../support/fake-clock.ts";
import { block, Fixture, failure, NONE, stats } from "./fixture.ts";
import { json, text } from "./scripted-server.ts";

const asHeaders = (fields: Readonly<Record<string, string>>) => new Map(Object.entries(fields));

describe("a 429", () => {
  test("delays every request until the pause ends", async () => {
    await using f = await Fixture.start([json({}, 429, { "retry-after": "20" }), json({ count: 1, height: 1 })]);
    const first = f.api(30_000).get(stats, NONE);
    while (f.recorder.pauses.length === 0) await turn();
    const second = f.api(30_000).get(block, { path: { height_or_hash: 1 } });

    await f.clock.advance(19_999);
    expect(f.server.seen).toHaveLength(1);
    expect(f.client.snapshot().pausedUntil).toBe(f.clock.now() + 1);
    await f.clock.until(Promise.all([first, second]));

    expect(f.server.seen).toHaveLength(3);
    expect(f.recorder.codes.toSorted()).toEqual(["200", "200", "429"]);
    expect(f.recorder.pauses).toEqual([f.clock.now()]);
  });

  test("fails requests that were waiting for a connection", async () => {
    await using f = await Fixture.start([json({}, 429, { "retry-after": "60" }), json({ count: 1 })], {
      connections: 1,
    });
    const errors = [1, 2, 3].map(() => failure(f.api(30_000).get(stats, NONE)));

    expect((await Promise.all(errors)).map(({ reason }) => reason)).toEqual(Array(3).fill("rate_limited"));
    expect(f.server.seen).toHaveLength(1);
  });

  test("fails requests at once that cannot wait for the end of the pause", async () => {
    await using f = await Fixture.start([json({ message: "slow down" }, 429, { "retry-after": "30" })]);

    const first = await failure(f.api(30_000).get(stats, NONE));
    const second = await failure(f.api(30_000).get(stats, NONE));

    expect(first).toMatchObject({ reason: "rate_limited", status: 429, message: "mempool_stats: HTTP 429: slow down" });
    // Also for a poll that needs no request.
    expect(() => f.api().checkUp(stats)).toThrow(expect.objectContaining({ reason: "rate_limited" }));
    expect(second).toMatchObject({ reason: "rate_limited", status: undefined });
    expect(f.server.seen).toHaveLength(1);
  });

  test("pauses no longer than configured, without a time and with years either", async () => {
    const pauses = ["60", "1000000000000"].map((time) => json({}, 429, { "retry-after": time }));
    await using f = await Fixture.start([text("", 429), ...pauses, json({ count: 1 })], { longestPauseMs: 20_000 });
    for (const length of [20_000, 20_000, 20_000]) {
      await failure(f.api(1_000).get(stats, NONE));
      expect(f.client.snapshot().pausedUntil).toBe(f.clock.now() + length);
      await f.clock.advance(length);
    }
    expect((await f.api().get(stats, NONE)).body).toEqual({ count: 1 });
  });
});

describe("the wait", () => {
  test.each<[string, number | undefined]>([
    ["20", 20_000],
    [" 1.5 ", 1_500],
    ["0", 1_000],
    ["Sat, 21 Nov 2026 00:00:30 GMT", 25_000],
    ["Sat, 21 Nov 2026 00:00:00 GMT", 1_000],
    ["Soon GMT", undefined],
    ["-5", undefined],
    ["1e3", undefined],
    ["soon", undefined],
    ["", undefined],
    ["2026-11-21", undefined],
  ])("by Retry-After %p is %p ms", (value, expected) => {
    const date = "Sat, 21 Nov 2026 00:00:05 GMT";
    expect(retryAfter(asHeaders({ "retry-after": value, date }))).toBe(expected);
  });

  test("until a date is unknown without the time of the server", () => {
    expect(retryAfter(asHeaders({ "retry-after": "Sat, 21 Nov 2026 00:00:30 GMT" }))).toBeUndefined();
  });
});
