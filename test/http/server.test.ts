import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import request from "supertest";
import { Exposition } from "../../src/exposition/exposition.ts";
import { counter, gauge, type Sample } from "../../src/exposition/family.ts";
import { MetricsPage } from "../../src/http/page.ts";
import { closeServer, createHttpServer } from "../../src/http/server.ts";
import { parseExposition } from "../support/parser.ts";
import { StatusWorld } from "../support/status.ts";

const level = gauge({ name: "stacks_level", help: "A gauge." });
const total = counter({ name: "stacks_seen_total", help: "A counter." });
const renewed = counter({ name: "stacks_renewed_total", help: "How often the own samples were made." });

let exposition: Exposition;
let page: MetricsPage;
let server: Server;
let world: StatusWorld;
let now = 0;
let renewals = 0;
let missing: { what: string; why: string }[] = [];
let errors: unknown[] = [];
let ownSamples: () => Promise<Iterable<Sample>>;

beforeEach(async () => {
  [now, renewals, missing, errors] = [1_000_000, 0, [], []];
  world = new StatusWorld().network();
  exposition = new Exposition([level, total, renewed]);
  exposition.set("x", [level.at({}, 5), total.at({}, 6)]);
  ownSamples = async () => {
    renewals += 1;
    return [renewed.at({}, renewals)];
  };
  page = new MetricsPage({
    exposition,
    ownSamples: () => ownSamples(),
    expire: (at) => at > 2_000_000 && exposition.expire("x"),
    onError: (error) => errors.push(error),
    now: () => now,
  });
  server = createHttpServer({
    page,
    missing: () => missing,
    ...world.view(),
    onError: (error) => errors.push(error),
    onRefused: (reason) => errors.push(reason),
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(() => closeServer(server, 0));

const CLASSIC = "text/plain; version=0.0.4; charset=utf-8";
const OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

describe("/metrics", () => {
  test("answers in the classic format by default", async () => {
    const response = await request(server).get("/metrics").set("Accept-Encoding", "identity");

    expect(response.status).toBe(200);
    expect(response.headers["content-type"]).toBe(CLASSIC);
    expect(parseExposition(response.text, "classic").map(({ name }) => name)).toEqual([
      level.name,
      total.name,
      renewed.name,
    ]);
  });

  test("answers in OpenMetrics when asked, and the formats do not disturb each other", async () => {
    for (const accept of [OPENMETRICS, "text/plain", OPENMETRICS]) {
      const response = await request(server).get("/metrics").set("Accept", accept).buffer(true).parse(collect);
      const format = accept === OPENMETRICS ? "openmetrics" : "classic";
      expect(response.headers["content-type"]).toBe(format === "classic" ? CLASSIC : OPENMETRICS);
      expect(parseExposition((response.body as Buffer).toString(), format)).toHaveLength(3);
    }
  });

  test("is compressed when asked, and is the same page", async () => {
    const plain = await request(server).get("/metrics").set("Accept-Encoding", "identity").buffer(true).parse(collect);
    const { port } = server.address() as AddressInfo;
    const response = await raw(port, "GET", { "accept-encoding": "gzip" });

    expect(response.headers).toMatch(/content-encoding: gzip/i);
    expect(response.headers).toMatch(/vary: accept, accept-encoding/i);
    expect(gunzipSync(response.body).toString()).toBe((plain.body as Buffer).toString());
  });

  test("answers HEAD with the headers of GET and no body", async () => {
    const { port } = server.address() as AddressInfo;
    const get = await raw(port, "GET", {});
    const head = await raw(port, "HEAD", {});

    expect(head.body).toHaveLength(0);
    expect(head.headers.replace(/date: .*/i, "")).toBe(get.headers.replace(/date: .*/i, ""));
  });

  test("makes the exporter's own samples anew after five seconds, or when something happened", async () => {
    const read = async () =>
      /stacks_renewed_total (\d+)/.exec((await page.body("classic", false)).body.toString())?.[1];

    expect([await read(), await read()]).toEqual(["1", "1"]);
    now += 5_000;
    expect(await read()).toBe("2");
    page.touch();
    expect([await read(), await read()]).toEqual(["3", "3"]);
  });

  test("hands the same bytes to scrapes that come together, compressed once", async () => {
    const bodies = await Promise.all([
      page.body("classic", true),
      page.body("classic", true),
      page.body("classic", true),
    ]);

    expect(bodies[1]?.body).toBe(bodies[0]?.body);
    expect(bodies[2]?.body).toBe(bodies[0]?.body);
    expect(renewals).toBe(1);
  });

  test("does not show what is too old", async () => {
    now = 3_000_000;

    expect((await page.body("classic", false)).body.toString()).not.toContain("stacks_level 5");
  });

  test("stays up when the own samples cannot be made, and tells the log", async () => {
    await page.body("classic", false);
    ownSamples = async () => Promise.reject(new Error("broken"));
    page.touch();
    const response = await request(server).get("/metrics");

    expect(response.status).toBe(200);
    expect(response.text).toContain("stacks_renewed_total 1\n");
    expect(errors).toEqual([new Error("broken")]);
  });

  test("says 500 when no page can be made, and tells the log", async () => {
    exposition.page = async () => Promise.reject(new Error("broken with s3cret"));
    const response = await request(server).get("/metrics");

    expect(response.status).toBe(500);
    expect(response.text).toBe("The page could not be made; the log says why.\n");
    expect(errors).toEqual([new Error("broken with s3cret")]);
  });
});

describe.each(["/metrics", "/-/healthy", "/-/ready", "/", "/api/v1/status"])("%s", (path) => {
  test.each(["post", "put", "delete", "patch", "options"] as const)("refuses %s", async (method) => {
    const response = await request(server)[method](path);

    expect(response.status).toBe(405);
    expect(response.headers.allow).toBe("GET, HEAD");
  });

  test("answers HEAD", async () => {
    expect((await request(server).head(path)).status).toBe(200);
  });
});

test("/-/ready names what is missing, masked", async () => {
  missing = [{ what: "mainnet/fees", why: "network: no route to s3cret" }];
  const response = await request(server).get("/-/ready");

  expect(response.status).toBe(503);
  expect(response.text).toBe("stacks-exporter is not ready. Missing:\nmainnet/fees: network: no route to ***\n");
  missing = [];
  expect((await request(server).get("/-/ready")).text).toBe("stacks-exporter is ready.\n");
});

test("anything else is not there, and says where to go", async () => {
  const response = await request(server).get("/metric");

  expect(response.status).toBe(404);
  expect(response.text).toBe("There is nothing at /metric. Try / or /metrics.\n");
  expect(response.headers["x-powered-by"]).toBeUndefined();
});

test("closing lets an open scrape finish", async () => {
  const good = ownSamples;
  let open: () => void = () => undefined;
  ownSamples = async () => {
    await new Promise<void>((resolve) => {
      open = resolve;
    });
    return good();
  };
  const { port } = server.address() as AddressInfo;
  const scrape = raw(port, "GET", {});
  await new Promise<void>((resolve) => server.once("request", () => resolve()));
  const closed = closeServer(server, 60_000);
  setImmediate(() => open());

  expect((await scrape).headers).toMatch(/^HTTP\/1.1 200 OK/);
  await closed;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

function collect(incoming: request.Response, done: (error: Error | null, body: Buffer) => void): void {
  // supertest's typings give the finished response here; what is handed over is the stream of it.
  const response = incoming as unknown as NodeJS.ReadableStream;
  const chunks: Buffer[] = [];
  response.on("data", (chunk: Buffer) => chunks.push(chunk));
  response.on("end", () => done(null, Buffer.concat(chunks)));
}

/** One request on a socket of its own, so that nothing is decoded on the way. */
async function raw(
  port: number,
  method: string,
  headers: Record<string, string>,
): Promise<{ headers: string; body: Buffer }> {
  const { connect } = await import("node:net");
  const socket = connect(port, "127.0.0.1");
  const lines = Object.entries({ host: "x", connection: "close", ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.write(`${method} /metrics HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const all = Buffer.concat(chunks);
  const end = all.indexOf("\r\n\r\n");
  return { headers: all.subarray(0, end).toString("latin1"), body: all.subarray(end + 4) };
}
