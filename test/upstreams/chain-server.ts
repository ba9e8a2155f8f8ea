// A server of a chain with the operations that upstreams use: status, blocks by height, and one operation for polls.
import { createHash } from "node:crypto";
import { json, type Scene, ScriptedServer } from "../api/scripted-server.ts";

/** Hash of the block at a height of a chain. */
export const hashOf = (chain: string, height: number): string =>
  `0x${createHash("sha256").update(`${chain}/${height}`).digest("hex")}`;

/** A real HTTP server whose chain, tip and faults a test can change at any time. */
export class ChainServer {
  /** Name of the chain: another one has other hashes. */
  chain = "a";
  /** Height of the tip; 0: the database is empty. */
  tip = 100;
  /** Status of every response, when it fails. */
  failure: number | undefined;
  /** Hashes that differ from those of the chain; undefined for a block that the server does not have. */
  readonly other = new Map<number, string | undefined>();
  /** Heights of which the next response is a 404. */
  readonly missingOnce = new Set<number>();
  /** Prefixes of paths that respond with 410. */
  readonly gone = new Set<string>();
  readonly #server: ScriptedServer;

  private constructor(server: ScriptedServer) {
    this.#server = server;
    server.play((response, request) => this.#sceneOf(request.url ?? "/")(response, request));
  }

  static start = async (): Promise<ChainServer> => new ChainServer(await ScriptedServer.start());

  get url(): string {
    return this.#server.url;
  }

  get seen(): ScriptedServer["seen"] {
    return this.#server.seen;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  /** Requests for a path, or all of them. */
  count(path = ""): number {
    return this.seen.filter(({ url }) => url.startsWith(path)).length;
  }

  #sceneOf(url: string): Scene {
    if (this.failure !== undefined) return json({ error: "planned" }, this.failure, { "retry-after": "20" });
    if ([...this.gone].some((prefix) => url.startsWith(prefix))) return json({ error: "Gone" }, 410);
    if (url === "/extended") return json(this.#status());
    const [, height] = /^\/extended\/v2\/blocks\/(\d+)$/.exec(url) ?? [];
    return height === undefined ? json({ value: 7 }) : this.#block(Number(height));
  }

  #status(): object {
    const chain_tip = { block_height: this.tip, block_hash: this.#hash(this.tip) };
    return { status: "ready", ...(this.tip === 0 ? {} : { chain_tip }) };
  }

  #block(height: number): Scene {
    const isOther = this.other.has(height) && this.other.get(height) === undefined;
    const isMissing = this.missingOnce.delete(height) || isOther;
    if (height < 1 || height > this.tip || isMissing) {
      return json({ statusCode: 404, error: "Not Found", message: "Block not found" }, 404);
    }
    return json({ canonical: true, height, hash: this.#hash(height) });
  }

  #hash(height: number): string {
    return this.other.get(height) ?? hashOf(this.chain, height);
  }
}
