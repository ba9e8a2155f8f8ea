import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { operation } from "../../src/api/operation.ts";
import { block, Fixture, failure, NONE, stats } from "./fixture.ts";
import { json, text } from "./scripted-server.ts";

const etag = (value: string) => ({ etag: value, "cache-control": "public, no-cache, must-revalidate" });
const unchanged = text("", 304);
const validators = (f: Fixture) => f.server.seen.map(({ headers }) => headers["if-none-match"]);

describe("a conditional request", () => {
  test("returns the same body object as before", async () => {
    await using f = await Fixture.start([json({ count: 1 }, 200, etag('"a"')), unchanged, unchanged]);

    const first = await f.api().get(stats, NONE);
    const second = await f.api().get(stats, NONE);
    const third = await f.api().get(stats, NONE);

    expect(validators(f)).toEqual([undefined, '"a"', '"a"']);
    expect(second.body).toBe(first.body);
    expect(third.body).toBe(first.body);
    expect(f.recorder.codes).toEqual(["200", "304", "304"]);
  });

  test("uses the validator that the caller keeps, and caches nothing", async () => {
    await using f = await Fixture.start([
      json({ count: 1 }, 200, etag('"a"')),
      unchanged,
      json({ count: 2 }, 200, etag('"b"')),
      json({ count: 3 }, 200, { ...etag('"c"'), "cache-control": "no-store" }),
      unchanged,
    ]);

    const first = await f.api().getWhole(stats, NONE);
    expect(first).toMatchObject({ body: { count: 1 }, etag: '"a"' });
    expect(await f.api().getIfChanged(stats, NONE, first.etag ?? "")).toBeUndefined();
    expect(await f.api().getIfChanged(stats, NONE, '"a"')).toMatchObject({ body: { count: 2 }, etag: '"b"' });
    // A response without a validator must not keep the last one.
    expect(await f.api().getIfChanged(stats, NONE, '"b"')).toMatchObject({ body: { count: 3 }, etag: undefined });
    expect((await failure(f.api().get(stats, NONE))).message).toContain("HTTP 304");
    expect(validators(f)).toEqual([undefined, '"a"', '"a"', '"b"', undefined]);
  });

  test("is sent for exactly the same URL only", async () => {
    await using f = await Fixture.start([json({ height: 1 }, 200, etag('"tip"'))]);
    const getBlock = (height_or_hash: number, limit: number) =>
      f.api().get(block, { path: { height_or_hash }, query: { limit } });

    await getBlock(1, 1);
    await getBlock(2, 1);
    await getBlock(2, 2);
    await getBlock(2, 2);

    expect(validators(f)).toEqual([undefined, undefined, undefined, '"tip"']);
  });

  test("is not sent for another schema of the same URL", async () => {
    await using f = await Fixture.start([json({ count: 1 }, 200, etag('"a"'))]);
    const other = operation({ ...stats, body: z.object({ count: z.int() }) });

    await f.api().get(stats, NONE);
    await f.api().get(other, NONE);

    expect(validators(f)).toEqual([undefined, undefined]);
  });

  test("keeps its validator after an error response", async () => {
    await using f = await Fixture.start(
      [
        json({ count: 1 }, 200, etag('W/"a"')),
        json({ error: "no" }, 500, etag('"of an error"')),
        json({ count: "x" }, 200, etag('"of another schema"')),
        unchanged,
      ],
      { retries: 0 },
    );
    const { body } = await f.api().get(stats, NONE);
    await failure(f.api().get(stats, NONE));
    await failure(f.api().get(stats, NONE));

    expect((await f.api().get(stats, NONE)).body).toBe(body);
    expect(validators(f)).toEqual([undefined, 'W/"a"', 'W/"a"', 'W/"a"']);
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ["has no ETag", {}],
    ["may not be stored", { etag: '"b"', "cache-control": "no-store" }],
    ["has an invalid ETag", { etag: "b" }],
    ["has an ETag of more than 256 bytes", { etag: `"${"x".repeat(255)}"` }],
  ])("is not sent after a response that %s", async (_, headers) => {
    await using f = await Fixture.start([json({ count: 1 }, 200, etag('"a"')), json({ count: 2 }, 200, headers)]);

    for (let one = 0; one < 3; one += 1) await f.api().get(stats, NONE);

    expect(validators(f)).toEqual([undefined, '"a"', undefined]);
  });
});
