// The limits of the HTTP server. Without room for another page, clients that read an older one for long are cut off, or
// the new request gets a 503. For another connection, the one that has waited longest for a request is closed, so that
// clients which only open connections do not keep out those that send requests.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";
import type { Response } from "express";
import { sum } from "../api/budget.ts";

/** The limits. They are constants because no operator has a reason to change them; times are milliseconds. */
export const LIMITS = {
  connections: 256,
  /** Bytes of different pages sent at the same time; one page and its compressed forms always fit. */
  bytes: 64 * 1024 * 1024,
  /** A client that reads nothing of its page for this long is cut off. */
  stalledMs: 30_000,
  /** A client that has read for this long is cut off when another one needs its place. */
  yieldMs: 500,
  headerBytes: 16 * 1024,
  /** Time to receive a whole request. */
  requestMs: 10_000,
  /** Time between two requests of a connection: longer than the usual scrape interval. */
  idleMs: 75_000,
};
export type Limits = Readonly<typeof LIMITS>;

interface Delivery {
  readonly socket: Socket;
  readonly body: Buffer;
  /** `performance.now()`. */
  readonly sentAt: number;
}

// Room for a page of any size and for compressed ones, so that a client without compression does not block Prometheus.
const MIN_PAGES = 1.5;

/** Decides whether there is room for a page, which the caller sends now if so. */
export function deliveriesOf(limits: Limits): (response: Response, body: Buffer) => boolean {
  /** The first one was sent first. */
  const open = new Set<Delivery>();

  // Clients share the bytes of a page until it changes, so only different bodies take memory.
  function hasRoomFor(body: Buffer): boolean {
    const lengths = [...new Set([body, ...[...open].map((one) => one.body)])].map(({ length }) => length);
    return sum(lengths) <= Math.max(limits.bytes, MIN_PAGES * Math.max(...lengths));
  }

  /** Whether there is room for a body, if necessary after those that read another one for longest are cut off. */
  function makeRoom(body: Buffer): boolean {
    const latest = performance.now() - limits.yieldMs;
    let hasRoom = hasRoomFor(body);
    for (const delivery of open) {
      // A pipelined response that waits for an earlier one gets no event when its socket closes.
      const isOver = delivery.socket.destroyed;
      if (!isOver && (hasRoom || delivery.body === body || delivery.sentAt > latest)) continue;
      // Its place is free at once, its memory when the socket is closed.
      open.delete(delivery);
      delivery.socket.destroy();
      hasRoom ||= hasRoomFor(body);
    }
    return hasRoom;
  }

  return (response, body) => {
    const { socket } = response.req;
    if (socket.destroyed) return true;
    if (!makeRoom(body)) return false;
    const delivery = { socket, body, sentAt: performance.now() };
    open.add(delivery);
    response.once("close", () => open.delete(delivery));
    return true;
  };
}

interface Connection {
  readonly key: string | Socket;
  readonly socket: Socket;
  readonly address: string;
  /** Requests whose response has not ended. */
  requests: number;
}

// Addresses of clients; beyond this, the one that was seen longest ago is forgotten.
const MAX_KNOWN = 256;
const FIRST_ERROR = 400;
// Of one address.
const SHARE = 3 / 4;
// Requests of one connection at the same time: a client that sends more without reading is cut off.
const MAX_PIPELINED = 8;

// Of TLS, a request has another socket than its connection. A Unix socket has neither address nor port.
const keyOf = (socket: Socket): string | Socket =>
  socket.remotePort === undefined ? socket : `${socket.remotePort} ${socket.remoteAddress}`;

const waiting = (list: readonly Connection[]) => list.find(({ requests }) => requests === 0);

/** Keeps the number of connections of an HTTP server within a limit, and those of one address within a part of it. */
export function limitConnections(server: Server, limit: number): void {
  /** Those that have waited longest for a request come first. */
  const open = new Map<string | Socket, Connection>();
  /** Addresses that got a page, with a password if one is required: others do not take their places. */
  const known = new Set<string>();

  server.on("connection", (socket: Socket) => {
    const { remoteAddress: address = "" } = socket;
    const connection = { key: keyOf(socket), socket, address, requests: 0 };
    const others = [...open.values()];
    open.set(connection.key, connection);
    socket.once("close", () => open.delete(connection.key));
    const same = others.filter((one) => one.address === address);
    const isShare = same.length >= limit * SHARE;
    if (!isShare && others.length < limit) return;
    const unknown = others.filter((one) => !known.has(one.address));
    const busy = known.has(address) ? unknown[0] : undefined;
    const closed = (isShare ? waiting(same) : (waiting(unknown) ?? waiting(others) ?? busy)) ?? connection;
    open.delete(closed.key);
    closed.socket.destroy();
  });
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = open.get(keyOf(socket));
    if (connection === undefined) return;
    const { key, address } = connection;
    connection.requests += 1;
    if (connection.requests > MAX_PIPELINED) socket.destroy();
    response.once("close", () => {
      connection.requests -= 1;
      if (open.delete(key)) open.set(key, connection);
      if (response.statusCode >= FIRST_ERROR) return;
      known.delete(address);
      known.add(address);
      const [oldest] = known;
      if (known.size > MAX_KNOWN) known.delete(oldest as string);
    });
  });
}
