import { describe, expect, test } from "@jest/globals";
import type { ApiError } from "../../src/api/errors.ts";
import { operation } from "../../src/api/operation.ts";
import { block, Fixture, failure, NONE, ONCE, SECRET, stats } from "./fixture.ts";
import { json, type Scene, text } from "./scripted-server.ts";

describe("an error response", () => {
  test.each<[string, Scene, Partial<ApiError>]>([
    [
      "of validation",
      json({ statusCode: 400, code: "FST_ERR_VALIDATION", error: "Bad Request", message: "params/height" }, 400),
      { reason: "http_client", status: 400, message: "mempool_stats: HTTP 400: params/height" },
    ],
    [
      "without a message",
      json({ error: "The database service is unavailable" }, 501),
      { reason: "http_server", status: 501, message: "mempool_stats: HTTP 501: The database service is unavailable" },
    ],
    ["with an HTML page", text("<h1>no</h1>", 403), { reason: "unauthorized", message: "mempool_stats: HTTP 403" }],
    ["with an empty body", text("", 401), { reason: "unauthorized", message: "mempool_stats: HTTP 401" }],
    ["with null", json(null, 401), { message: "mempool_stats: HTTP 401" }],
    ["with a huge body", json({ error: "x".repeat(100_000) }, 401), { message: "mempool_stats: HTTP 401" }],
    [
      "with a key after a thousand spaces",
      json({ message: `${" ".repeat(990)}${SECRET}` }, 403),
      { message: "mempool_stats: HTTP 403: ***" },
    ],
    [
      "that repeats the key",
      json({ message: `bad key ${SECRET} and ${Buffer.from(SECRET).toString("hex")}` }, 401),
      { message: "mempool_stats: HTTP 401: bad key *** and ***" },
    ],
    ["of an unexpected status", text("", 204), { reason: "bad_body", status: 204 }],
    ["304 to an unconditional request", text("", 304), { reason: "bad_body", status: 304 }],
  ])("%s", async (_, scene, expected) => {
    await using f = await Fixture.start([scene]);

    expect(await failure(f.api().get(stats, NONE))).toMatchObject(expected);
    expect(f.server.seen).toHaveLength(1);
  });

  test("never shows the key, wherever the server repeats it", async () => {
    const planted = [
      json({ [SECRET]: 1, count: SECRET }),
      text(`${SECRET} is not JSON`, 200),
      text("", 302, { location: `http://${SECRET}.example/${SECRET}?key=${SECRET}` }),
      json({ message: `${"no ".repeat(64)}${SECRET}` }, 400),
      ((response) => response.socket?.end(`HTTP/1.1 ${SECRET} nonsense\r\n\r\n`)) satisfies Scene,
    ];
    for (const scene of planted) {
      await using f = await Fixture.start([scene], ONCE);
      // `failure` looks for the key in everything that can be shown.
      const error = await failure(f.api().get(stats, NONE));
      expect(error.message).not.toMatch(/s3cr3t/);
    }
  });
});

describe("a 404", () => {
  test("of the operation itself is undefined for `find`", async () => {
    const missing = json({ statusCode: 404, error: "Not Found", message: "cannot find block by hash" }, 404);
    await using f = await Fixture.start([missing]);
    const parameters = { path: { height_or_hash: "0x00" } };
    const optional = operation({ ...block, isOptional: true });

    expect(await f.api().find(block, parameters)).toBeUndefined();
    const found = { reason: "not_found", routeMissing: false, isUnsupported: false };
    expect(await failure(f.api().get(optional, parameters))).toMatchObject(found);
  });

  test("of a node without a tip is no missing route", async () => {
    await using f = await Fixture.start([text("No such chain tip", 404)]);

    expect(await failure(f.api().get(stats, NONE))).toMatchObject({ reason: "not_found", routeMissing: false });
  });

  test.each<[string, Scene]>([
    ["the server", json({ message: "Route GET:/x not found", error: "Not Found", statusCode: 404 }, 404)],
    ["an older server", json({ message: "GET /extended/v2/x not found" }, 404)],
    ["a gateway", json({ message: "no Route matched with those values" }, 404)],
    ["another gateway", json({ message: "Not Found" }, 404)],
    ["a proxy", text("<html>404</html>", 404)],
  ])("of %s that does not know the path is marked as a missing route", async (_, scene) => {
    await using f = await Fixture.start([scene]);

    expect(await failure(f.api().find(stats, NONE))).toMatchObject({
      reason: "not_found",
      status: 404,
      routeMissing: true,
      // It is not optional.
      isUnsupported: false,
    });
  });
});
