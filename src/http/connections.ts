// The open connections of a server, within limits. For another one, the connection that has waited longest for a
// request is closed, so that clients which only open connections do not keep out those that send requests.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";

/** The limits of connections. */
export interface ConnectionLimits {
  /** Of all clients. */
  readonly connections: number;
  /** Of one address. */
  readonly ofAddress: number;
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

// Of TLS, a request has another socket than its connection. A Unix socket has neither address nor port.
const keyOf = (socket: Socket): string | Socket =>
  socket.remotePort === undefined ? socket : `${socket.remotePort} ${socket.remoteAddress}`;

const waiting = (list: readonly Connection[]) => list.find(({ requests }) => requests === 0);

/** Keeps the connections of an HTTP server within the limits. */
export function limitConnections(server: Server, { connections, ofAddress }: ConnectionLimits): void {
  /** Those that have waited longest for a request come first. */
  const open = new Map<string | Socket, Connection>();
  /** Addresses that got a page, with a password if one is required: others do not take their places. */
  const known = new Set<string>();

  /** Whether there is room for another connection, if necessary after one is closed. */
  function makeRoom(address: string): boolean {
    const all = [...open.values()];
    const same = all.filter((one) => one.address === address);
    const isShare = same.length >= ofAddress;
    if (!isShare && all.length < connections) return true;
    const unknown = all.filter((one) => !known.has(one.address));
    const longest = waiting(unknown) ?? waiting(all) ?? (known.has(address) ? unknown[0] : undefined);
    const victim = isShare ? waiting(same) : longest;
    if (victim === undefined) return false;
    open.delete(victim.key);
    victim.socket.destroy();
    return true;
  }

  server.on("connection", (socket: Socket) => {
    const { remoteAddress: address = "" } = socket;
    if (!makeRoom(address)) return void socket.destroy();
    const key = keyOf(socket);
    open.set(key, { key, socket, address, requests: 0 });
    socket.once("close", () => open.delete(key));
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
