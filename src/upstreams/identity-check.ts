// Checks that upstreams follow the chain that the counters of the network belong to. Polls use only upstreams that
// pass. The hash of block 1 identifies a chain.
import { z } from "zod";
import { ApiError } from "../api/errors.ts";
import { operation, type StacksApi } from "../api/operation.ts";
import { isNotOffered, orReplacement } from "../api/replacement.ts";
import { blockByHeight, status } from "../collectors/chain/block-source.ts";
import { StateFileError } from "../store/state-file-error.ts";
import { type ChainStatus, runRequests, type Upstream, type UpstreamContext } from "./upstream.ts";

/** Age after which a chain that was refused or is in doubt is checked again. */
const CHECK_AGAIN_MS = 60_000;
// A server that does not serve block 1 will hardly begin to.
const UNVERIFIABLE_AGAIN_MS = 3_600_000;

const HOW_TO_CONTINUE = "use another name for this network, or start once with --reset-state";

const body = z.object({ height: z.int(), hash: z.string().regex(/^0x[0-9a-f]{64}$/) });

/** A canonical block by its height. */
export const blockAt = operation({ name: "block", path: "/extended/v2/blocks/{id}", body });

const { name, replacement } = blockByHeight;
const oldBlockAt = operation({ name, path: "/extended/v1/block/by_height/{id}", body, replacement });

/** Every operation that upstreams request in addition to the collectors. */
export const upstreamOperations = [blockAt, oldBlockAt, status];

/** The part of the state file that keeps the hash of block 1 of a network's chain. */
export interface NetworkStore {
  readonly path: string;
  loadNetwork(network: string): unknown;
  saveNetwork(network: string, body: unknown, now: number): void;
}

const saved = z.object({ firstBlock: z.string() });

/**
 * Checks the chain of upstreams, one check at a time for each. Without saved state, the first chain that is found is
 * accepted.
 */
export class IdentityCheck {
  readonly #context: UpstreamContext;
  readonly #store: NetworkStore | undefined;
  /** Hash of block 1 of the accepted chain; undefined until it is known. */
  firstBlock: string | undefined;
  readonly #running = new Map<Upstream, Promise<void>>();

  /** @throws StateFileError when the saved chain cannot be read. */
  constructor(context: UpstreamContext, store: NetworkStore | undefined) {
    this.#context = context;
    this.#store = store;
    const { name } = context.config;
    const loaded = store?.loadNetwork(name);
    if (store === undefined || loaded === undefined) return;
    const { data, error } = saved.safeParse(loaded);
    if (data === undefined) {
      throw new StateFileError(store.path, `the saved chain of ${name} cannot be read`, { cause: error });
    }
    this.firstBlock = data.firstBlock;
  }

  /** Accepts a chain from now on. @throws StateFileError when it cannot be saved; then nothing changes. */
  accept(firstBlock: string): void {
    const { config, clock } = this.#context;
    this.#store?.saveNetwork(config.name, { firstBlock }, clock.now());
    this.firstBlock = firstBlock;
  }

  /**
   * Resolves when a poll may use the upstream. Sends one request before the first use and when the chain is in doubt,
   * or in any case.
   * @throws ApiError `wrong_chain` or `empty`; the error of a check that failed.
   */
  async admit(upstream: Upstream, inAnyCase = false): Promise<void> {
    if (inAnyCase || this.#isDue(upstream)) {
      const running =
        this.#running.get(upstream) ?? this.#check(upstream).finally(() => this.#running.delete(upstream));
      this.#running.set(upstream, running);
      await running;
    }
    if ("error" in upstream.chain) throw upstream.chain.error;
  }

  #isDue({ chain, isChainInDoubt }: Upstream): boolean {
    if (chain.kind === "unchecked" || chain.kind === "failed") return true;
    const age = this.#context.clock.elapsed() - chain.checkedAt;
    if (chain.kind === "unverifiable") return age >= UNVERIFIABLE_AGAIN_MS;
    return (chain.kind === "refused" || isChainInDoubt) && age >= CHECK_AGAIN_MS;
  }

  // Never rejects: `upstream.chain` holds the result.
  async #check(upstream: Upstream): Promise<void> {
    const before = upstream.chain;
    try {
      const chain = await runRequests(this.#context, (poll) => readChain(upstream.client.forPoll(poll)));
      upstream.chain = this.#statusOf(chain, before);
      upstream.isChainInDoubt = false;
      this.#log(upstream, before);
    } catch (error) {
      const checkedAt = this.#context.clock.elapsed();
      // That it followed the right chain is still the best that is known.
      upstream.chain = before.kind === "verified" ? { ...before, checkedAt } : { kind: "failed", error, checkedAt };
    }
  }

  #statusOf(firstBlock: string | "empty" | undefined, before: ChainStatus): ChainStatus {
    const { clock, config } = this.#context;
    const checkedAt = clock.elapsed();
    if (firstBlock === undefined) return { kind: "unverifiable", checkedAt };
    const since = before.kind === "refused" ? before.since : clock.now();
    const refused = { kind: "refused", checkedAt, since } as const;
    if (firstBlock === "empty") {
      const error = new ApiError("empty", blockAt.name, "the API has no block: its database is empty");
      return { ...refused, error, firstBlock: undefined };
    }
    if (this.firstBlock === undefined) this.accept(firstBlock);
    if (this.firstBlock === firstBlock) return { kind: "verified", checkedAt };
    const expected = `that of the chain of network ${config.name} is ${this.firstBlock}`;
    const message = `block 1 of the API is ${firstBlock}, ${expected}: nothing is polled; ${HOW_TO_CONTINUE}`;
    return { ...refused, error: new ApiError("wrong_chain", blockAt.name, message), firstBlock };
  }

  // Once for each change: polls that fail until the next one have the same cause.
  #log(upstream: Upstream, before: ChainStatus): void {
    const { log, config, incidents } = this.#context;
    const { name, chain } = upstream;
    const fields = { network: config.name, upstream: name };
    if (chain.kind === "unverifiable" && before.kind !== "unverifiable") {
      log.warn(fields, "the API does not have block 1: its chain cannot be checked");
    }
    if (chain.kind === "refused" && (before.kind !== "refused" || before.error.reason !== chain.error.reason)) {
      const { reason, detail } = chain.error;
      incidents.hold(upstream, config.name, reason);
      log.error({ ...fields, reason, error: detail }, "the upstream is not polled");
    }
    if (chain.kind !== "verified") return;
    incidents.end(upstream);
    if (before.kind === "refused") log.info(fields, "the upstream follows the right chain again");
  }
}

/**
 * Reads the hash of block 1: one request, unless the server does not have it. `empty` when it has no block at all;
 * undefined when it has blocks, but does not serve block 1.
 * @throws ApiError when there is no valid response.
 */
async function readChain(api: StacksApi): Promise<string | "empty" | undefined> {
  const path = { id: 1 };
  try {
    const first = await orReplacement(
      api,
      blockAt,
      () => api.find(blockAt, { path }),
      () => api.find(oldBlockAt, { path }),
    );
    if (first !== undefined) return first.body.hash;
  } catch (error) {
    if (isNotOffered(error, oldBlockAt)) return undefined;
    throw error;
  }
  return (await api.get(status, { path: {} })).body.chain_tip === undefined ? "empty" : undefined;
}
