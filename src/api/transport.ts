// Sockets: one GET and its response. The only file that imports undici. It follows no redirect, retries nothing and
// knows no operation.
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { EnvHttpProxyAgent } from "undici";
import type { Headers } from "./rate-limits.ts";

/** A complete response of any status. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Decompressed. */
  readonly body: Buffer;
  /** Bytes of the body as received. */
  readonly wireBytes: number;
}

/** Why there is no complete response. */
interface WireFailure {
  readonly reason: "timeout" | "network" | "too_large" | "bad_body";
  readonly message: string;
  /** Whether a connection was made: not after an error of DNS, TLS or the connection itself. */
  readonly isConnected: boolean;
  readonly wireBytes: number;
}

// Shorter than the 72 s after which the server closes an idle connection, so that the client closes first.
const KEEP_ALIVE_MS = 60_000;

const TIMEOUTS = new Set(["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT", "ETIMEDOUT"]);
const UNCONNECTED =
  /^(E(CONNREFUSED|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)|UND_ERR_(CONNECT_TIMEOUT|ABORTED|PRX_TLS)|ERR_(TLS|SSL)|CERT|UNABLE|SELF_SIGNED|DEPTH_ZERO)/;

// As in Go: a proxy cannot reach this machine.
const UNPROXIED = "localhost,127.0.0.1,::1";

/** The connections to one server, through the proxy that the environment names: HTTPS_PROXY, HTTP_PROXY, NO_PROXY. */
export class Transport {
  readonly #agent: EnvHttpProxyAgent;
  readonly #maxBodyBytes: number;

  /**
   * @param maxBodyBytes limit of a body, compressed as well as decompressed.
   * @throws Error for a proxy without a valid URL
   */
  constructor(connections: number, connectTimeoutMs: number, maxBodyBytes: number) {
    this.#maxBodyBytes = maxBodyBytes;
    const connect = { timeout: connectTimeoutMs };
    const noProxy = process.env.no_proxy || process.env.NO_PROXY;
    const options = {
      connections,
      // Giving up a body must close its connection, which HTTP/2 would not do.
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      noProxy: noProxy ? `${noProxy},${UNPROXIED}` : UNPROXIED,
      connect,
      requestTls: connect,
      proxyTls: connect,
    };
    try {
      this.#agent = new EnvHttpProxyAgent(options);
    } catch {
      // The error may quote a password.
      throw new Error("expected http://host:port in HTTPS_PROXY and HTTP_PROXY, found something else");
    }
  }

  /**
   * Sends one GET and reads the whole response, of at most `maxBodyBytes` if that is less than the limit of the
   * transport. Never throws; an abort is a `timeout`.
   */
  async get(
    url: URL,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    maxBodyBytes = this.#maxBodyBytes,
  ): Promise<WireResponse | WireFailure> {
    let hasBegun = false;
    try {
      const response = await this.#agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: "GET",
        headers: { accept: "application/json", "accept-encoding": "gzip", ...headers },
        signal,
      });
      hasBegun = true;
      const received = new Map(
        Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), [value].flat().join(", ")]),
      );
      const limit = Math.min(maxBodyBytes, this.#maxBodyBytes);
      const read = await readBody(response.body, received.get("content-encoding"), limit);
      return "reason" in read ? read : { status: response.statusCode, headers: received, ...read };
    } catch (error) {
      if (signal.aborted)
        return { reason: "timeout", message: "no complete response in time", isConnected: true, wireBytes: 0 };
      const code = codeOf(error);
      const isConnected = !UNCONNECTED.test(code);
      const phase = !isConnected ? "no connection" : hasBegun ? "while reading the body" : "before the response";
      return {
        reason: TIMEOUTS.has(code) ? "timeout" : code === "UND_ERR_HEADERS_OVERFLOW" ? "too_large" : "network",
        // The code alone: an error of undici may quote the response. The host without the path, which may hold a token.
        message: `${code === "" ? "connection failed" : code} ${url.host}: ${phase}`,
        isConnected,
        wireBytes: 0,
      };
    }
  }

  /** Closes all connections at once. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  // Several addresses were tried: the first failure stands for all.
  return "errors" in error && Array.isArray(error.errors) ? codeOf(error.errors[0]) : "";
}

const decompress = promisify(gunzip);

// Stops reading as soon as the body is too large, which makes the stream drop its connection.
async function readBody(
  chunks: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
  maxBytes: number,
): Promise<Pick<WireResponse, "body" | "wireBytes"> | WireFailure> {
  const received: Uint8Array[] = [];
  let wireBytes = 0;
  const fail = (reason: WireFailure["reason"], message: string) =>
    ({ reason, message, isConnected: true, wireBytes }) as const;
  for await (const chunk of chunks) {
    wireBytes += chunk.byteLength;
    if (wireBytes > maxBytes) return fail("too_large", `body larger than ${maxBytes} bytes`);
    received.push(chunk);
  }
  const body = Buffer.concat(received, wireBytes);
  const format = encoding?.trim().toLowerCase() ?? "";
  if (format === "" || format === "identity" || wireBytes === 0) return { body, wireBytes };
  if (format !== "gzip" && format !== "x-gzip") return fail("bad_body", "body in an encoding that was not requested");
  try {
    // undici's `maxResponseSize` counts compressed bytes, so a small gzip bomb would pass it.
    return { body: await decompress(body, { maxOutputLength: maxBytes }), wireBytes };
  } catch (error) {
    const code = codeOf(error);
    if (code === "ERR_BUFFER_TOO_LARGE")
      return fail("too_large", `body larger than ${maxBytes} bytes when decompressed`);
    // The compressed data ends too early, although the transfer seemed complete.
    if (code === "Z_BUF_ERROR") return fail("network", "compressed body cut off");
    return fail("bad_body", "body is not gzip, contrary to its content-encoding");
  }
}
