// Probes: whether upstreams that are not active are fit, and whether all upstreams agree on old blocks.
import { SPARE_PRIORITY } from "../api/budget.ts";
import type { PollOptions } from "../api/client.ts";
import { ApiError } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import { isNotOffered } from "../api/replacement.ts";
import { status } from "../collectors/chain/block-source.ts";
import { blockAt, type IdentityCheck } from "./identity-check.ts";
import { runRequests, type Upstream, type UpstreamContext } from "./upstream.ts";

const COMPARE_EVERY_MS = 60 * 60_000;

// Deeper than any fork of blocks that Stacks signers have accepted, even if the configured number of confirmations is
// lower.
const SETTLED_BLOCKS = 20;

interface ProberOptions extends UpstreamContext {
  readonly identityCheck: IdentityCheck;
  readonly apiOf: (upstream: Upstream, poll: PollOptions) => StacksApi;
  readonly onDisagreement: (upstream: Upstream) => void;
}

/** Probes upstreams, each within its own budget. */
export class Prober {
  readonly #options: ProberOptions;
  #compareAt = Number.NEGATIVE_INFINITY;

  constructor(options: ProberOptions) {
    this.#options = options;
  }

  /**
   * Probes every upstream that is not active, and the active one when polls do not read its tip; compares once an
   * hour.
   */
  async probeAll(active: Upstream, all: readonly Upstream[]): Promise<void> {
    const { clock, config, identityCheck, stop } = this.#options;
    const { probeEveryMs } = config.failover;
    // If no chain is known, that of the preferred upstream is accepted. Polls report the failures of the active one.
    await identityCheck.admit(active, false).catch(() => undefined);
    const isOutdated = clock.elapsed() - (active.tip?.at ?? Number.NEGATIVE_INFINITY) > 2 * probeEveryMs;
    if (isOutdated && !stop.aborted) await this.#readTip(active, SPARE_PRIORITY).catch(() => undefined);
    const others = all.filter((upstream) => upstream !== active);
    await Promise.all(others.map((upstream) => (stop.aborted ? undefined : this.#probe(upstream))));
    if (!stop.aborted) await this.#compare(active, others);
  }

  /** Whether an upstream may become active: its chain is checked, and the block at its tip exists. */
  async isFit(upstream: Upstream): Promise<boolean> {
    await this.#probe(upstream, true);
    const { chain, health } = upstream;
    const isIdentified = chain.kind === "verified" || chain.kind === "unverifiable";
    return isIdentified && health.isKnown && health.trouble(this.#options.clock.elapsed(), false) === undefined;
  }

  async #probe(upstream: Upstream, isCandidate = false): Promise<void> {
    const { clock, identityCheck } = this.#options;
    try {
      await (isCandidate ? identityCheck.recheck(upstream) : identityCheck.admit(upstream, true));
      const height = await this.#readTip(upstream, 0);
      // The status alone may be wrong; a server that leads the others must have the block.
      if (isCandidate) await this.#readBlock(upstream, height);
      upstream.health.probed(clock.elapsed());
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Without a request left, the result is unknown.
      if (error.reason !== "budget") upstream.health.probeFailed(error.reason, error.message, clock.elapsed());
    }
  }

  #readTip(upstream: Upstream, priority: number): Promise<number> {
    return runRequests(this.#options, priority, async (poll) => {
      const { body } = await this.#options.apiOf(upstream, poll).get(status, { path: {} });
      if (body.chain_tip === undefined) throw new ApiError("empty", status.name, "the API has no tip");
      return body.chain_tip.block_height;
    });
  }

  async #readBlock(upstream: Upstream, height: number): Promise<void> {
    try {
      const parameters = { path: { id: height } };
      await runRequests(this.#options, 0, (poll) => this.#options.apiOf(upstream, poll).get(blockAt, parameters));
    } catch (error) {
      // Without the operation, the block cannot be checked.
      if (!isNotOffered(error, blockAt)) throw error;
    }
  }

  // Compares the block at a settled height: one request to each upstream whose tip is known.
  async #compare(active: Upstream, others: readonly Upstream[]): Promise<void> {
    const { clock, config, log, onDisagreement } = this.#options;
    if (active.tip === undefined || clock.elapsed() < this.#compareAt) return;
    const compared = others.filter(({ chain, tip }) => chain.kind === "verified" && tip !== undefined);
    const lowestTip = Math.min(...[active, ...compared].flatMap(({ tip }) => tip?.height ?? []));
    const height = lowestTip - Math.max(config.confirmations, SETTLED_BLOCKS);
    if (compared.length === 0 || height < 1) return;
    try {
      const [activeHash, ...hashes] = await this.#hashesAt(height, active, compared);
      if (activeHash === undefined) return;
      this.#compareAt = clock.elapsed() + COMPARE_EVERY_MS;
      for (const [index, upstream] of compared.entries()) {
        const hash = hashes[index];
        if (hash === undefined || hash === activeHash) continue;
        const fields = { network: config.name, upstream: upstream.name, active: active.name, height, hash, activeHash };
        log.error(fields, "two upstreams disagree on the block at a settled height");
        onDisagreement(upstream);
      }
    } catch (error) {
      // The next round tries again.
      if (!(error instanceof ApiError)) throw error;
    }
  }

  // The active upstream is needed for polls, so this uses only their spare requests.
  #hashesAt(height: number, active: Upstream, others: readonly Upstream[]): Promise<(string | undefined)[]> {
    return runRequests(this.#options, SPARE_PRIORITY, async (poll) => {
      const hashAt = async (upstream: Upstream, priority: number) => {
        const api = this.#options.apiOf(upstream, { ...poll, priority });
        return (await api.find(blockAt, { path: { id: height } }))?.body.hash;
      };
      const activeHash = await hashAt(active, SPARE_PRIORITY);
      if (activeHash === undefined) return [];
      return [activeHash, ...(await Promise.all(others.map((upstream) => hashAt(upstream, 0))))];
    });
  }
}
