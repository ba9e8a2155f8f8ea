import { describe, expect, test } from "@jest/globals";
import { timeoutReason } from "../../src/api/abort.ts";
import type { ApiError } from "../../src/api/errors.ts";
import { turn } from "../support/fake-clock.ts";
import { block, Fixture, failure, NONE, SECRET, stats } from "./fixture.ts";
import { json, type Scene, silence, text } from "./scripted-server.ts";

const good = json({ count: 7 });
const MINUTE = 60_000;

describe("an answer", () => {
  test("is decoded, and the request carries what it has to", async () => {
    await using f = await Fixture.start([good]);

    const answer = await f.api().get(stats, NONE);

    expect(answer).toEqual({ body: { count: 7 }, changed: true, receivedAt: f.clock.now() });
    expect(f.server.seen[0]).toMatchObject({ method: "GET", url: "/extended/v1/tx/mempool/stats" });
    expect(f.server.seen[0]?.headers).toMatchObject({
      accept: "application/json",
      "accept-encoding": "gzip",
      "user-agent": "stacks-exporter/0.0.0",
      "x-api-key": SECRET,
    });
    expect(f.recorder.requests).toEqual([
      { operation: "mempool_stats", collector: undefined, code: "200", durationSeconds: 0, bytes: 11 },
    ]);
  });

  test("comes without a key when there is none, and with the header that was chosen", async () => {
    await using anonymous = await Fixture.start([good], { key: undefined });
    await using other = await Fixture.start([good], { keyHeader: "x-hiro-api-key" });

    await anonymous.api().get(stats, NONE);
    await other.api().get(stats, NONE);

    expect(anonymous.server.seen[0]?.headers).not.toHaveProperty("x-api-key");
    expect(other.server.seen[0]?.headers).toMatchObject({ "x-hiro-api-key": SECRET });
  });

  test("is asked for below the path of the base URL, with every parameter encoded", async () => {
    const server = await Fixture.start([json({ height: 1 })]);
    await using f = await Fixture.start([], { baseUrl: `${server.server.url}/stacks/?x=1#y` });

    await f.api().get(block, { path: { height_or_hash: "a/b?c" }, query: { limit: 5, all: true, q: "&=" } });
    const dots = await failure(f.api().get(block, { path: { height_or_hash: ".." } }));

    expect(server.server.seen[0]?.url).toBe("/stacks/extended/v2/blocks/a%2Fb%3Fc?limit=5&all=true&q=%26%3D");
    expect(dots).toMatchObject({ reason: "bug", message: "block: no usable value for {height_or_hash}" });
    await server[Symbol.asyncDispose]();
  });

  test("that announces its end is reported, whatever its status", async () => {
    const warning = { warning: '299 - "Deprecated: See https://docs.hiro.so"' };
    await using f = await Fixture.start([
      json({ count: 1 }, 200, warning),
      json({ error: "Not Found" }, 404, { sunset: "Sat, 21 Nov 2026 00:00:00 GMT" }),
      json({ count: 1 }, 200, { deprecation: "true" }),
      json({ count: 1 }, 200, { warning: '110 - "stale 299"' }),
    ]);
    const api = f.api();

    for (let one = 0; one < 4; one += 1) await api.find(stats, NONE);

    expect(f.recorder.deprecations).toEqual(["mempool_stats", "mempool_stats", "mempool_stats"]);
    expect(f.client.snapshot().operations).toEqual([
      {
        operation: "mempool_stats",
        requests: 4,
        lastCode: "200",
        lastRequestAt: f.clock.now(),
        lastGoodAt: f.clock.now(),
        deprecatedAt: f.clock.now(),
      },
    ]);
  });

  test("of another shape names where it differs and is reported as drift", async () => {
    await using f = await Fixture.start([json({ count: "7" }), json({}), json({ count: null }), text("<html>", 200)]);
    const api = f.api();

    const errors = [];
    for (let one = 0; one < 4; one += 1) errors.push(await failure(api.get(stats, NONE)));

    expect(errors.map(({ reason, message }) => `${reason} ${message}`)).toEqual([
      "bad_body mempool_stats: expected number at count, found string",
      "bad_body mempool_stats: expected number at count, found nothing",
      "bad_body mempool_stats: expected number at count, found null",
      "bad_body mempool_stats: body of 6 bytes is not JSON",
    ]);
    expect(f.recorder.drifts).toEqual([
      "mempool_stats count type",
      "mempool_stats count missing",
      "mempool_stats count null",
    ]);
    expect(f.server.seen).toHaveLength(4);
  });

  test("can be noted as drift by who reads it", async () => {
    await using f = await Fixture.start([good]);

    f.api().noteDrift(stats, "tx_status", "enum");

    expect(f.recorder.drifts).toEqual(["mempool_stats tx_status enum"]);
  });
});

describe("an answer of failure", () => {
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
    [
      "that is a page",
      text("<h1>no</h1>", 403, { "content-type": "text/html" }),
      { message: "mempool_stats: HTTP 403" },
    ],
    [
      "that is plain text",
      text("upstream\r\n\u0007 gone", 403, { "content-type": "text/plain" }),
      { message: "mempool_stats: HTTP 403: upstream gone" },
    ],
    ["that is empty", text("", 401), { reason: "unauthorized", message: "mempool_stats: HTTP 401" }],
    ["that is null", json(null, 401), { message: "mempool_stats: HTTP 401" }],
    ["that is huge", json({ error: "x".repeat(100_000) }, 401), { message: "mempool_stats: HTTP 401" }],
    [
      "that is long",
      json({ message: "x".repeat(1_000) }, 401),
      { message: `mempool_stats: HTTP 401: ${"x".repeat(200)}…` },
    ],
    [
      "that echoes the key",
      json({ message: `bad key ${SECRET} and s3cr3t-\u0000key-0123456789` }, 401),
      { message: "mempool_stats: HTTP 401: bad key *** and ***" },
    ],
    ["of an odd status", text("", 204), { reason: "bad_body", status: 204 }],
    ["304 that nobody asked for", text("", 304), { reason: "bad_body", status: 304 }],
  ])("%s", async (_, scene, expected) => {
    await using f = await Fixture.start([scene]);

    expect(await failure(f.api().get(stats, NONE))).toMatchObject(expected);
    expect(f.server.seen).toHaveLength(1);
  });

  test.each([401, 403])("%d is unauthorized: asked once, with the key, conditional or not", async (status) => {
    const refused = json({ message: "Unauthorized" }, status);
    await using f = await Fixture.start([json({ count: 7 }, 200, { etag: '"a"' }), refused]);
    await f.api().get(stats, NONE);

    const error = await failure(f.api().get(stats, NONE));

    expect(error).toMatchObject({
      reason: "unauthorized",
      status,
      message: `mempool_stats: HTTP ${status}: Unauthorized`,
    });
    expect(f.server.seen).toHaveLength(2);
    expect(f.server.seen.map(({ headers }) => headers["x-api-key"])).toEqual([SECRET, SECRET]);
    expect(f.recorder.retries).toEqual([]);
  });

  test("never shows the key, wherever it was planted", async () => {
    const planted = [
      json({ [SECRET]: 1, count: SECRET }),
      text(`${SECRET} is not JSON`, 200),
      text("", 302, { location: `http://${SECRET}.example/${SECRET}?key=${SECRET}` }),
      json({ message: `${"x".repeat(190)}${SECRET}` }, 400),
      ((response) => response.socket?.end(`HTTP/1.1 ${SECRET} nonsense\r\n\r\n`)) satisfies Scene,
    ];
    for (const scene of planted) {
      await using f = await Fixture.start([scene], { retry: { retries: 0 } });
      // `failure` looks for the key in everything that can be shown.
      const error = await failure(f.api().get(stats, NONE));
      expect(error.message).not.toMatch(/s3cr3t/);
    }
  });
});

describe("a 404", () => {
  test("of the operation is an answer to `find`, and is not stored", async () => {
    const missing = json({ statusCode: 404, error: "Not Found", message: "cannot find block by hash" }, 404, {
      etag: '"tip"',
    });
    await using f = await Fixture.start([missing]);
    const asked = { path: { height_or_hash: "0x00" } };

    expect(await f.api().find(block, asked)).toBeUndefined();
    expect(await failure(f.api().get(block, asked))).toMatchObject({ reason: "not_found", routeMissing: false });
    expect(f.server.seen[1]?.headers).not.toHaveProperty("if-none-match");
  });

  test.each<[string, Scene]>([
    ["the server", json({ message: "Route GET:/x not found", error: "Not Found", statusCode: 404 }, 404)],
    ["a gateway", json({ message: "no Route matched with those values" }, 404)],
    ["a proxy", text("<html>404</html>", 404)],
  ])("of %s that does not know the path is a failure to fall back from", async (_, scene) => {
    await using f = await Fixture.start([scene]);

    expect(await failure(f.api().find(stats, NONE))).toMatchObject({
      reason: "not_found",
      status: 404,
      routeMissing: true,
    });
  });
});

describe("a retry", () => {
  test.each([500, 502, 503, 504])("follows a %d, at most twice, and every one is paid", async (status) => {
    await using f = await Fixture.start([json({ error: "down" }, status)]);
    const start = f.clock.now();

    const error = await f.clock.until(failure(f.api().get(stats, NONE)));

    expect(error).toMatchObject({ reason: "http_server", status });
    expect(f.recorder.codes).toEqual([`${status}`, `${status}`, `${status}`]);
    expect(f.recorder.retries).toEqual(["mempool_stats http_server", "mempool_stats http_server"]);
    expect(f.clock.now() - start).toBe(250 + 500);
    expect(f.client.snapshot().budget.usedLastMinute).toBe(3);
  });

  test("brings the answer", async () => {
    await using f = await Fixture.start([text("", 502), good]);

    expect((await f.clock.until(f.api().get(stats, NONE))).body).toEqual({ count: 7 });
  });

  test("waits as long as a 503 asks, and only this request", async () => {
    await using f = await Fixture.start([json({ error: "later" }, 503, { "retry-after": "7" }), good]);
    const first = f.api().get(stats, NONE);
    await f.server.received(1);
    while (f.recorder.retries.length === 0) await turn();

    await f.api().get(stats, NONE);
    await f.clock.advance(6_999);
    expect(f.server.seen).toHaveLength(2);
    await f.clock.until(first);
    expect(f.server.seen).toHaveLength(3);
  });

  test("is not made when it would come after the deadline", async () => {
    await using f = await Fixture.start([json({ error: "later" }, 503, { "retry-after": "30" })]);

    expect(await failure(f.api(30_000).get(stats, NONE))).toMatchObject({ reason: "http_server" });
    expect(f.recorder.retries).toEqual([]);
  });

  test("is refused by an empty budget", async () => {
    await using f = await Fixture.start([text("", 500)], { budget: { perMinute: 2 } });

    expect(await f.clock.until(failure(f.api().get(stats, NONE)))).toMatchObject({ reason: "budget" });
    expect(f.server.seen).toHaveLength(2);
  });

  test("waits for the budget when the deadline allows, and no minute sees more than the limit", async () => {
    const perMinute = 3;
    await using f = await Fixture.start(
      [text("", 500), text("", 302, { location: "/other" }), text("", 302, { location: "/third" }), good],
      { budget: { perMinute } },
    );
    const start = f.clock.now();

    await f.clock.until(f.api(10 * MINUTE).get(stats, NONE), 2 * MINUTE);

    expect(f.server.seen.map(({ url }) => url)).toEqual([
      "/extended/v1/tx/mempool/stats",
      "/extended/v1/tx/mempool/stats",
      "/other",
      "/third",
    ]);
    expect(f.clock.now() - start).toBe(MINUTE);
  });

  test("follows an attempt that took too long", async () => {
    await using f = await Fixture.start([silence, good], { attemptTimeoutMs: 15_000 });
    const answer = f.api(60_000).get(stats, NONE);
    await f.server.received(1);
    await f.clock.advance(15_000);
    expect(f.recorder.codes).toEqual(["timeout"]);
    await f.clock.advance(5_000);

    expect((await answer).body).toEqual({ count: 7 });
    expect(f.recorder.retries).toEqual(["mempool_stats timeout"]);
  });
});

describe("an abort", () => {
  test("at the deadline is a timeout, in the middle of slow headers", async () => {
    await using f = await Fixture.start([silence]);
    const poll = new AbortController();
    const error = failure(f.api(30_000, { signal: poll.signal }).get(stats, NONE));
    await f.server.received(1);

    poll.abort(timeoutReason(30_000));

    expect(await error).toMatchObject({
      reason: "timeout",
      message: "mempool_stats: no complete answer before the deadline",
    });
    expect(f.recorder.codes).toEqual(["timeout"]);
    expect(f.server.seen).toHaveLength(1);
  });

  const shutdown = new Error("shutdown");
  test.each<[string, readonly Scene[], (f: Fixture) => Promise<void>]>([
    ["on the wire", [silence], (f) => f.server.received(1)],
    [
      "in the body",
      [(response) => response.writeHead(200, { "content-length": "100" }).write("{")],
      (f) => f.server.received(1),
    ],
    [
      "between two tries",
      [text("", 500)],
      async (f) => {
        while (f.recorder.retries.length === 0) await turn();
      },
    ],
    [
      "in a pause",
      [json({}, 429, { "retry-after": "20" })],
      async (f) => {
        while (f.recorder.retries.length === 0) await turn();
      },
    ],
  ])("for a shutdown %s passes through at once and is no failure", async (_, scenes, arrived) => {
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

  test("between two tries at a deadline nobody told is a timeout that names what was tried", async () => {
    await using f = await Fixture.start([text("", 500)]);
    const poll = new AbortController();
    const error = failure(f.client.forPoll({ priority: 0, signal: poll.signal }).get(stats, NONE));
    while (f.recorder.retries.length === 0) await turn();

    poll.abort(timeoutReason(1));

    expect(await error).toMatchObject({ reason: "timeout", status: 500, cause: { reason: "http_server" } });
  });

  test("before the start lets nothing leave", async () => {
    await using f = await Fixture.start([good]);

    const late = failure(f.api(30_000, { signal: AbortSignal.abort(timeoutReason(1)) }).get(stats, NONE));
    expect(await late).toMatchObject({ reason: "timeout" });
    await expect(f.api(30_000, { signal: AbortSignal.abort(shutdown) }).get(stats, NONE)).rejects.toBe(shutdown);
    expect(f.server.seen).toHaveLength(0);
  });

  test("of everything happens when the client is closed", async () => {
    await using f = await Fixture.start([silence], { budget: { perMinute: 1 } });
    const outcomes = Promise.allSettled([f.api(90_000).get(stats, NONE), f.api(90_000).get(stats, NONE)]);
    await f.server.received(1);

    await f.client.close();

    const closed = { status: "rejected", reason: expect.objectContaining({ message: "the client is closed" }) };
    expect(await outcomes).toEqual([closed, closed]);
    expect(f.clock.sleepers).toBe(0);
  });
});
