// A real forward proxy: tunnels (CONNECT) and absolute URLs, with a password if wanted.
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";

/** A proxy on a free port of this machine. Every host name stands for this machine. */
export class ForwardProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #credentials: string | undefined;
  /** First lines of the requests: `CONNECT host:port` or `GET http://…`. */
  readonly seen: string[] = [];

  private constructor(credentials: string | undefined) {
    this.#credentials = credentials;
    this.#server = createServer((incoming, response) => {
      this.seen.push(`${incoming.method} ${incoming.url}`);
      if (!this.#isAllowed(incoming)) {
        response.writeHead(407, { "proxy-authenticate": "Basic" }).end("proxy password required");
        return;
      }
      const { port, pathname, search } = new URL(incoming.url ?? "");
      const { "proxy-authorization": _, ...headers } = incoming.headers;
      const outgoing = request({ host: "127.0.0.1", port, path: pathname + search, headers }, (incoming) => {
        response.writeHead(incoming.statusCode ?? 502, incoming.headers);
        incoming.pipe(response);
      });
      outgoing.once("error", () => response.writeHead(502).end());
      incoming.pipe(outgoing);
    });
    this.#server.on("connect", (incoming, socket) => {
      this.seen.push(`CONNECT ${incoming.url}`);
      if (!this.#isAllowed(incoming)) {
        socket.end("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
        return;
      }
      const target = connect(Number(incoming.url?.split(":").at(-1)), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        socket.pipe(target).pipe(socket);
      });
      target.once("error", () => socket.destroy());
      socket.once("error", () => target.destroy());
      socket.once("close", () => target.destroy());
    });
  }

  /** @param credentials `user:password`, without which nothing is forwarded. */
  static async start(credentials?: string): Promise<ForwardProxy> {
    const proxy = new ForwardProxy(credentials);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  /** Its URL, with the credentials. */
  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://${this.#credentials === undefined ? "" : `${this.#credentials}@`}127.0.0.1:${port}`;
  }

  #isAllowed({ headers }: IncomingMessage): boolean {
    if (this.#credentials === undefined) return true;
    const expected = decodeURIComponent(this.#credentials);
    return headers["proxy-authorization"] === `Basic ${Buffer.from(expected).toString("base64")}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}
