// The check of an upstream: whether it follows the chain to which the counters of the network belong, and whether it is
// fit to be polled. The hash of block 1 identifies a chain.
import { z } from "zod";
import type { Client } from "../api/client.ts";
import { type Clock, withTimeout } from "../api/clock.ts";
import { ApiError } from "../api/errors.ts";
import { isNotOffered, operation, type StacksApi } from "../api/operation.ts";
import { status } from "../chain/block-source.ts";
import { type ChainView, mostBlocks } from "../chain/branch.ts";
import type { NetworkConfig, UpstreamConfig } from "../config/settings.ts";
import type { Store } from "../store/store.ts";
import { LAG_BLOCKS, type Upstream } from "./upstream.ts";

/** Dependencies and settings of the upstreams of a network. */
export interface UpstreamsOptions {
  readonly config: NetworkConfig;
  readonly clock: Clock;
  /** Aborted at shutdown. */
  readonly stop: AbortSignal;
  readonly log: Record<"info" | "warn" | "error", (fields: object, message: string) => void>;
  /** The chain that the collectors have accepted, also before a restart; undefined while they have none. */
  readonly chain: () => ChainView | undefined;
  /** Keeps the hash of block 1 of each network's chain. */
  readonly store: Pick<Store, "loadNetwork" | "saveNetwork">;
  readonly createClient: (upstream: UpstreamConfig) => Client;
  /** Called when another upstream becomes active. */
  readonly onSwitch: (upstream: Upstream) => void;
}

const blockAt = operation({
  name: "block",
  path: "/extended/v2/blocks/{id}",
  body: z.object({ height: z.int(), hash: z.string().regex(/^0x[0-9a-f]{64}$/) }),
});

/** Every operation that upstreams request in addition to the collectors. */
export const upstreamOperations = [blockAt, status];

// Age after which a chain that was refused or is in doubt is checked again.
const CHECK_AGAIN_MS = 60_000;
// Of one request; as long as a poll has by default.
const TIMEOUT_MS = 10_000;

/** Checks the upstreams of a network, each within its own budget. Without saved state, the first chain is accepted. */
export function checkOf({ clock, config, stop, log, chain, store }: UpstreamsOptions, all: readonly Upstream[]) {
  const settings = config.collectors.find(({ name }) => name === "blocks")?.options;
  const { blocks_per_minute: perMinute } = { blocks_per_minute: 60, ...(settings as object | undefined) };

  /**
   * Resolves when a poll may use the upstream. Sends one request before the first use and when the chain is in doubt,
   * or in any case, and two more if block 1 is missing; one check at a time.
   * @throws ApiError `wrong_chain` or `empty`; the error of a check that failed.
   */
  async function admit(upstream: Upstream, inAnyCase = false): Promise<void> {
    const { checkedAt = Number.NEGATIVE_INFINITY, isInDoubt = !upstream.isRight } = upstream.chain;
    if (inAnyCase || (isInDoubt && clock.elapsed() - checkedAt >= CHECK_AGAIN_MS)) {
      upstream.checking ??= checkChain(upstream).finally(() => {
        upstream.checking = undefined;
      });
      await upstream.checking.catch((error: unknown) => {
        // That it followed the right chain is still the best that is known.
        if (inAnyCase || !upstream.isRight) throw error;
      });
    }
    const { refused } = upstream.chain;
    if (refused !== undefined) throw new ApiError(refused.reason, blockAt.name, refused.message);
  }

  /**
   * Whether the upstream is fit. A candidate may become active: its chain is checked again, and the block at its tip
   * has to exist, because the status alone may be wrong.
   */
  async function probe(upstream: Upstream, isCandidate: boolean): Promise<boolean> {
    try {
      await admit(upstream, isCandidate);
      const tip = await readTip(upstream);
      if (tip > highestPlausible()) {
        throw new ApiError("bad_body", status.name, `the chain cannot have grown to the tip ${tip}`);
      }
      // A tip that makes others lag needs the same proof.
      const isAhead = tip >= (chain()?.tipHeight ?? tip) + LAG_BLOCKS;
      if ((isCandidate || isAhead) && (await hashAt(upstream, tip)) === "missing") {
        throw new ApiError("not_found", blockAt.name, `there is no block at the tip ${tip}`);
      }
      sawTip(upstream, tip);
      upstream.probed();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Without a request left, the result is unknown.
      if (error.reason === "budget") return false;
      upstream.probed(error.reason, error.message);
    }
    return upstream.trouble(false) === undefined;
  }

  /** Compares the tip of an upstream with the highest known one. */
  function sawTip(upstream: Upstream, height: number): void {
    // Honest servers are not late because of a tip that is not confirmed.
    const credible = all.filter(({ isRight, tip }) => isRight && tip <= highestPlausible());
    upstream.sawTip(height, Math.max(chain()?.tipHeight ?? 0, ...credible.map(({ tip }) => tip)));
  }

  // `upstream.chain` has the result. Rejects if it is not the right chain, or the check has no result.
  async function checkChain(upstream: Upstream): Promise<void> {
    const { chain: before } = upstream;
    const fields = { network: config.name, upstream: upstream.name };
    try {
      let found = await hashAt(upstream, 1);
      const expected = store.loadNetwork(config.name);
      if (found === "missing") await readTip(upstream);
      // A single 404 can be that of one server behind a load balancer.
      if (found === "missing" && expected !== undefined) found = await hashAt(upstream, 1);
      if (found === undefined || (found === "missing" && expected === undefined)) {
        if (before.checkedAt === undefined)
          log.warn(fields, "the API does not have block 1: its chain cannot be checked");
      } else if (expected === undefined) {
        store.saveNetwork(config.name, found);
      } else if (found !== expected) {
        throw new ApiError(
          "wrong_chain",
          blockAt.name,
          `block 1 of the API is ${found}, that of the chain of network ${config.name} is ${expected}: ` +
            "nothing is polled; use another name for this network, or start once with --reset-state",
        );
      }
      upstream.chain = { checkedAt: clock.elapsed() };
      if (before.refused !== undefined) log.info(fields, "the upstream follows the right chain again");
    } catch (error) {
      const checkedAt = clock.elapsed();
      if (error instanceof ApiError && (error.reason === "wrong_chain" || error.reason === "empty")) {
        const { reason, detail: message } = error;
        upstream.chain = { checkedAt, refused: { reason, message, since: before.refused?.since ?? clock.now() } };
        // Once for each change: polls that fail until the next one have the same cause.
        if (before.refused?.reason !== reason)
          log.error({ ...fields, reason, error: message }, "the upstream is not polled");
      } else {
        if (error instanceof ApiError) upstream.failed(blockAt.name, error);
        upstream.chain = upstream.isRight ? { ...upstream.chain, checkedAt } : {};
      }
      throw error;
    }
  }

  function highestPlausible(): number {
    const { tipHeight = Number.POSITIVE_INFINITY, tipAt = 0 } = chain() ?? {};
    return tipHeight + mostBlocks(clock.now() - tipAt, perMinute);
  }

  async function readTip(upstream: Upstream): Promise<number> {
    const { body } = await request(upstream, (api) => api.get(status, { path: {} }));
    if (body.chain_tip !== undefined) return body.chain_tip.block_height;
    throw new ApiError("empty", status.name, "the API has no block: its database is empty");
  }

  // `missing` if there is no block at that height; undefined without the operation.
  async function hashAt(upstream: Upstream, height: number): Promise<string | "missing" | undefined> {
    try {
      const block = await request(upstream, (api) => api.find(blockAt, { path: { id: height } }));
      return block?.body.hash ?? "missing";
    } catch (error) {
      if (isNotOffered(error, blockAt)) return undefined;
      throw error;
    }
  }

  // Before all polls, with a deadline.
  function request<Result>(upstream: Upstream, start: (api: StacksApi) => Promise<Result>): Promise<Result> {
    const deadline = clock.elapsed() + TIMEOUT_MS;
    return withTimeout(clock, TIMEOUT_MS, stop, (signal) =>
      start(upstream.client.forPoll({ priority: 0, signal, deadline })),
    );
  }

  return { admit, probe, sawTip };
}
