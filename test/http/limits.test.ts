// Slow, silent and too many clients, on real sockets.
import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { Exposition } from "../../src/exposition/exposition.ts";
import { gauge } from "../../src/exposition/family.ts";
import { LIMITS, type Limits } from "../../src/http/limits.ts";
import { MetricsPage } from "../../src/http/page.ts";
import { closeServer, createHttpServer } from "../../src/http/server.ts";
import { StatusWorld } from "../support/status.ts";

jest.setTimeout(30_000);

const level = gauge({ name: "stacks_level", help: "A gauge.", labels: { part: "a long text" } });
const BODY_BYTES = 16 * 1024 * 1024;

let server: Server;
let exposition: Exposition;
let page: MetricsPage;
let world: StatusWorld;
let refused: string[];
let rendered: number;
let connections: Set<Socket>;
/** Rendering a page waits for this. */
let gate: Promise<void>;
let clients: Socket[];

/** More than the buffers of two sockets. */
function fill(value: number): void {
  const parts = BODY_BYTES / 8192;
  exposition.set(
    "x",
    Array.from({ length: parts }, (_, part) => level.at({ part: `${part} ${"x".repeat(8192)}` }, value)),
  );
}

beforeEach(() => {
  [refused, rendered, connections, clients, gate] = [[], 0, new Set(), [], Promise.resolve()];
  world = new StatusWorld().network();
  exposition = new Exposition([level]);
  fill(1);
  page = new MetricsPage({
    exposition,
    ownSamples: async () => {
      await gate;
      return [];
    },
    expire: () => undefined,
    onError: (error) => refused.push(String(error)),
    now: () => 1_000_000,
  });
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  await closeServer(server, 0);
});

/** A server that counts rendered pages and open connections. */
async function listen(limits: Partial<Limits>): Promise<void> {
  const body: MetricsPage["body"] = async (format, isCompressed) => {
    const text = await page.body(format, isCompressed);
    rendered += 1;
    return text;
  };
  server = createHttpServer(
    {
      ...world.view(),
      page: { body } as MetricsPage,
      missing: () => [],
      onError: (error) => refused.push(String(error)),
      onRefused: (reason) => refused.push(reason),
    },
    { ...LIMITS, ...limits },
  );
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
}

/** A socket that has sent a text, and is paused. */
async function open(text: string): Promise<Socket> {
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
  client.on("error", () => undefined);
  clients.push(client);
  client.write(text);
  await once(client, "connect");
  return client;
}

const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
const lastGet = (path: string) => get(path, "connection: close\r\n");

async function read(client: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  client.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(client.resume(), "close");
  return Buffer.concat(chunks).toString("latin1");
}

/** The whole response to one request, status line first. */
const ask = async (path: string) => read(await open(lastGet(path)));

/** Turns the event loop until the condition is true; fails before the time-out of the test. */
async function until(condition: () => boolean): Promise<void> {
  for (const end = performance.now() + 20_000; !condition(); await nextTurn()) {
    if (performance.now() > end)
      throw new Error(
        `not true in time: ${condition}, ${rendered} rendered, ${connections.size} open, refused ${refused}`,
      );
  }
}

describe("a client that does not read", () => {
  test("is cut off", async () => {
    await listen({ stalledMs: 500 });
    const silent = await open(get("/metrics"));
    await until(() => refused.length > 0 && connections.size === 0);

    expect(refused).toEqual(["stalled"]);
    expect((await read(silent)).length).toBeLessThan(BODY_BYTES);
  });

  test("is not cut off while it reads, however long the whole page takes", async () => {
    await listen({ stalledMs: 2_000, yieldMs: 0 });
    const slow = await open(lastGet("/metrics"));
    let bytes = 0;
    slow.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await once(slow.resume(), "close");

    expect(bytes).toBeGreaterThan(BODY_BYTES);
    expect(refused).toEqual([]);
  });

  test("makes room for another client when there are too many", async () => {
    await listen({ pages: 2, yieldMs: 0 });
    await open(get("/metrics"));
    await until(() => rendered === 1);
    await open(get("/metrics"));
    await until(() => rendered === 2);

    expect(await ask("/api/v1/status")).toMatch(/^HTTP\/1.1 200 OK/);
    expect(refused).toEqual(["stalled"]);
    await until(() => connections.size === 1);
  });

  test("makes room when its old page takes too much memory", async () => {
    await listen({ bytes: 2.5 * BODY_BYTES, yieldMs: 0 });
    await open(get("/metrics"));
    await until(() => rendered === 1);
    fill(2);
    await open(get("/metrics"));
    await until(() => rendered === 2);
    expect(refused).toEqual([]);
    fill(3);
    const answer = await ask("/metrics");

    expect(answer).toMatch(/^HTTP\/1.1 200 OK/);
    expect(answer.length).toBeGreaterThan(BODY_BYTES);
    expect(refused).toEqual(["stalled"]);
  });

  test("leaves room for a compressed page", async () => {
    await listen({ bytes: 1, yieldMs: 60_000 });
    await open(get("/metrics"));
    await until(() => rendered === 1);
    fill(2);

    expect(await read(await open(get("/metrics", "accept-encoding: gzip\r\nconnection: close\r\n")))).toMatch(
      /^HTTP\/1.1 200 OK/,
    );
    expect(refused).toEqual([]);
  });

  test("shares its page with others while nothing changes", async () => {
    await listen({ bytes: 1, yieldMs: 0 });
    for (let client = 1; client <= 5; client += 1) {
      await open(get("/metrics"));
      await until(() => rendered === client);
    }

    expect(await ask("/metrics")).toMatch(/^HTTP\/1.1 200 OK/);
    expect(refused).toEqual([]);
  });
});

describe("too many pages", () => {
  test.each(["/metrics", "/", "/api/v1/status"])("%s gets a 503, and health and readiness do not", async (path) => {
    let ready: () => void = () => undefined;
    gate = new Promise((resolve) => {
      ready = resolve;
    });
    await listen({ pages: 1, yieldMs: 0 });
    const [first] = await Promise.all([open(lastGet("/metrics")), once(server, "request")]);
    const answer = await ask(path);

    expect(answer).toMatch(/^HTTP\/1.1 503 Service Unavailable/);
    expect(answer).toMatch(/\r\nretry-after: 5\r\n/i);
    expect(answer).toMatch(/\r\n\r\nToo many pages are being sent. Try again in 5 seconds.\n$/);
    expect(refused).toEqual(["pages"]);
    for (const probe of ["/-/healthy", "/-/ready"]) expect(await ask(probe)).toMatch(/^HTTP\/1.1 200 OK/);
    ready();
    expect(await read(first)).toMatch(/^HTTP\/1.1 200 OK/);
    expect(await ask(path)).toMatch(/^HTTP\/1.1 200 OK/);
  });

  test("that differ and are all read: the new request gets a 503", async () => {
    await listen({ bytes: 2.5 * BODY_BYTES, yieldMs: 60_000 });
    for (const version of [1, 2]) {
      fill(version);
      await open(get("/metrics"));
      await until(() => rendered === version);
    }
    fill(3);

    expect(await ask("/metrics")).toMatch(/^HTTP\/1.1 503 Service Unavailable/);
    expect(refused).toEqual(["pages"]);
    await until(() => connections.size === 2);
  });
});

describe("a client that disconnects", () => {
  test("while its page is rendered frees its place", async () => {
    let ready: () => void = () => undefined;
    gate = new Promise((resolve) => {
      ready = resolve;
    });
    await listen({ pages: 1 });
    const [connection] = await Promise.all([
      once(server, "connection"),
      once(server, "request"),
      open(get("/metrics")),
    ]);
    const closed = once(connection[0] as Socket, "close");
    clients[0]?.destroy();
    await closed;
    ready();

    expect(await ask("/metrics")).toMatch(/^HTTP\/1.1 200 OK/);
    expect(refused).toEqual([]);
  });

  test("with pipelined requests frees all its places", async () => {
    await listen({ pages: 3, yieldMs: 60_000 });
    const client = await open(get("/metrics").repeat(3));
    await until(() => rendered === 3);
    client.destroy();

    await until(() => connections.size === 0);
    expect(await ask("/metrics")).toMatch(/^HTTP\/1.1 200 OK/);
    expect(refused).toEqual([]);
  });
});

describe("connections", () => {
  test("beyond the limit are closed, and idle ones make room", async () => {
    await listen({ connections: 1 });
    const idle = await open(get("/-/healthy"));
    await once(idle.resume(), "data");
    await read(await open(get("/-/healthy")));
    expect(refused).toEqual(["connections"]);
    if (!idle.closed) await once(idle, "close");

    expect(await ask("/-/healthy")).toMatch(/^HTTP\/1.1 200 OK/);
  });

  test.each([
    ["nothing", ""],
    ["half of the headers", "GET /metrics HTTP/1.1\r\nhost: x\r\n"],
    ["half of a body", "POST /metrics HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nabc"],
  ])("that send %s are closed", async (_, text) => {
    await listen({ headersMs: 20, requestMs: 40 });
    const answer = await read(await open(text));

    expect(answer).toMatch(/HTTP\/1.1 40[58] /);
  });

  test("are closed when no further request comes", async () => {
    await listen({ idleMs: 20 });

    expect(await read(await open(get("/-/healthy")))).toMatch(/^HTTP\/1.1 200 OK/);
  });

  test("with headers that are too long are refused", async () => {
    await listen({ headerBytes: 1024 });

    expect(await read(await open(get("/metrics", `x: ${"x".repeat(2048)}\r\n`)))).toMatch(/^HTTP\/1.1 431 /);
  });
});
