// The upstreams of one network: which one is active, when another one takes over, and when the preferred one returns.
import type { PollOptions } from "../api/client.ts";
import { ApiError } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import type { Outage } from "../api/outages.ts";
import { status } from "../chain/block-source.ts";
import { checkOf, type UpstreamsOptions } from "./check.ts";
import { Upstream } from "./upstream.ts";

// Time between two probes of an upstream that is not active: one request from its own budget.
const PROBE_EVERY_MS = 2 * 60_000;
// How long a preferred upstream has to be healthy before it becomes active again.
const RETURN_AFTER_MS = 10 * 60_000;

/** The API of one upstream, for one poll. */
export interface UpstreamApi extends StacksApi {
  readonly upstream: string;
  /**
   * Checks that the server follows the chain of the state.
   * @throws ApiError `wrong_chain` or `empty` if it does not, or the error of the check
   */
  checkChain(): Promise<void>;
  /**
   * Records how the poll has ended; several failures in a row make another upstream active.
   * @param failure undefined if it succeeded
   */
  ended(collector: string, failure?: Omit<Outage, "since">): void;
}

/** The upstreams of a network. Each poll uses one of them. */
export class Upstreams {
  readonly all: readonly Upstream[];
  readonly #options: UpstreamsOptions;
  readonly #check: ReturnType<typeof checkOf>;
  active: Upstream;
  #deciding: Promise<void> | undefined;

  constructor(options: UpstreamsOptions) {
    const { config, createClient, clock } = options;
    this.#options = options;
    this.all = config.upstreams.map((one) => new Upstream(one, createClient(one), clock));
    this.active = this.all[0] as Upstream; // the configuration has at least one
    this.#check = checkOf(options, this.all);
  }

  /**
   * The API for one poll, of the upstream that is active when the poll begins.
   * @param poll `counts`: the poll updates counters, which belong to one chain
   * @throws ApiError when no upstream follows the chain of the state, or the check failed; `behind` when the poll reads
   * only present values, and the upstream is known to lag.
   */
  async forPoll(poll: PollOptions & { readonly counts: boolean }): Promise<UpstreamApi> {
    const upstream = this.active;
    try {
      if (!upstream.isRight || upstream.chain.isInDoubt) await this.#check.admit(upstream);
    } catch (error) {
      await this.#decide();
      if (this.active === upstream) throw error;
    }
    // Another one has taken over.
    if (this.active !== upstream) return this.forPoll(poll);
    if (upstream.lag && !poll.counts) throw new ApiError("behind", status.name, upstream.lag.cause.message);
    // Without a response, the success of a poll says nothing about the server.
    let hasResponded = false;
    const onResponse = (tip?: number) => {
      hasResponded = true;
      if (tip !== undefined) this.#check.sawTip(upstream, tip);
    };
    const checkChain = () => this.#check.admit(upstream, true);
    const ended: UpstreamApi["ended"] = (collector, failure) => {
      if (failure !== undefined) upstream.failed(collector, failure);
      else if (hasResponded) upstream.succeeded(collector);
      if (this.active.trouble(true) !== undefined) void this.#decide();
    };
    return { ...upstream.client.forPoll({ ...poll, onResponse }), upstream: upstream.name, checkChain, ended };
  }

  /** Probes every upstream that is not active until the shutdown; does nothing with a single one. Never rejects. */
  async run(): Promise<void> {
    if (this.all.length === 1) return;
    const { clock, stop } = this.#options;
    while (!stop.aborted) {
      const { active } = this;
      // If no chain is known, that of the active upstream is accepted. Polls report its failures.
      await this.#check.admit(active).catch(() => undefined);
      const others = this.all.filter((one) => one !== active && !stop.aborted);
      await Promise.all(others.map((one) => this.#check.probe(one, false))).catch((error) => this.#logBug(error));
      if (!stop.aborted) await this.#decide();
      await clock.sleep(PROBE_EVERY_MS, stop).catch(() => undefined); // stopped
    }
  }

  // One decision at a time. Never rejects.
  #decide(): Promise<void> {
    this.#deciding ??= this.#choose()
      .catch((error) => this.#logBug(error))
      .finally(() => {
        this.#deciding = undefined;
      });
    return this.#deciding;
  }

  async #choose(): Promise<void> {
    const { clock, config, log, onSwitch } = this.#options;
    const now = clock.elapsed();
    const from = this.active;
    const cause = from.trouble(true);
    const preferred = this.all
      .slice(0, this.all.indexOf(from))
      .filter(({ troubledAt }) => now - troubledAt >= RETURN_AFTER_MS);
    for (const upstream of cause === undefined ? preferred : this.all) {
      // One that has failed waits for its next probe.
      if (upstream === from || upstream.trouble(false) !== undefined) continue;
      if (!(await this.#check.probe(upstream, true))) continue;
      this.active = upstream;
      const why = cause && { reason: cause.reason, cause: cause.message };
      const fields = { network: config.name, from: from.name, to: upstream.name, ...why };
      if (cause === undefined) log.info(fields, "the preferred upstream is active again");
      else log.warn(fields, "another upstream takes over");
      return onSwitch(upstream);
    }
  }

  #logBug(error: unknown): void {
    const { stop, log, config } = this.#options;
    if (!stop.aborted) log.error({ err: error, network: config.name }, "the upstreams could not be checked");
  }
}
