// Sockets: one GET, one answer, whatever its status. The only file that imports undici. It follows no redirect, retries
// nothing and knows no operation.
import { Agent } from "undici";
import { BodyFailure, readBody } from "./body.ts";
import type { Headers } from "./retry-after.ts";

/** Limits of the transport; times in milliseconds. */
export interface TransportLimits {
  /** Open connections to the server. */
  readonly connections: number;
  readonly connectTimeoutMs: number;
  /** From the request to the response headers. */
  readonly headersTimeoutMs: number;
  /** Between two pieces of the body. */
  readonly bodyTimeoutMs: number;
  /** Of a body, packed as well as unpacked. */
  readonly maxBodyBytes: number;
}

/** An answer, complete. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Unpacked. */
  readonly body: Buffer;
  /** Bytes of the body as they came. */
  readonly wireBytes: number;
}

/** Why there was no complete answer. */
export class TransportFailure extends Error {
  override readonly name = "TransportFailure";
  readonly kind: "timeout" | "network" | "too_large" | "bad_body";
  /** A kept-alive connection was closed before anything of the answer came: most likely it had idled for too long. */
  readonly stale: boolean;
  /** No connection could be made (DNS, refused, TLS, connect time-out): nothing of the request was sent. */
  readonly isUnsent: boolean;
  readonly wireBytes: number;

  constructor(
    kind: TransportFailure["kind"],
    message: string,
    options: { readonly stale?: boolean; readonly isUnsent?: boolean; readonly wireBytes?: number } = {},
  ) {
    super(message);
    this.kind = kind;
    this.stale = options.stale ?? false;
    this.isUnsent = options.isUnsent ?? false;
    this.wireBytes = options.wireBytes ?? 0;
  }
}

// Shorter than the 72 s after which the server closes an idle connection: the one who closes first sees no reset.
const KEEP_ALIVE_MS = 60_000;

const TIMEOUTS = new Set(["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT", "ETIMEDOUT"]);
const RESETS = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

/** The connections to one server. */
export class Transport {
  readonly #agent: Agent;
  readonly #maxBodyBytes: number;
  // The errors of connections that could not be made; a request for such a connection fails with the same object.
  readonly #connectErrors = new WeakSet<object>();
  #connects = 0;

  constructor(limits: TransportLimits) {
    this.#maxBodyBytes = limits.maxBodyBytes;
    this.#agent = new Agent({
      connections: limits.connections,
      // A dropped body must close its connection, which HTTP/2 would not do.
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      headersTimeout: limits.headersTimeoutMs,
      bodyTimeout: limits.bodyTimeoutMs,
      connect: { timeout: limits.connectTimeoutMs },
    });
    this.#agent.on("connect", () => {
      this.#connects += 1;
    });
    this.#agent.on("connectionError", (_origin, _targets, error) => {
      this.#connectErrors.add(error);
    });
  }

  /**
   * Sends one GET and reads the whole answer, of at most `maxBodyBytes` if that is less than the limit of the transport.
   * @throws TransportFailure when there is none; an abort shows as one too, its meaning is known to who aborted.
   */
  async get(
    url: URL,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    maxBodyBytes = this.#maxBodyBytes,
  ): Promise<WireAnswer> {
    const connectsBefore = this.#connects;
    let answered = false;
    try {
      const response = await this.#agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: "GET",
        headers: { accept: "application/json", "accept-encoding": "gzip", ...headers },
        signal,
      });
      answered = true;
      const received = new Map(
        Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), [value].flat().join(", ")]),
      );
      const limit = Math.min(maxBodyBytes, this.#maxBodyBytes);
      const read = await readBody(response.body, received.get("content-encoding"), limit);
      return { status: response.statusCode, headers: received, ...read };
    } catch (error) {
      if (error instanceof BodyFailure) {
        throw new TransportFailure(error.kind, error.message, { wireBytes: error.wireBytes });
      }
      const isUnsent = typeof error === "object" && error !== null && this.#connectErrors.has(error);
      const isReset = !answered && !isUnsent && RESETS.has(codeOf(error));
      const stale = isReset && this.#connects === connectsBefore;
      throw failure(error, url.host, { isAnswered: answered, isUnsent, stale });
    }
  }

  /** Closes all connections at once. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

// Built anew from the code alone: an error of the client may carry pieces of the answer, and so whatever the server echoes.
// The host is named, the path is not: some providers put a token into it.
function failure(
  error: unknown,
  host: string,
  { isAnswered, isUnsent, stale }: { isAnswered: boolean; isUnsent: boolean; stale: boolean },
): TransportFailure {
  const code = codeOf(error);
  const kind = TIMEOUTS.has(code) ? "timeout" : code === "UND_ERR_HEADERS_OVERFLOW" ? "too_large" : "network";
  const when = isUnsent ? "no connection" : isAnswered ? "while the body was read" : "before an answer came";
  const what = `${code === "" ? "connection failed" : code} ${host}`;
  return new TransportFailure(kind, `${what}: ${when}`, { stale, isUnsent });
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  // Several addresses tried: the first failure stands for all.
  return "errors" in error && Array.isArray(error.errors) ? codeOf(error.errors[0]) : "";
}
