// The open connections of a server, within a limit. For another one, the connection that has waited longest for a
// request is closed, so that clients which only open connections do not keep out those that send requests.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";

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
