// Sockets: one GET and its response. The only file that imports undici. It follows no redirect, retries nothing and
// knows no operation.
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { EnvHttpProxyAgent } from "undici";

/** Response headers, names in lower case. */
export type Headers = ReadonlyMap<string, string>;

/** A complete response of any status. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Decompressed. */
  readonly body: Buffer;
}

/** Why there is no complete response. */
export interface WireFailure {
  readonly reason: "timeout" | "network" | "too_large" | "bad_body";
  readonly message: string;
}

// Shorter than the 72 s after which the server closes an idle connection, so that the client closes first.
const KEEP_ALIVE_MS = 60_000;
const CONNECT_TIMEOUT_MS = 5_000;

const TIMEOUTS = ["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT", "ETIMEDOUT"];

// As in Go: a proxy cannot reach this machine.
const UNPROXIED = "localhost,127.0.0.1,::1";

/** The error in the proxy variables of the environment; empty without one. No URL is shown: it may have a password. */
export function proxyError(): string {
  try {
    void new EnvHttpProxyAgent().close();
    return "";
  } catch {
    return "expected http://host:port in HTTPS_PROXY and HTTP_PROXY, found something else";
  }
}

/** The connections to one server, through the proxy that the environment names: HTTPS_PROXY, HTTP_PROXY, NO_PROXY. */
export class Transport {
  readonly #agent: EnvHttpProxyAgent;

  /** @throws Error for `proxyError` */
  constructor(connections: number) {
    const connect = { timeout: CONNECT_TIMEOUT_MS };
    const noProxy = process.env.no_proxy || process.env.NO_PROXY;
    this.#agent = new EnvHttpProxyAgent({
      connections,
      // Giving up a body must close its connection, which HTTP/2 would not do.
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      noProxy: noProxy ? `${noProxy},${UNPROXIED}` : UNPROXIED,
      connect,
      requestTls: connect,
      proxyTls: connect,
    });
  }

  /**
   * Sends one GET and reads the whole response, of at most `maxBytes`, compressed as well as decompressed. Never
   * throws; an abort is a `timeout`.
   */
  async get(
    url: URL,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    maxBytes: number,
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
      const received = new Map(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
      const body = await readBody(response.body, received.get("content-encoding"), maxBytes);
      // The status is enough to classify an error response.
      if ("reason" in body && response.statusCode < 400) return body;
      return { status: response.statusCode, headers: received, body: "reason" in body ? Buffer.alloc(0) : body };
    } catch (error) {
      if (signal.aborted) return { reason: "timeout", message: "no complete response in time" };
      const code = codeOf(error);
      const phase = hasBegun ? "while reading the body" : "before the response";
      return {
        reason: TIMEOUTS.includes(code) ? "timeout" : code === "UND_ERR_HEADERS_OVERFLOW" ? "too_large" : "network",
        // Code or name: an error of undici may quote the response. The host without the path, which may hold a token.
        message: `${code} ${url.host}${peerOf(error, url)}: ${phase}`,
      };
    }
  }

  /** Closes all connections at once. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** What could not be reached or found, if the URL does not say it: a proxy, or an address of the host. */
function peerOf(error: unknown, { hostname }: URL): string {
  const { address, port, hostname: sought = hostname } = Object(error);
  const peer = address ?? sought;
  if (peer === hostname.replaceAll(/[[\]]/g, "")) return "";
  return ` (at ${address === undefined ? sought : `${address}:${port}`})`;
}

function codeOf(error: unknown): string {
  const { code, name } = Object(error);
  return typeof code === "string" ? code : String(name);
}

const decompress = promisify(gunzip);

// Stops reading as soon as the body is too large, which makes the stream drop its connection.
async function readBody(
  chunks: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
  maxBytes: number,
): Promise<Buffer | WireFailure> {
  const received: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return { reason: "too_large", message: `body larger than ${maxBytes} bytes` };
    received.push(chunk);
  }
  const body = Buffer.concat(received, bytes);
  const coding = encoding?.toLowerCase() || "identity";
  if (bytes === 0 || coding === "identity") return body;
  try {
    // undici's `maxResponseSize` counts compressed bytes, so a small gzip bomb would pass it.
    return await decompress(body, { maxOutputLength: maxBytes });
  } catch (error) {
    const code = codeOf(error);
    if (code === "ERR_BUFFER_TOO_LARGE")
      return { reason: "too_large", message: `body larger than ${maxBytes} bytes when decompressed` };
    // The compressed data ends too early, although the transfer seemed complete.
    if (code === "Z_BUF_ERROR") return { reason: "network", message: "compressed body cut off" };
    return { reason: "bad_body", message: "body is not valid gzip, the only encoding that was requested" };
  }
}
