// Checks that upstreams follow the chain that the counters of the network belong to. Polls use only upstreams that
// pass. The hash of block 1 identifies a chain.
import { z } from "zod";
import { ApiError } from "../api/errors.ts";
import { operation, type StacksApi } from "../api/operation.ts";
import { isNotOffered, orReplacement } from "../api/replacement.ts";
import { blockByHeight, status } from "../collectors/chain/block-source.ts";
import { StateFileError } from "../store/state-file-error.ts";
import { type ChainStatus, runRequests, type Upstream, type UpstreamContext } from "./upstream.ts";

/** Age after which a chain that was refused, in doubt or not identified is checked again. */
const CHECK_AGAIN_MS = 60_000;
// A server that does not serve block 1 will hardly begin to.
const UNVERIFIABLE_AGAIN_MS = 3_600_000;

const HOW_TO_CONTINUE =
  "use another name for this network, start once with --reset-state, or set on_new_chain: reset for a devnet";

const body = z.object({ height: z.int(), hash: z.string().regex(/^0x[0-9a-f]{64}$/) });

/** A canonical block by its height. */
export const blockAt = operation({ name: "block", path: "/extended/v2/blocks/{id}", body });

const oldBlockAt = operation({
  name: blockByHeight.name,
  path: "/extended/v1/block/by_height/{id}",
  body,
  replacement: blockByHeight.replacement,
});

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
    const parsed = saved.safeParse(loaded);
    if (!parsed.success) {
      throw new StateFileError(store.path, `the saved chain of ${name} cannot be read`, { cause: parsed.error });
    }
    this.firstBlock = parsed.data.firstBlock;
  }

  /** Accepts a chain from now on. @throws StateFileError when it cannot be saved; then nothing changes. */
  accept(firstBlock: string): void {
    const { config, clock } = this.#context;
    this.#store?.saveNetwork(config.name, { firstBlock }, clock.now());
    this.firstBlock = firstBlock;
  }

  /**
   * Resolves when a poll may use the upstream. Sends one request before the first use and when the chain is in doubt.
   * @param counts whether the poll feeds counters: these wait until the chain is known, others only for the first
   * check.
   * @throws ApiError `wrong_chain` or `empty`; the error of a check that failed.
   */
  async admit(upstream: Upstream, counts: boolean): Promise<void> {
    if (this.#isDue(upstream, counts)) await this.#checkOnce(upstream);
    this.#assert(upstream, counts);
  }

  /** As `admit` for a poll that feeds counters, after a check in any case. */
  async recheck(upstream: Upstream): Promise<void> {
    await this.#checkOnce(upstream);
    this.#assert(upstream, true);
  }

  /** Throws as `admit` does, by the result of the last check. */
  #assert({ chain }: Upstream, counts: boolean): void {
    if (chain.kind === "refused") throw new ApiError(chain.reason, "block", chain.message);
    if (chain.kind === "failed" && counts) throw chain.error;
  }

  /** Checks the upstream now, or awaits the running check. Then `upstream.chain` holds the result. Never rejects. */
  #checkOnce(upstream: Upstream): Promise<void> {
    const running = this.#running.get(upstream);
    if (running !== undefined) return running;
    const check = this.#check(upstream).finally(() => this.#running.delete(upstream));
    this.#running.set(upstream, check);
    return check;
  }

  #isDue({ chain, isChainInDoubt }: Upstream, counts: boolean): boolean {
    if (chain.kind === "unchecked") return true;
    const age = this.#context.clock.elapsed() - chain.checkedAt;
    if (chain.kind === "failed") return counts || age >= CHECK_AGAIN_MS;
    if (chain.kind === "unverifiable") return age >= UNVERIFIABLE_AGAIN_MS;
    return (chain.kind === "refused" || isChainInDoubt) && age >= CHECK_AGAIN_MS;
  }

  async #check(upstream: Upstream): Promise<void> {
    const before = upstream.chain;
    try {
      const chain = await runRequests(this.#context, 0, (poll) => readChain(upstream.client.forPoll(poll)));
      upstream.chain = this.#statusOf(chain, before);
      this.#log(upstream, before);
      upstream.isChainInDoubt = false;
    } catch (error) {
      // A failed check does not change what an earlier one has found.
      const isKnown = before.kind === "verified" || before.kind === "refused";
      const checkedAt = this.#context.clock.elapsed();
      upstream.chain = isKnown ? { ...before, checkedAt } : { kind: "failed", error, checkedAt };
    }
  }

  #statusOf(chain: ServerChain, before: ChainStatus): ChainStatus {
    const { clock, config } = this.#context;
    const checkedAt = clock.elapsed();
    if (chain.kind === "unknown") return { kind: "unverifiable", checkedAt };
    const since = before.kind === "refused" ? before.since : clock.now();
    const refused = { kind: "refused", checkedAt, since, firstBlock: undefined } as const;
    if (chain.kind === "empty")
      return { ...refused, reason: "empty", message: "the API has no block: its database is empty" };
    const { firstBlock } = chain;
    if (this.firstBlock === undefined) this.accept(firstBlock);
    if (this.firstBlock === firstBlock) return { kind: "verified", checkedAt };
    const expected = `that of the chain of network ${config.name} is ${this.firstBlock}`;
    const message = `block 1 of the API is ${firstBlock}, ${expected}: nothing is polled; ${HOW_TO_CONTINUE}`;
    return { ...refused, reason: "wrong_chain", message, firstBlock };
  }

  // Once for each change: polls that fail until the next one have the same cause.
  #log(upstream: Upstream, before: ChainStatus): void {
    const { log, config, incidents } = this.#context;
    const { name, chain } = upstream;
    const fields = { network: config.name, upstream: name };
    if (chain.kind === "unverifiable" && before.kind !== "unverifiable") {
      log.warn(fields, "the API does not have block 1: its chain cannot be checked");
    }
    if (chain.kind === "refused" && (before.kind !== "refused" || before.reason !== chain.reason)) {
      incidents.hold(upstream, config.name, chain.reason);
      log.error({ ...fields, reason: chain.reason, error: chain.message }, "the upstream is not polled");
    }
    if (chain.kind !== "verified") return;
    incidents.end(upstream);
    if (before.kind === "refused") log.info(fields, "the upstream follows the right chain again");
  }
}

/** The chain that a server follows; `unknown` when it has blocks but does not serve block 1. */
type ServerChain =
  | { readonly kind: "known"; readonly firstBlock: string }
  | { readonly kind: "empty" }
  | { readonly kind: "unknown" };

/**
 * Reads which chain a server follows: one request, unless the server does not have block 1.
 * @throws ApiError when there is no valid response.
 */
async function readChain(api: StacksApi): Promise<ServerChain> {
  const path = { id: 1 };
  try {
    const first = await orReplacement(
      api,
      blockAt,
      () => api.find(blockAt, { path }),
      () => api.find(oldBlockAt, { path }),
    );
    if (first !== undefined) return { kind: "known", firstBlock: first.body.hash };
  } catch (error) {
    if (isNotOffered(error, oldBlockAt)) return { kind: "unknown" };
    throw error;
  }
  const { chain_tip } = (await api.get(status, { path: {} })).body;
  return { kind: chain_tip === undefined ? "empty" : "unknown" };
}
