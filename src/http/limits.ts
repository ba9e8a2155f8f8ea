// The limits of the HTTP server, and how metrics are sent within them. When there is no room for another page, clients
// that do not read theirs are cut off; when all of them read, the new request gets a 503.
import type { OutgoingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { Request, Response } from "express";

/** The limits. They are constants because no operator has a reason to change them; times are milliseconds. */
export const LIMITS = {
  /** Open connections. */
  connections: 256,
  /** Pages of metrics rendered or sent at the same time. */
  pages: 64,
  /** Bytes of different bodies sent at the same time; one page and its compressed forms always fit. */
  bytes: 64 * 1024 * 1024,
  /** A client that reads nothing of its page for this long is cut off. */
  stalledMs: 30_000,
  /** A client that reads nothing for this long is cut off when another one needs its place. */
  yieldMs: 500,
  /** Size of request headers. */
  headerBytes: 16 * 1024,
  /** Time to receive the headers of a request. */
  headersMs: 10_000,
  /** Time to receive a whole request. */
  requestMs: 30_000,
  /** Time between two requests of a connection: longer than the usual scrape interval. */
  idleMs: 75_000,
};
export type Limits = Readonly<typeof LIMITS>;

/** One page that is rendered or sent. */
interface Delivery {
  readonly socket: Socket;
  /** Undefined while the page is rendered. */
  body: Buffer | undefined;
  /** Time when the client last read a slice; `performance.now()`. */
  progressAt: number;
}

// One write of many megabytes blocks the event loop while the system copies it; slices leave it free in between.
const SLICE_BYTES = 1024 * 1024;
const RETRY_SECONDS = 5;
// Room for a page of any size and for compressed ones, so that a client without compression does not block Prometheus.
const MIN_PAGES = 1.5;

/** The pages that one server renders or sends. */
export class Deliveries {
  readonly #limits: Limits;
  readonly #open = new Set<Delivery>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Renders a page and sends it, or responds with 503. Rejects, with nothing sent, if the page cannot be rendered. */
  async deliver(
    { socket }: Request,
    response: Response,
    headers: OutgoingHttpHeaders,
    render: () => Promise<Buffer>,
  ): Promise<void> {
    if (!this.#makeRoom(() => this.#open.size < this.#limits.pages)) return refuse(response);
    const delivery: Delivery = { socket, body: undefined, progressAt: 0 };
    this.#open.add(delivery);
    // A pipelined response that waits for an earlier one gets no event when the socket closes.
    const end = () => {
      socket.off("close", end);
      response.off("close", end);
      this.#open.delete(delivery);
    };
    socket.once("close", end);
    response.once("close", end);
    const body = await render();
    if (socket.destroyed) return;
    if (!this.#makeRoom(() => this.#hasRoomFor(body), body)) return refuse(response);
    delivery.body = body;
    delivery.progressAt = performance.now();
    response.writeHead(200, { ...headers, "content-length": body.length });
    this.#send(response, delivery, body);
  }

  #send(response: Response, delivery: Delivery, rest: Buffer): void {
    if (rest.length <= SLICE_BYTES) {
      response.end(rest);
      return;
    }
    response.write(rest.subarray(0, SLICE_BYTES), (error) => {
      if (error) return;
      delivery.progressAt = performance.now();
      setImmediate(() => this.#send(response, delivery, rest.subarray(SLICE_BYTES)));
    });
  }

  // Clients share the bytes of a page until it changes, so only different bodies take memory.
  #hasRoomFor(body: Buffer): boolean {
    const bodies = new Set([body, ...[...this.#open].flatMap((delivery) => delivery.body ?? [])]);
    const lengths = [...bodies].map(({ length }) => length);
    const bytes = lengths.reduce((sum, length) => sum + length, 0);
    return bytes <= Math.max(this.#limits.bytes, MIN_PAGES * Math.max(...lengths));
  }

  /** Cuts off clients that read nothing of another body than `kept`, longest first; false if there is still no room. */
  #makeRoom(hasRoom: () => boolean, kept?: Buffer): boolean {
    const latest = performance.now() - this.#limits.yieldMs;
    const stalled = [...this.#open]
      .filter(({ body, progressAt }) => body !== undefined && body !== kept && progressAt <= latest)
      .sort((a, b) => b.progressAt - a.progressAt);
    while (!hasRoom()) {
      const longest = stalled.pop();
      if (longest === undefined) return false;
      // Its place is free at once, its memory when the socket is closed.
      this.#open.delete(longest);
      longest.socket.destroy();
    }
    return true;
  }
}

function refuse(response: Response): void {
  response.status(503).set("retry-after", String(RETRY_SECONDS)).type("text");
  response.send(`Too many pages are being sent. Try again in ${RETRY_SECONDS} seconds.\n`);
}
