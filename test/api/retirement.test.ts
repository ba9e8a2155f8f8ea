import { describe, expect, test } from "@jest/globals";
import { operation, orReplacement } from "../../src/api/operation.ts";
import { captured } from "../support/canned-api.ts";
import { block, Fixture, failure, NONE, stats } from "./fixture.ts";
import { json } from "./scripted-server.ts";

const MINUTE = 60_000;
const HOUR = 3_600_000;
const gone = json({ error: "Gone", message: "This endpoint is deprecated and has been disabled" }, 410);
const good = json({ count: 1, height: 1 });

describe("a 410", () => {
  test("holds for 15 s, in which nothing is sent, and retires nothing", async () => {
    await using f = await Fixture.start([gone, good]);

    expect(await failure(f.api().get(stats, NONE))).toMatchObject({ reason: "gone", status: 410 });
    await f.clock.advance(14_999);
    expect(await failure(f.api().get(stats, NONE))).toMatchObject({ reason: "gone", status: 410 });

    expect(f.server.seen).toHaveLength(1);
    expect(f.api().isRetired(stats)).toBe(false);
    await f.clock.advance(1);
    expect((await f.api().get(stats, NONE)).body).toEqual({ count: 1 });
  });

  test("a minute after another retires nothing when the operation worked in between", async () => {
    await using f = await Fixture.start([gone, good, gone]);
    await failure(f.api().get(stats, NONE));
    await f.clock.advance(MINUTE / 2);
    await f.api().get(stats, NONE);
    await f.clock.advance(MINUTE / 2);
    await failure(f.api().get(stats, NONE));
    expect(f.recorder.retired).toEqual([]);
  });

  test("is not retired by another one some seconds later, although the clock was set forward", async () => {
    await using f = await Fixture.start([gone]);
    await failure(f.api().get(stats, NONE));
    await f.clock.advance(MINUTE / 2);
    f.clock.set(f.clock.now() + HOUR);
    await failure(f.api().get(stats, NONE));
    expect(f.api().isRetired(stats)).toBe(false);
  });

  test("fails all queued requests of the operation", async () => {
    await using f = await Fixture.start([gone], { connections: 1 });

    const errors = await Promise.all([1, 2, 3].map(() => failure(f.api().get(stats, NONE))));

    expect(errors.map(({ reason }) => reason)).toEqual(["gone", "gone", "gone"]);
    expect(f.server.seen).toHaveLength(1);
  });
});

test("a retired operation is requested once an hour, while others are requested as usual", async () => {
  await using f = await Fixture.start([gone, gone, good, gone]);
  await failure(f.api().get(stats, NONE));
  await f.clock.advance(MINUTE);
  await failure(f.api().get(stats, NONE));
  await f.api().get(block, { path: { height_or_hash: 1 } });

  for (const requests of [4, 5]) {
    await f.clock.advance(HOUR - 1);
    expect(await failure(f.api().get(stats, NONE))).toMatchObject({ reason: "gone", status: 410 });
    expect(f.server.seen).toHaveLength(requests - 1);
    await f.clock.advance(1);
    await failure(f.api().get(stats, NONE));
    expect(f.server.seen).toHaveLength(requests);
  }
  expect(f.recorder.retired).toEqual(["mempool_stats"]);
});

const missing = json({ message: "Route GET:/x not found", error: "Not Found", statusCode: 404 }, 404);

test("an operation with too large a body is replaced; without its replacement, that is the failure", async () => {
  const large = operation({ ...stats, maxBodyBytes: 5 });
  await using f = await Fixture.start([good, good, good, missing]);
  const use = (one: typeof stats) => () => f.api().get(one, NONE);
  const read = () => orReplacement(f.api(), large, use(large), use(stats));

  expect((await read()).body).toEqual({ count: 1 });
  expect(await failure(read())).toMatchObject({ reason: "too_large" });
  expect(f.server.seen).toHaveLength(4);
  f.server.play(good, json({}, 401));
  expect(await failure(read())).toMatchObject({ reason: "unauthorized" });
});

describe("an optional operation that the server lacks", () => {
  const optional = operation({ ...stats, isOptional: true });

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
    // Not one that the server has switched off.
    expect(f.recorder.retired).toEqual([]);

    await f.clock.advance(1);
    expect(await poll()).toMatchObject(unsupported);
    expect(f.server.seen).toHaveLength(3);
    await f.clock.advance(HOUR);
    expect((await f.api().get(optional, NONE)).body).toEqual({ count: 1 });
    expect((await f.api().get(optional, NONE)).body).toEqual({ count: 1 });
  });

  test.each<[number, string | undefined, boolean]>([
    [500, Object(captured("v2-pox.node-down").json).code, true],
    [503, "FST_REPLY_FROM_SERVICE_UNAVAILABLE", true],
    [504, "FST_REPLY_FROM_GATEWAY_TIMEOUT", true],
    [500, "UND_ERR_CONNECT_TIMEOUT", true],
    [500, undefined, false],
  ])(
    "after a %i with the code %s of the proxy to the node is unsupported, too, and not requested again at once: %s",
    async (status, code, isUnsupported) => {
      const error = { statusCode: status, code, error: "x", message: "x" };
      await using f = await Fixture.start([json(error, status)]);

      const reason = isUnsupported ? "not_found" : "http_server";
      const failed = f.clock.until(failure(f.api().get(optional, NONE)));
      expect(await failed).toMatchObject({ reason, status, isUnsupported });
      expect(f.server.seen).toHaveLength(isUnsupported ? 1 : 3);
    },
  );

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
