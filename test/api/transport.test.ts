import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { operation } from "../../src/api/operation.ts";
import { Fixture, failure, NONE, SECRET, stats } from "./fixture.ts";
import { type Scene, ScriptedServer, text } from "./scripted-server.ts";

const ONCE = { retries: 0 };

const compressed =
  (body: Buffer, cut = 0): Scene =>
  (response) => {
    response.writeHead(200, { "content-encoding": "gzip", "content-type": "application/json" });
    response.end(body.subarray(0, body.byteLength - cut));
  };

describe("a body", () => {
  test("may be compressed", async () => {
    const body = gzipSync('{"count":7}');
    await using f = await Fixture.start([compressed(body)]);

    expect((await f.api().get(stats, NONE)).body).toEqual({ count: 7 });
  });

  test.each<[string, Scene]>([
    ["in full", text(`"${"x".repeat(100_000)}"`, 200)],
    ["without a length and without an end", (response) => response.write("x".repeat(100_000))],
    ["compressed", compressed(gzipSync(Buffer.alloc(5_000_000, "x")))],
  ])("that is too large %s fails", async (_, scene) => {
    await using f = await Fixture.start([scene], { maxBodyBytes: 50_000 });

    expect(await failure(f.api().get(stats, NONE))).toMatchObject({ reason: "too_large" });
    expect(f.recorder.codes).toEqual(["too_large"]);
    expect(f.server.seen).toHaveLength(1);
  });

  test("that is larger than its operation allows fails, although the network allows more", async () => {
    await using f = await Fixture.start([text(`"${"x".repeat(100_000)}"`, 200)]);
    const small = operation({ ...stats, maxBodyBytes: 50_000 });

    expect(await failure(f.api().get(small, NONE))).toMatchObject({
      reason: "too_large",
      message: "mempool_stats: body larger than 50000 bytes",
    });
  });

  test.each<[string, Scene, string]>([
    [
      "cut short of its length",
      (r) => void r.writeHead(200, { "content-length": "99" }).write("{", () => r.destroy()),
      "network",
    ],
    ["cut between chunks", (r) => void r.writeHead(200).write('{"count":', () => r.destroy()), "network"],
    ["compressed and cut off", compressed(gzipSync('{"count":7}'), 9), "network"],
    ["not compressed, contrary to its header", compressed(Buffer.from('{"count":7}')), "bad_body"],
    ["in an encoding that was not requested", text("{}", 200, { "content-encoding": "br" }), "bad_body"],
    ["that is not HTTP", (r) => r.socket?.end("hello\r\n\r\n"), "network"],
  ])("%s is a failure", async (_, scene, reason) => {
    await using f = await Fixture.start([scene], ONCE);

    expect(await failure(f.api().get(stats, NONE))).toMatchObject({ reason, status: undefined });
    expect(f.recorder.codes).toEqual([reason]);
  });
});

describe("a connection", () => {
  test("that cannot be made is retried after a backoff, and each try uses the budget", async () => {
    const server = await ScriptedServer.start();
    const { url } = server;
    await server.close();
    const budget = { perMinute: 100, perMonth: 1_000_000 };
    await using f = await Fixture.start([], { baseUrl: `${url}/${SECRET}`, budget, key: undefined });

    await f.clock.until(failure(f.api().get(stats, NONE)));

    expect(f.recorder.codes).toEqual(["network", "network", "network"]);
    expect(f.client.snapshot().budget).toMatchObject({ usedLastMinute: 3, month: { usedSinceStart: 3 } });
  });

  test.each<[string, string, RegExp]>([
    [
      "an unknown host",
      "http://no-such-host.invalid:3999",
      /: (ENOTFOUND|EAI_AGAIN) no-such-host\.invalid:3999: before the response$/,
    ],
    ["no TLS", "https://127.0.0.1:PORT", /: \w+ 127\.0\.0\.1:\d+: before the response$/],
  ])("to %s names the host and the code", async (_, url, message) => {
    const server = await ScriptedServer.start();
    await using f = await Fixture.start([], { baseUrl: url.replace("PORT", String(server.port)), ...ONCE });

    const error = await failure(f.api().get(stats, NONE));
    await server.close();

    expect(error).toMatchObject({ reason: "network", message: expect.stringMatching(message) });
  });

  test("that is not made in time is a timeout", async () => {
    // It never sends anything, so the TLS handshake does not begin.
    const server = createServer((socket) => socket.resume()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await using f = await Fixture.start([], {
      baseUrl: `https://127.0.0.1:${port}`,
      connectTimeoutMs: 100,
      ...ONCE,
    });

    const error = await failure(f.api().get(stats, NONE));

    expect(error).toMatchObject({
      reason: "timeout",
      message: `mempool_stats: UND_ERR_CONNECT_TIMEOUT 127.0.0.1:${port}: before the response`,
    });
    await f.client.close();
    await new Promise((resolve) => server.close(resolve));
  });
});
