// Sends pages within the limits. A client that reads slowly, or not at all, holds neither memory nor the place of others:
// when there is no room, clients that do not read are cut off; when all of them read, the new request gets a 503.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Refusal } from "../telemetry/self-metrics.ts";
import type { Limits } from "./limits.ts";
import { sendText } from "./text.ts";

/** An answer that is ready to be sent. */
export interface Answer {
  readonly status: number;
  /** All but the length. */
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  /** Called once when the body is not needed any more, sent or not. @default nothing */
  release?(): void;
}

/** One answer on its way. */
interface Delivery {
  readonly socket: Socket;
  /** Undefined while it is being made. */
  body: Buffer | undefined;
  /** When the client last took a slice; `performance.now()`. */
  progressAt: number;
  timer: NodeJS.Timeout | undefined;
}

// One write of many megabytes holds the event loop while the system copies it; slices leave it free in between.
const SLICE_BYTES = 1024 * 1024;
const RETRY_SECONDS = 5;
// A page of any size, and compressed ones: Prometheus asks for those, and must find room beside a client that does not.
const LEAST_PAGES = 1.5;

/** The pages of one server that are on their way. */
export class Deliveries {
  readonly #limits: Limits;
  readonly #onRefused: (reason: Refusal) => void;
  readonly #open = new Set<Delivery>();

  constructor(limits: Limits, onRefused: (reason: Refusal) => void) {
    this.#limits = limits;
    this.#onRefused = onRefused;
  }

  /** Makes an answer and sends it, or refuses with 503. Rejects when it cannot be made; nothing is sent then. */
  async deliver(
    request: IncomingMessage,
    response: ServerResponse,
    make: () => Answer | Promise<Answer>,
  ): Promise<void> {
    if (this.#open.size >= this.#limits.pages && !this.#cutOffStalled()) {
      this.#refuse(response);
      return;
    }
    const { socket } = request;
    const delivery: Delivery = { socket, body: undefined, progressAt: 0, timer: undefined };
    this.#open.add(delivery);
    let answer: Answer | undefined;
    // Answers of pipelined requests that wait for an earlier one get no event of their own when the client leaves.
    const end = () => {
      socket.off("close", end);
      response.off("close", end);
      clearTimeout(delivery.timer);
      this.#open.delete(delivery);
      answer?.release?.();
      // When the socket closes, both events come, and this is called twice.
      answer = undefined;
    };
    socket.once("close", end);
    response.once("close", end);
    const made = await make();
    if (socket.destroyed) {
      made.release?.();
      return;
    }
    answer = made;
    if (!this.#hasRoomFor(answer.body)) {
      this.#refuse(response);
      return;
    }
    delivery.body = answer.body;
    delivery.progressAt = performance.now();
    delivery.timer = setTimeout(() => this.#cutOff(delivery), this.#limits.stalledMs);
    response.writeHead(answer.status, { ...answer.headers, "content-length": answer.body.length });
    if (request.method === "HEAD") response.end();
    else this.#send(response, delivery, answer.body, 0);
  }

  #send(response: ServerResponse, delivery: Delivery, body: Buffer, start: number): void {
    const end = start + SLICE_BYTES;
    if (end >= body.length) {
      response.end(body.subarray(start));
      return;
    }
    response.write(body.subarray(start, end), (error) => {
      if (error) return;
      delivery.progressAt = performance.now();
      delivery.timer?.refresh();
      setImmediate(() => this.#send(response, delivery, body, end));
    });
  }

  // Clients share the bytes of a page until it changes, so only different bodies take memory.
  #hasRoomFor(body: Buffer): boolean {
    if (this.#open.size === 1) return true;
    for (;;) {
      const bodies = new Set([...this.#open].flatMap((delivery) => delivery.body ?? []));
      bodies.add(body);
      const lengths = [...bodies].map(({ length }) => length);
      const bytes = lengths.reduce((sum, length) => sum + length, 0);
      if (bytes <= Math.max(this.#limits.bytes, LEAST_PAGES * Math.max(...lengths))) return true;
      if (!this.#cutOffStalled(body)) return false;
    }
  }

  /** Cuts off the client that has taken no slice for longest, of another body than `kept`; false when every one of them reads. */
  #cutOffStalled(kept?: Buffer): boolean {
    const latest = performance.now() - this.#limits.yieldMs;
    const [stalled] = [...this.#open]
      .filter(({ body, progressAt }) => body !== undefined && body !== kept && progressAt <= latest)
      .toSorted((a, b) => a.progressAt - b.progressAt);
    if (stalled === undefined) return false;
    this.#cutOff(stalled);
    return true;
  }

  #cutOff(delivery: Delivery): void {
    this.#onRefused("stalled");
    // Its place is free at once; its memory when the socket is closed and nothing can be written from it any more.
    this.#open.delete(delivery);
    delivery.socket.destroy();
  }

  #refuse(response: ServerResponse): void {
    this.#onRefused("pages");
    response.setHeader("retry-after", RETRY_SECONDS);
    sendText(response, 503, `Too many pages are being sent. Try again in ${RETRY_SECONDS} seconds.`);
  }
}
