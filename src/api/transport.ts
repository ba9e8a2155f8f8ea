// Sockets: one GET and its response. The only file that imports undici. It follows no redirect, retries nothing and
// knows no operation.
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { EnvHttpProxyAgent } from "undici";
import type { Headers } from "./rate-limits.ts";
import type { Secret } from "./redact.ts";

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

/** A forward proxy. */
export interface Route {
  /** Its URL has user and password. `noProxy` lists the hosts that are requested without it. */
  readonly proxy?: { readonly url: Secret; readonly origin: string; readonly noProxy: string } | undefined;
}

/** The connections to one server. */
export class Transport {
  readonly #agent: EnvHttpProxyAgent;
  readonly #through: string;
  readonly #maxBodyBytes: number;

  /** @param maxBodyBytes limit of a body, compressed as well as decompressed. */
  constructor(connections: number, connectTimeoutMs: number, maxBodyBytes: number, { proxy }: Route = {}) {
    this.#maxBodyBytes = maxBodyBytes;
    this.#through = proxy === undefined ? "" : ` through the proxy ${proxy.origin}`;
    // Without a proxy, the empty URL keeps the agent from reading the environment, which the configuration decides on.
    const url = proxy?.url.reveal() ?? "";
    const connect = { timeout: connectTimeoutMs };
    this.#agent = new EnvHttpProxyAgent({
      connections,
      // Giving up a body must close its connection, which HTTP/2 would not do.
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      httpProxy: url,
      httpsProxy: url,
      noProxy: proxy?.noProxy ?? "",
      connect,
      requestTls: connect,
      proxyTls: connect,
    });
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
        message: `${code === "" ? "connection failed" : code} ${url.host}${this.#through}: ${phase}`,
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
