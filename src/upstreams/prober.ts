// Probes: the tips of upstreams, how far they lag, and whether those that are not active are fit.
import type { PollOptions } from "../api/client.ts";
import { ApiError } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import { isNotOffered } from "../api/replacement.ts";
import { status } from "../collectors/chain/block-source.ts";
import { blockAt, type IdentityCheck } from "./identity-check.ts";
import { runRequests, type Upstream, type UpstreamContext } from "./upstream.ts";

// A chain grows by at most this many blocks at once, and one in each second since the known tip.
const BURST_BLOCKS = 30;

/** Probes upstreams, each within its own budget. */
export class Prober {
  readonly #context: UpstreamContext;
  readonly #all: readonly Upstream[];
  readonly #identityCheck: IdentityCheck;

  constructor(context: UpstreamContext, all: readonly Upstream[], identityCheck: IdentityCheck) {
    this.#context = context;
    this.#all = all;
    this.#identityCheck = identityCheck;
  }

  /** The API of an upstream for one poll. Its tip is noted. */
  apiOf(upstream: Upstream, poll: PollOptions): StacksApi {
    return upstream.client.forPoll({ ...poll, onTip: (height) => this.#sawTip(upstream, height) });
  }

  /** Probes every upstream that is not active. */
  async probeAll(active: Upstream): Promise<void> {
    // If no chain is known, that of the active upstream is accepted. Polls report its failures.
    await this.#identityCheck.admit(active).catch(() => undefined);
    const others = this.#all.filter((upstream) => upstream !== active && !this.#context.stop.aborted);
    await Promise.all(others.map((upstream) => this.probe(upstream, false)));
  }

  /**
   * Whether the upstream is fit. A candidate may become active: its chain is checked again, and the block at its tip
   * has to exist, because the status alone may be wrong.
   */
  async probe(upstream: Upstream, isCandidate: boolean): Promise<boolean> {
    const { health } = upstream;
    const { clock } = this.#context;
    try {
      await this.#identityCheck.admit(upstream, isCandidate);
      const { body } = await runRequests(this.#context, (poll) => this.apiOf(upstream, poll).get(status, { path: {} }));
      if (body.chain_tip === undefined) throw new ApiError("empty", status.name, "the API has no tip");
      const { block_height: tip } = body.chain_tip;
      if (tip > this.#highestPlausible()) {
        throw new ApiError("bad_body", status.name, `the chain cannot have grown to the tip ${tip}`);
      }
      if (isCandidate && (await this.#hashAt(upstream, tip)) === "missing") {
        throw new ApiError("not_found", blockAt.name, `there is no block at the tip ${tip}`);
      }
      health.probed(clock.elapsed());
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Without a request left, the result is unknown.
      if (error.reason === "budget") return false;
      health.probed(clock.elapsed(), error);
    }
    return health.trouble(clock.elapsed(), false) === undefined;
  }

  #sawTip(upstream: Upstream, height: number): void {
    const { clock, config, chain } = this.#context;
    const at = clock.elapsed();
    upstream.tip = { height, at };
    const oldest = at - 3 * config.failover.probeEveryMs;
    // A tip that nobody has confirmed does not make honest servers late.
    const tips = this.#all.flatMap(({ tip, chain }) =>
      tip !== undefined && chain.kind === "verified" && tip.at >= oldest ? tip.height : [],
    );
    const plausible = tips.filter((tip) => tip <= this.#highestPlausible());
    upstream.health.sawLag(Math.max(0, chain()?.tipHeight ?? 0, ...plausible) - height, at);
  }

  #highestPlausible(): number {
    const { clock, chain } = this.#context;
    const known = chain();
    if (known === undefined) return Number.POSITIVE_INFINITY;
    return known.tipHeight + BURST_BLOCKS + Math.max(0, clock.now() - known.tipAt) / 1000;
  }

  // `missing` if there is no block at that height; undefined without the operation.
  async #hashAt(upstream: Upstream, height: number): Promise<string | "missing" | undefined> {
    try {
      const found = await runRequests(this.#context, (poll) =>
        this.apiOf(upstream, poll).find(blockAt, { path: { id: height } }),
      );
      return found?.body.hash ?? "missing";
    } catch (error) {
      if (isNotOffered(error, blockAt)) return undefined;
      throw error;
    }
  }
}
