import { describe, expect, test } from "@jest/globals";
import { block, Fixture, failure, NONE, SECRET, stats } from "./fixture.ts";
import { json } from "./scripted-server.ts";

const good = json({ count: 7 });

describe("a request", () => {
  test("carries the key and the standard headers, and its response is decoded", async () => {
    await using f = await Fixture.start([good]);

    const response = await f.api().get(stats, NONE);

    expect(response).toEqual({ body: { count: 7 }, receivedAt: f.clock.now() });
    expect(f.server.seen[0]).toMatchObject({ method: "GET", url: "/extended/v1/tx/mempool/stats" });
    expect(f.server.seen[0]?.headers).toMatchObject({
      accept: "application/json",
      "accept-encoding": "gzip",
      "user-agent": "stacks-exporter/0.0.0",
      "x-api-key": SECRET,
    });
    expect(f.recorder.codes).toEqual(["200"]);
  });

  test("carries no key when there is none", async () => {
    await using anonymous = await Fixture.start([good], { key: undefined });

    await anonymous.api().get(stats, NONE);

    expect(anonymous.server.seen[0]?.headers).not.toHaveProperty("x-api-key");
  });

  test("goes below the path of the base URL, with every parameter encoded", async () => {
    const server = await Fixture.start([json({ height: 1 })]);
    await using f = await Fixture.start([], { baseUrl: `${server.server.url}/stacks` });

    await f.api().get(block, { path: { height_or_hash: "a/b?c" }, query: { limit: 5, all: true, q: "&=" } });
    const dots = await failure(f.api().get(block, { path: { height_or_hash: ".." } }));

    expect(server.server.seen[0]?.url).toBe("/stacks/extended/v2/blocks/a%2Fb%3Fc?limit=5&all=true&q=%26%3D");
    expect(dots).toMatchObject({ reason: "bug", message: "block: no usable value for {height_or_hash}" });
    await server[Symbol.asyncDispose]();
  });

  test("reports drift that a collector finds", async () => {
    await using f = await Fixture.start([good]);

    f.api().noteDrift(stats, "tx_status", "enum");

    expect(f.recorder.drifts).toEqual(["mempool_stats tx_status enum"]);
  });
});
