import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Responds to one request. */
export type Scene = (response: ServerResponse, request: IncomingMessage) => void;

/** A request as the server saw it. */
export interface Seen {
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly method: string | undefined;
}

/** JSON with a status and headers. */
export const json =
  (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Scene =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
    response.end(JSON.stringify(body));
  };

/** Any text with a status and headers. */
export const text =
  (body: string, status: number, headers: Readonly<Record<string, string>> = {}): Scene =>
  (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };

/** Sends nothing. */
export const silence: Scene = () => {};

/** A server on the loopback address that plays one scene for each request, and then repeats the last one. */
export class ScriptedServer {
  readonly seen: Seen[] = [];
  connections = 0;
  readonly #server: Server;
  #scenes: Scene[] = [];
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      this.seen.push({ url: request.url ?? "", headers: request.headers, method: request.method });
      response.sendDate = false;
      const scene = this.#scenes.length > 1 ? this.#scenes.shift() : this.#scenes[0];
      (scene ?? json({}))(response, request);
      this.#waiting = this.#waiting.filter(({ count, resolve }) => {
        if (this.seen.length >= count) resolve();
        return this.seen.length < count;
      });
    });
    this.#server.on("connection", (socket) => {
      this.connections += 1;
      socket.on("error", () => {});
    });
  }

  static async start(...scenes: readonly Scene[]): Promise<ScriptedServer> {
    const server = new ScriptedServer();
    server.play(...scenes);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  /** Replaces what is still to be played. */
  play(...scenes: readonly Scene[]): void {
    this.#scenes = [...scenes];
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Resolves when this number of requests has arrived since the start. */
  received(count: number): Promise<void> {
    if (this.seen.length >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
