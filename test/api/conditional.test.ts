import { describe, expect, test } from "@jest/globals";
import { Fixture, failure, NONE, stats } from "./fixture.ts";
import { json, text } from "./scripted-server.ts";

const etag = (value: string) => ({ etag: value, "cache-control": "public, no-cache, must-revalidate" });
const unchanged = text("", 304);
const validators = (f: Fixture) => f.server.seen.map(({ headers }) => headers["if-none-match"]);

describe("a conditional request", () => {
  test("has the validator that the caller keeps", async () => {
    await using f = await Fixture.start([
      json({ count: 1 }, 200, etag('"a"')),
      unchanged,
      json({ count: 2 }, 200, etag('"b"')),
      json({ count: 3 }, 200, etag('"c"')),
      unchanged,
    ]);

    const first = await f.api().get(stats, NONE);
    expect(first).toMatchObject({ body: { count: 1 }, etag: '"a"' });
    expect(await f.api().getIfChanged(stats, NONE, first.etag ?? "")).toBeUndefined();
    expect(await f.api().getIfChanged(stats, NONE, '"a"')).toMatchObject({ body: { count: 2 }, etag: '"b"' });
    // Any other request is unconditional.
    expect(await f.api().get(stats, NONE)).toMatchObject({ body: { count: 3 }, etag: '"c"' });
    expect((await failure(f.api().get(stats, NONE))).message).toContain("HTTP 304");
    expect(validators(f)).toEqual([undefined, '"a"', '"a"', undefined, undefined]);
    expect(f.recorder.codes).toEqual(["200", "304", "200", "200", "304"]);
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ["has no ETag", {}],
    ["may not be stored", { etag: '"b"', "cache-control": "no-store" }],
    ["has an invalid ETag", { etag: "b" }],
    ["has an ETag of more than 256 bytes", { etag: `"${"x".repeat(255)}"` }],
  ])("is not possible after a response that %s", async (_, headers) => {
    await using f = await Fixture.start([json({ count: 1 }, 200, headers)]);

    expect(await f.api().get(stats, NONE)).toMatchObject({ body: { count: 1 }, etag: undefined });
  });
});
