import { describe, expect, test } from "@jest/globals";
import { block, Fixture, failure, NONE, stats } from "./fixture.ts";
import { json } from "./scripted-server.ts";

const HOUR = 3_600_000;
const gone = json({ error: "Gone", message: "This endpoint is deprecated and has been disabled" }, 410);
const good = json({ count: 1, height: 1 });

describe("a retired operation", () => {
  test("is not asked for an hour, while others are", async () => {
    await using f = await Fixture.start([gone, good]);
    const since = f.clock.now();
    expect(await failure(f.api().get(stats, NONE))).toMatchObject({ reason: "gone", status: 410 });
    await f.api().get(block, { path: { height_or_hash: 1 } });

    await f.clock.advance(HOUR - 1);
    expect(await failure(f.api().get(stats, NONE))).toMatchObject({ reason: "gone", status: 410 });

    expect(f.server.seen).toHaveLength(2);
    expect([f.api().isRetired(stats), f.api().isRetired(block)]).toEqual([true, false]);
    expect(f.client.snapshot().retired).toEqual([
      { operation: "mempool_stats", since, confirmedAt: since, nextTryAt: since + HOUR },
    ]);
  });

  test("is asked once after the hour, by one only, and again an hour after that", async () => {
    await using f = await Fixture.start([gone]);
    const since = f.clock.now();
    await failure(f.api().get(stats, NONE));
    await f.clock.advance(HOUR);
    expect(f.api().isRetired(stats)).toBe(false);

    await Promise.all([1, 2, 3].map(() => failure(f.api().get(stats, NONE))));
    await failure(f.api().get(stats, NONE));

    expect(f.server.seen).toHaveLength(2);
    expect(f.client.snapshot().retired).toMatchObject([{ since, confirmedAt: since + HOUR }]);
  });

  test("is back as soon as it works", async () => {
    await using f = await Fixture.start([gone, good]);
    await failure(f.api().get(stats, NONE));
    await f.clock.advance(HOUR);

    await f.api().get(stats, NONE);
    await f.api().get(stats, NONE);

    expect(f.client.snapshot().retired).toEqual([]);
  });

  test("that fails otherwise when asked again may be asked by the next", async () => {
    await using f = await Fixture.start([gone, json({}, 400), good]);
    await failure(f.api().get(stats, NONE));
    await f.clock.advance(HOUR);

    expect(await failure(f.api().get(stats, NONE))).toMatchObject({ reason: "http_client" });
    expect((await f.api().get(stats, NONE)).body).toEqual({ count: 1 });
  });

  test("is not asked by those who waited for their turn when it retired", async () => {
    await using f = await Fixture.start([gone], { transport: { connections: 1 } });

    const errors = await Promise.all([1, 2, 3].map(() => failure(f.api().get(stats, NONE))));

    expect(errors.map(({ reason }) => reason)).toEqual(["gone", "gone", "gone"]);
    expect(f.server.seen).toHaveLength(1);
  });
});
