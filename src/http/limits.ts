// The limits of the HTTP server, and how metrics are sent within them. When there is no room for another page, the
// client that has read its page for longest is cut off; when none has for long, the new request gets a 503.
import type { OutgoingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { Request, Response } from "express";

/** The limits. They are constants because no operator has a reason to change them; times are milliseconds. */
export const LIMITS = {
  /** Open connections. */
  connections: 256,
  /** Pages of metrics rendered or sent at the same time. Clients share the bytes of a page until it changes. */
  pages: 32,
  /** A client that reads nothing of its page for this long is cut off. */
  stalledMs: 30_000,
  /** A client that has read for this long is cut off when another one needs its place. */
  yieldMs: 500,
  /** Size of request headers. */
  headerBytes: 16 * 1024,
  /** Time to receive a whole request. */
  requestMs: 10_000,
  /** Time between two requests of a connection: longer than the usual scrape interval. */
  idleMs: 75_000,
};
export type Limits = Readonly<typeof LIMITS>;

/** One page that is rendered or sent. */
interface Delivery {
  readonly socket: Socket;
  /** Undefined while the page is rendered; `performance.now()`. */
  sentAt: number | undefined;
}

const RETRY_SECONDS = 5;

/** The pages that one server renders or sends. */
export class Deliveries {
  readonly #limits: Limits;
  /** The first one has begun first. */
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
    if (!this.#makeRoom()) {
      response.status(503).set("retry-after", String(RETRY_SECONDS)).type("text");
      return void response.send(`Too many pages are being sent. Try again in ${RETRY_SECONDS} seconds.\n`);
    }
    const delivery: Delivery = { socket, sentAt: undefined };
    this.#open.add(delivery);
    response.once("close", () => this.#open.delete(delivery));
    const body = await render();
    if (socket.destroyed) return;
    delivery.sentAt = performance.now();
    response.writeHead(200, { ...headers, "content-length": body.length }).end(body);
  }

  /** Whether there is room for another page, if necessary after the one that has been sent for longest is cut off. */
  #makeRoom(): boolean {
    if (this.#open.size < this.#limits.pages) return true;
    // A pipelined response that waits for an earlier one gets no event when the socket closes.
    for (const delivery of this.#open) if (delivery.socket.destroyed) this.#open.delete(delivery);
    if (this.#open.size < this.#limits.pages) return true;
    const latest = performance.now() - this.#limits.yieldMs;
    for (const delivery of this.#open) {
      if (delivery.sentAt === undefined || delivery.sentAt > latest) continue;
      // Its place is free at once, its memory when the socket is closed.
      this.#open.delete(delivery);
      delivery.socket.destroy();
      return true;
    }
    return false;
  }
}
