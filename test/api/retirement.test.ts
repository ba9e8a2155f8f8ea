import { describe, expect, test } from "@jest/globals";
import { operation } from "../../src/api/operation.ts";
import { block, Fixture, failure, NONE, stats } from "./fixture.ts";
import { json } from "./scripted-server.ts";

const MINUTE = 60_000;
const HOUR = 3_600_000;
const gone = json({ error: "Gone", message: "This endpoint is deprecated and has been disabled" }, 410);
const good = json({ count: 1, height: 1 });

/** Two 410 a minute apart; resolves when the operation is retired. */
async function retire(f: Fixture): Promise<void> {
  await failure(f.api().get(stats, NONE));
  await f.clock.advance(MINUTE);
  await failure(f.api().get(stats, NONE));
}

describe("a 410", () => {
  test("fails its own request only, and retires nothing", async () => {
    await using f = await Fixture.start([gone, good]);

    expect(await failure(f.api().get(stats, NONE))).toMatchObject({ reason: "gone", status: 410 });

    expect(f.server.seen).toHaveLength(1);
    expect(f.api().isRetired(stats)).toBe(false);
    expect(f.client.snapshot().retired).toEqual([]);
    expect((await f.api().get(stats, NONE)).body).toEqual({ count: 1 });
  });

  test("holds for all requests of the operation in its poll, and not for the next poll", async () => {
    await using f = await Fixture.start([gone, good]);
    const poll = f.api();
    for (const height of [4096, 2048, 1024]) {
      expect(await failure(poll.get(block, { path: { height_or_hash: height } }))).toMatchObject({ reason: "gone" });
    }

    expect(f.server.seen).toHaveLength(1);
    expect([poll.isRetired(block), poll.isRetired(stats), f.api().isRetired(block)]).toEqual([true, false, false]);
    expect((await f.api().get(block, { path: { height_or_hash: 512 } })).body).toEqual({ height: 1 });
  });

  test("retires nothing when all 410 responses arrive within a minute", async () => {
    await using f = await Fixture.start([gone]);
    for (let second = 0; second < 6; second += 1) {
      await failure(f.api().get(stats, NONE));
      await f.clock.advance(9_999);
    }
    expect(f.server.seen).toHaveLength(6);
    expect(f.api().isRetired(stats)).toBe(false);
  });
});

describe("a retired operation", () => {
  test("is not requested for ten minutes, while others are", async () => {
    await using f = await Fixture.start([gone, gone, good]);
    const since = f.clock.now();
    await retire(f);
    await f.api().get(block, { path: { height_or_hash: 1 } });

    await f.clock.advance(10 * MINUTE - 1);
    expect(await failure(f.api().get(stats, NONE))).toMatchObject({ reason: "gone", status: 410 });

    expect(f.server.seen).toHaveLength(3);
    expect([f.api().isRetired(stats), f.api().isRetired(block)]).toEqual([true, false]);
    expect(f.client.snapshot().retired).toEqual([
      { operation: "mempool_stats", since, nextTryAt: since + 11 * MINUTE },
    ]);
  });

  test("is requested again, and the next time after twice as long, up to an hour", async () => {
    await using f = await Fixture.start([gone]);
    await retire(f);
    const waits = [];
    for (let probe = 2; probe < 7; probe += 1) {
      const { nextTryAt } = f.client.snapshot().retired[0] ?? { nextTryAt: 0 };
      waits.push(nextTryAt - f.clock.now());
      await f.clock.advance(nextTryAt - f.clock.now());
      expect(f.api().isRetired(stats)).toBe(false);

      await failure(f.api().get(stats, NONE));
      await failure(f.api().get(stats, NONE));
      expect(f.server.seen).toHaveLength(probe + 1);
    }
    expect(waits).toEqual([10 * MINUTE, 20 * MINUTE, 40 * MINUTE, HOUR, HOUR]);
    expect(f.recorder.retired).toEqual(["mempool_stats"]);
  });

  test("is back as soon as it works", async () => {
    await using f = await Fixture.start([gone, gone, good, good, gone]);
    await retire(f);
    await f.clock.advance(10 * MINUTE);

    await f.api().get(stats, NONE);
    await f.api().get(stats, NONE);
    expect(f.client.snapshot().retired).toEqual([]);
    await failure(f.api().get(stats, NONE));
    expect(f.api().isRetired(stats)).toBe(false);
  });
});

describe("an optional operation that the server lacks", () => {
  const optional = operation({ ...stats, isOptional: true });
  const missing = json({ message: "Route GET:/x not found", error: "Not Found", statusCode: 404 }, 404);

  test("is unsupported, and is requested again an hour after two 404 a minute apart", async () => {
    await using f = await Fixture.start([missing, missing, missing, good]);
    const poll = () => failure(f.api().get(optional, NONE));
    const unsupported = { reason: "not_found", status: 404, routeMissing: true, isUnsupported: true };

    expect(await poll()).toMatchObject(unsupported);
    await f.clock.advance(MINUTE);
    expect(await poll()).toMatchObject(unsupported);
    await f.clock.advance(HOUR - 1);
    expect(await poll()).toMatchObject(unsupported);
    expect(f.server.seen).toHaveLength(2);
    expect(f.api().isRetired(optional)).toBe(true);

    await f.clock.advance(1);
    expect(await poll()).toMatchObject(unsupported);
    expect(f.server.seen).toHaveLength(3);
    await f.clock.advance(HOUR);
    expect((await f.api().get(optional, NONE)).body).toEqual({ count: 1 });
    expect((await f.api().get(optional, NONE)).body).toEqual({ count: 1 });
  });

  test("retires when the server responds with 410 instead", async () => {
    await using f = await Fixture.start([missing, gone]);
    await failure(f.api().get(optional, NONE));
    await f.clock.advance(MINUTE);
    expect(await failure(f.api().get(optional, NONE))).toMatchObject({ reason: "gone", isUnsupported: false });
    expect(f.recorder.retired).toEqual([]);
    await f.clock.advance(MINUTE);
    await failure(f.api().get(optional, NONE));

    expect(f.recorder.retired).toEqual(["mempool_stats"]);
  });
});

test("a 404 is a failure when the operation is not optional, or has no such item", async () => {
  await using f = await Fixture.start([
    json({ message: "Route GET:/x not found" }, 404),
    json({ message: "cannot find block" }, 404),
  ]);

  expect(await failure(f.api().get(stats, NONE))).toMatchObject({ routeMissing: true, isUnsupported: false });
  const optional = operation({ ...block, isOptional: true });
  const item = await failure(f.api().get(optional, { path: { height_or_hash: 1 } }));
  expect(item).toMatchObject({ routeMissing: false, isUnsupported: false });
});
