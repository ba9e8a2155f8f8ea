// Slow, silent and too many clients, on real sockets.
import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { LIMITS, type Limits } from "../../src/http/limits.ts";
import type { MetricsPage } from "../../src/http/page.ts";
import { closeServer } from "../../src/http/server.ts";
import { StatusWorld, serverOf } from "../support/status.ts";

/** More than the buffers of two sockets. */
const BODY_BYTES = 12 * 1024 * 1024;

let server: Server;
let body: Buffer;
let rendered: number;
let connections: Set<Socket>;
/** Rendering a page waits for this. */
let gate: Promise<void>;
let clients: Socket[];

/** Changes the page. */
function fill(version: number): void {
  body = Buffer.alloc(BODY_BYTES, version);
}

beforeEach(() => {
  [rendered, connections, clients, gate] = [0, new Set(), [], Promise.resolve()];
  fill(1);
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  await closeServer(server, 0);
});

/** A server that counts rendered pages and open connections. */
async function listen(limits: Partial<Limits>): Promise<void> {
  const render: MetricsPage["body"] = async (_format, isCompressed) => {
    await gate;
    rendered += 1;
    return isCompressed ? gzipSync(body) : body;
  };
  const page = { body: render } as MetricsPage;
  server = serverOf({ ...new StatusWorld().network().view(), page }, { ...LIMITS, ...limits });
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
}

/** A socket that has sent a text, and is paused. */
async function open(text: string, localAddress = "127.0.0.1"): Promise<Socket> {
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: "127.0.0.1", localAddress }).pause();
  client.on("error", () => undefined);
  clients.push(client);
  client.write(text);
  await once(client, "connect");
  return client;
}

const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
const lastGet = (path: string) => get(path, "connection: close\r\n");

/** Everything until the end. A server that closes with unread data resets the connection: `once` would reject. */
async function read(client: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  client.on("data", (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => client.resume().once("close", resolve));
  return Buffer.concat(chunks).toString("latin1");
}

/** The whole response to one request, status line first. */
const ask = async (path: string, from?: string) => read(await open(lastGet(path), from));

/** Turns the event loop until the condition is true. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn();
}

describe("a client that does not read", () => {
  test("is cut off", async () => {
    await listen({ stalledMs: 500 });
    const [silent] = await Promise.all([open(get("/metrics")), once(server, "connection")]);
    await until(() => connections.size === 0);
    expect(rendered).toBe(1);

    expect((await read(silent)).length).toBeLessThan(BODY_BYTES);
  });

  test("is cut off when it sends more requests", async () => {
    await listen({});
    await open(get("/metrics").repeat(100));
    await until(() => connections.size === 1);
    await until(() => connections.size === 0);

    expect(await ask("/metrics")).toMatch(/^HTTP\/1.1 200 OK/);
  });

  test("makes room for another page when there are too many", async () => {
    await listen({ bytes: 1, yieldMs: 0 });
    await open(get("/metrics"));
    await until(() => rendered === 1);
    fill(2);

    expect(await ask("/metrics")).toMatch(/^HTTP\/1.1 200 OK/);
    await until(() => connections.size === 0);
  });

  test("shares its page with others while nothing changes", async () => {
    await listen({ bytes: 1, yieldMs: 0 });
    for (let client = 1; client <= 5; client += 1) {
      await open(get("/metrics"));
      await until(() => rendered === client);
    }

    expect(await ask("/metrics")).toMatch(/^HTTP\/1.1 200 OK/);
    expect(connections.size).toBe(5);
  });
});

test("too many pages get a 503, and other pages do not", async () => {
  await listen({ bytes: 1, yieldMs: LIMITS.idleMs });
  const first = await open(lastGet("/metrics"));
  await until(() => rendered === 1);
  fill(2);
  const response = await ask("/metrics");

  expect(response).toMatch(/^HTTP\/1.1 503 Service Unavailable/);
  expect(response).toMatch(/\r\nretry-after: 5\r\n/i);
  expect(response).toMatch(/\r\n\r\nToo many pages are being sent. Try again in 5 seconds.\n$/);
  for (const path of ["/-/healthy", "/-/ready", "/"]) expect(await ask(path)).toMatch(/^HTTP\/1.1 200 OK/);
  expect(await read(first)).toMatch(/^HTTP\/1.1 200 OK/);
  expect(await ask("/metrics")).toMatch(/^HTTP\/1.1 200 OK/);
});

test("a client that disconnects while its page is rendered frees its place", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  await listen({ bytes: 1 });
  const [connection] = await Promise.all([once(server, "connection"), once(server, "request"), open(get("/metrics"))]);
  const closed = once(connection[0] as Socket, "close");
  clients[0]?.destroy();
  await closed;
  resolve();

  expect(await ask("/metrics")).toMatch(/^HTTP\/1.1 200 OK/);
});

describe("connections", () => {
  test("beyond the limit close the one that has waited longest for a request", async () => {
    await listen({ connections: 2 });
    const [idle, half] = [await open(get("/-/healthy")), await open("GET")];
    await once(idle.resume(), "data");

    expect(await ask("/-/healthy")).toMatch(/^HTTP\/1.1 200 OK/);
    await once(half.resume(), "close");
    expect(connections.size).toBe(1);
  });

  test("do not take the place of a client that got a page before", async () => {
    await listen({ connections: 4 });
    const idle = await open(get("/-/healthy"));
    await once(idle.resume(), "data");
    for (let more = 0; more < 9; more += 1) await open("GET", "127.0.0.2");
    await until(() => connections.size === 4);

    expect([...connections].filter(({ remoteAddress }) => remoteAddress === "127.0.0.1")).toHaveLength(1);
    expect(idle.closed).toBe(false);
  });

  test("of one address do not take the places of others", async () => {
    await listen({ connections: 4 });
    const half = await open("GET");
    for (let more = 0; more < 5; more += 1) await open("GET", "127.0.0.2");
    await until(() => connections.size === 4);

    expect(half.closed).toBe(false);
  });

  test("with requests give way only to a client that got a page before", async () => {
    await listen({ connections: 2 });
    await ask("/-/healthy");
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    for (const more of [1, 2]) {
      await Promise.all([once(server, "request"), open(get("/metrics"), "127.0.0.2")]);
      expect(connections.size).toBe(more);
    }

    expect(await ask("/-/healthy", "127.0.0.3")).toBe("");
    expect(await ask("/-/healthy")).toMatch(/^HTTP\/1.1 200 OK/);
    resolve();
  });

  test("that are half open and reconnect at once, 300 of the same address, fail no scrape", async () => {
    await listen({});
    body = Buffer.from("page");
    const target = server;
    const { port } = target.address() as AddressInfo;
    const reconnect = () => {
      const client = connect(port, "127.0.0.1").resume();
      clients.push(client);
      client.on("error", () => undefined).once("close", () => target.listening && reconnect());
      client.write("GET /metrics HTTP/1.1\r\n");
    };
    for (let attackers = 0; attackers < 300; attackers += 1) reconnect();
    const pages: string[] = [];
    for (let scrape = 0; scrape < 15; scrape += 1) pages.push(await ask("/metrics"));

    expect(pages.map((page) => page.slice(-"page".length))).toEqual(new Array(15).fill("page"));
  });

  test.each([
    ["nothing", ""],
    ["half of the headers", "GET /metrics HTTP/1.1\r\nhost: x\r\n"],
    ["half of a body", "POST /metrics HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nabc"],
  ])("that send %s are closed", async (_, text) => {
    await listen({ requestMs: 20 });
    const response = await read(await open(text));

    expect(response).toMatch(/HTTP\/1.1 40[58] /);
  });

  test("are closed when no further request arrives", async () => {
    await listen({ idleMs: 20 });

    expect(await read(await open(get("/-/healthy")))).toMatch(/^HTTP\/1.1 200 OK/);
  });

  test("with headers that are too long are refused", async () => {
    await listen({ headerBytes: 1024 });

    expect(await read(await open(get("/metrics", `x: ${"x".repeat(2048)}\r\n`)))).toMatch(/^HTTP\/1.1 431 /);
  });
});
