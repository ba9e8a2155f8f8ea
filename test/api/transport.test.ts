import { gzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { operation } from "../../src/api/operation.ts";
import { turn } from "../support/fake-clock.ts";
import { Fixture, failure, NONE, ONCE, stats } from "./fixture.ts";
import { json, type Scene, ScriptedServer, text } from "./scripted-server.ts";

const good = json({ count: 1 });

const compressed =
  (body: Buffer, cut = 0): Scene =>
  (response) => {
    response.writeHead(200, { "content-encoding": "gzip", "content-type": "application/json" });
    response.end(body.subarray(0, body.byteLength - cut));
  };
const closeConnection: Scene = (response) => response.socket?.destroy();

describe("a body", () => {
  test.each<[string, Scene]>([
    ["in full", text(`"${"x".repeat(100_000)}"`, 200)],
    ["without a length and without an end", (response) => response.write("x".repeat(100_000))],
    ["compressed", compressed(gzipSync(Buffer.alloc(5_000_000, "x")))],
  ])("that is too large %s fails", async (_, scene) => {
    await using f = await Fixture.start([scene]);
    const small = operation({ ...stats, maxBodyBytes: 50_000 });

    expect(await failure(f.api().get(small, NONE))).toMatchObject({
      reason: "too_large",
      message: expect.stringMatching(/^mempool_stats: body larger than 50000 bytes/),
    });
    expect(f.recorder.codes).toEqual(["too_large"]);
    expect(f.server.seen).toHaveLength(1);
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

    const message = expect.not.stringMatching(/connection failed|not gzip/);
    expect(await failure(f.api().get(stats, NONE))).toMatchObject({ reason, message, status: undefined });
    expect(f.recorder.codes).toEqual([reason]);
  });

  test("in the encoding identity is read as it is", async () => {
    await using f = await Fixture.start([text('{"count":7}', 200, { "content-encoding": "Identity" })]);

    expect((await f.api().get(stats, NONE)).body).toEqual({ count: 7 });
  });

  test.each([
    [429, "rate_limited"],
    [502, "http_server"],
    [403, "unauthorized"],
  ])("of an error is not what the error is about: %d", async (status, reason) => {
    const bodies = [
      text("<html>", status, { "content-encoding": "br" }),
      text("<html>", status, { "content-encoding": "gzip" }),
      text("x".repeat(100_000), status),
    ];
    const small = operation({ ...stats, maxBodyBytes: 50_000 });
    for (const scene of bodies) {
      await using f = await Fixture.start([scene], ONCE);

      expect(await failure(f.api().get(small, NONE))).toMatchObject({ reason, status });
      expect(f.recorder.codes).toEqual([String(status)]);
      expect(f.recorder.pauses).toHaveLength(status === 429 ? 1 : 0);
    }
  });
});

describe("a connection", () => {
  test("is reused", async () => {
    await using f = await Fixture.start([good]);

    for (let one = 0; one < 3; one += 1) {
      await f.api().get(stats, NONE);
      // A connection is free only after its response is complete.
      await turn();
    }

    expect(f.server.connections).toBe(1);
  });

  test("that was closed while idle is replaced, and each try uses the budget", async () => {
    await using f = await Fixture.start([good, closeConnection, good]);
    await f.api().get(stats, NONE);
    await turn();

    await f.clock.until(f.api().get(stats, NONE));

    expect(f.recorder.codes).toEqual(["200", "network", "200"]);
    expect(f.client.snapshot().budget.minute.used).toBe(3);
    expect(f.server.connections).toBe(2);
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
});
