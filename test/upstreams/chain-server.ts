// A server of a chain with the operations that upstreams use: status, blocks by height, and one operation for polls.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Hash of the block at a height of a chain. */
export const hashOf = (chain: string, height: number): string =>
  `0x${createHash("sha256").update(`${chain}/${height}`).digest("hex")}`;

/** A real HTTP server whose chain, tip and faults a test can change at any time. */
export class ChainServer {
  /** Name of the chain: another one has other hashes. */
  chain: string;
  /** Height of the tip; 0: the database is empty. */
  tip: number;
  /** Status of every response, when it fails. */
  failure: number | undefined;
  /** Hashes that differ from those of the chain; undefined for a block that the server does not have. */
  readonly other = new Map<number, string | undefined>();
  /** Heights of which the next response is a 404. */
  readonly missingOnce = new Set<number>();
  readonly seen: { readonly path: string; readonly headers: IncomingMessage["headers"] }[] = [];
  /** Prefixes of paths that respond with 410. */
  readonly gone = new Set<string>();
  readonly #server: Server;

  private constructor(chain: string, tip: number) {
    this.chain = chain;
    this.tip = tip;
    this.#server = createServer((request, response) => this.#respond(request, response));
  }

  static async start(chain = "a", tip = 100): Promise<ChainServer> {
    const server = new ChainServer(chain, tip);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Requests for a path, or all of them. */
  count(path?: string): number {
    return this.seen.filter((one) => path === undefined || one.path.startsWith(path)).length;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #respond({ url = "/", headers }: IncomingMessage, response: ServerResponse): void {
    this.seen.push({ path: url, headers });
    const { status, json } = this.#responseTo(url);
    response.writeHead(status, { "content-type": "application/json; charset=utf-8", "retry-after": "20" });
    response.end(JSON.stringify(json));
  }

  #responseTo(url: string): { status: number; json: unknown } {
    if (this.failure !== undefined) return { status: this.failure, json: { error: "planned" } };
    if ([...this.gone].some((prefix) => url.startsWith(prefix))) return { status: 410, json: { error: "Gone" } };
    if (url === "/extended") return { status: 200, json: this.#status() };
    const [, height] = /^\/extended\/v2\/blocks\/(\d+)$/.exec(url) ?? [];
    if (height !== undefined) return this.#block(Number(height));
    return { status: 200, json: { value: 7 } };
  }

  #status(): object {
    const chain_tip = { block_height: this.tip, block_hash: this.#hash(this.tip) };
    return { status: "ready", ...(this.tip === 0 ? {} : { chain_tip }) };
  }

  #block(height: number): { status: number; json: unknown } {
    const isOther = this.other.has(height) && this.other.get(height) === undefined;
    const isMissing = this.missingOnce.delete(height) || isOther;
    if (height < 1 || height > this.tip || isMissing) {
      return { status: 404, json: { statusCode: 404, error: "Not Found", message: "Block not found" } };
    }
    return { status: 200, json: { canonical: true, height, hash: this.#hash(height) } };
  }

  #hash(height: number): string {
    return this.other.get(height) ?? hashOf(this.chain, height);
  }
}
