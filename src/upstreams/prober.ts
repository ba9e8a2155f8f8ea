// Requests beside the polls: whether an upstream that is not active is fit, and whether the upstreams agree.

import { SPARE_PRIORITY } from "../api/budget.ts";
import type { PollOptions } from "../api/client.ts";
import { ApiError } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import { isNotOffered } from "../api/replacement.ts";
import { status } from "../collectors/chain/block-source.ts";
import type { NetworkConfig } from "../config/config.ts";
import { blockAt } from "./chain-question.ts";
import { compare } from "./compare.ts";
import type { Guard } from "./guard.ts";
import type { Upstream } from "./upstream.ts";
import { type Surroundings, type UpstreamLog, within } from "./within.ts";

const COMPARE_EVERY_MS = 60 * 60_000;

interface Parts extends Surroundings {
  readonly config: NetworkConfig;
  readonly guard: Guard;
  readonly log: Pick<UpstreamLog, "error">;
  readonly apiOf: (upstream: Upstream, poll: PollOptions) => StacksApi;
  readonly onDisagreement: (upstream: Upstream) => void;
}

/** Probes upstreams, each within its own budget. */
export class Prober {
  readonly #parts: Parts;
  #compareAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** One round: probes every upstream that is not active, and the active one when polls do not show its tip; compares once an hour. */
  async round(active: Upstream, all: readonly Upstream[]): Promise<void> {
    const { clock, config, guard, stop } = this.#parts;
    // The preferred upstream says which chain is the right one, when nothing is known.
    await guard.admit(active, false).catch(() => undefined); // the polls say so
    const isOld = clock.elapsed() - (active.tip?.at ?? Number.NEGATIVE_INFINITY) > 2 * config.failover.probeEveryMs;
    if (isOld && !stop.aborted) await this.#askTip(active, SPARE_PRIORITY).catch(() => undefined); // the polls say so
    const others = all.filter((upstream) => upstream !== active);
    await Promise.all(others.map((upstream) => (stop.aborted ? undefined : this.#probe(upstream))));
    if (!stop.aborted) await this.#compare(active, others);
  }

  /** Whether an upstream may become active: its chain is checked, and the block at its tip is there. */
  async isFit(upstream: Upstream): Promise<boolean> {
    await this.#probe(upstream, true);
    const { chain, health } = upstream;
    const isIdentified = chain.kind === "right" || chain.kind === "silent";
    return isIdentified && health.isKnown && health.trouble(this.#parts.clock.elapsed(), false) === undefined;
  }

  async #probe(upstream: Upstream, isCandidate = false): Promise<void> {
    const { clock, guard } = this.#parts;
    try {
      if (isCandidate) {
        await guard.check(upstream);
        guard.assert(upstream, true);
      } else await guard.admit(upstream, true);
      const height = await this.#askTip(upstream, 0);
      // A tip can be a mistake of one operation; a server that leads the others has to have the block.
      if (isCandidate) await this.#proveTip(upstream, height);
      upstream.health.probed(clock.elapsed());
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Without requests left there is no answer, good or bad.
      if (error.reason !== "budget") upstream.health.probeFailed(error.reason, error.message, clock.elapsed());
    }
  }

  async #askTip(upstream: Upstream, priority: number): Promise<number> {
    return within(this.#parts, priority, async (poll) => {
      const { body } = await this.#parts.apiOf(upstream, poll).get(status, { path: {} });
      if (body.chain_tip === undefined) throw new ApiError("empty", status.name, "the API has no tip");
      return body.chain_tip.block_height;
    });
  }

  async #proveTip(upstream: Upstream, height: number): Promise<void> {
    const parameters = { path: { id: height } };
    try {
      await within(this.#parts, 0, (poll) => this.#parts.apiOf(upstream, poll).get(blockAt, parameters));
    } catch (error) {
      // Without the operation there is nothing to prove it with.
      if (!isNotOffered(error, blockAt)) throw error;
    }
  }

  async #compare(active: Upstream, others: readonly Upstream[]): Promise<void> {
    const { clock, config, log, apiOf, onDisagreement } = this.#parts;
    if (clock.elapsed() < this.#compareAt) return;
    const right = others.filter(({ chain }) => chain.kind === "right");
    let found: Awaited<ReturnType<typeof compare>>;
    try {
      found = await within(this.#parts, SPARE_PRIORITY, (poll) =>
        compare(active, right, config.confirmations, (one, priority) => apiOf(one, { ...poll, priority })),
      );
    } catch (error) {
      // Tried again with the next round.
      if (error instanceof ApiError) return;
      throw error;
    }
    if (found === undefined) return;
    this.#compareAt = clock.elapsed() + COMPARE_EVERY_MS;
    for (const { upstream, height, hash, activeHash } of found) {
      const fields = { network: config.name, upstream: upstream.name, active: active.name, height, hash, activeHash };
      log.error(fields, "two upstreams disagree on the block at a settled height");
      onDisagreement(upstream);
    }
  }
}
