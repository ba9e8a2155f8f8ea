// The upstreams of one network: which one is active, when another one takes over, and when the preferred one returns.
import type { Client } from "../api/client.ts";
import { ApiError, type Reason } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import { status } from "../collectors/chain/block-source.ts";
import type { PollClient, PollEnd } from "../collectors/task.ts";
import type { UpstreamConfig } from "../config/config.ts";
import { isChainFailure, isUpstreamFailure } from "./health.ts";
import { IdentityCheck, type NetworkStore } from "./identity-check.ts";
import { Prober } from "./prober.ts";
import { Upstream, type UpstreamContext } from "./upstream.ts";

/** Dependencies and settings of the upstreams of a network. */
export interface UpstreamsOptions extends UpstreamContext {
  /** Store of the chain of the network; undefined if it is not saved. */
  readonly store: NetworkStore | undefined;
  readonly createClient: (upstream: UpstreamConfig) => Client;
  /** Called when another upstream becomes active. */
  readonly onSwitch: (upstream: Upstream) => void;
}

/** Why another upstream takes over. */
interface Cause {
  readonly reason: Reason | "recovered";
  readonly message: string;
}
const RECOVERED: Cause = { reason: "recovered", message: "the preferred upstream is healthy again" };

// A shorter pause ends before another server has been probed.
const TOLERATED_PAUSE_MS = 60_000;
// While no other upstream is fit, this limits the probes that failed polls cause.
const SEARCH_AGAIN_MS = 30_000;
// Stands for a collector in the failures of a chain check.
const CHAIN_CHECK = "chain";

/** The upstreams of a network. Each poll uses one of them. */
export class Upstreams implements PollClient {
  readonly all: readonly Upstream[];
  readonly #options: UpstreamsOptions;
  readonly #identityCheck: IdentityCheck;
  readonly #prober: Prober;
  readonly #polls = new WeakMap<StacksApi, { readonly upstream: Upstream; readonly startedAt: number }>();
  /** The upstream that polls use now. */
  active: Upstream;
  #deciding: Promise<void> | undefined;
  #searchAt = Number.NEGATIVE_INFINITY;

  /** @throws StateFileError when the saved chain cannot be read. */
  constructor(options: UpstreamsOptions) {
    const { config, createClient } = options;
    this.#options = options;
    this.all = config.upstreams.map((upstream) => new Upstream(upstream, createClient(upstream), config.failover));
    this.active = this.all[0] as Upstream; // the configuration has at least one
    this.#identityCheck = new IdentityCheck(options, options.store);
    this.#prober = new Prober(options, this.all, this.#identityCheck);
  }

  /**
   * The API for one poll, of the upstream that is active when the poll begins.
   * @throws ApiError when no upstream follows the chain of the state, or the check failed; `behind` when the poll reads
   * only present values, and the upstream is known to lag.
   */
  async forPoll(poll: Parameters<PollClient["forPoll"]>[0]): Promise<StacksApi> {
    // Once for each upstream: another one may take over.
    for (let left = this.all.length; ; left -= 1) {
      const upstream = this.active;
      const startedAt = this.#options.clock.elapsed();
      try {
        await this.#identityCheck.admit(upstream);
      } catch (error) {
        if (upstream.chain.kind === "failed" && error instanceof ApiError) {
          const { reason, message } = error;
          this.#noteFailure(upstream, startedAt, { collector: CHAIN_CHECK, reason, message });
        }
        await this.#decide();
        if (left === 0 || this.active === upstream) throw error;
        continue;
      }
      if (upstream !== this.active && left > 0) continue;
      const { lag } = upstream.health;
      if (lag !== undefined && !poll.counts) throw new ApiError("behind", status.name, lag);
      const api = { ...this.#prober.apiOf(upstream, poll), upstream: upstream.name };
      this.#polls.set(api, { upstream, startedAt });
      return api;
    }
  }

  async checkChain(api: StacksApi): Promise<void> {
    const poll = this.#polls.get(api);
    if (poll !== undefined) await this.#identityCheck.admit(poll.upstream, true);
  }

  /** Records how a poll ended; several failures in a row make another upstream active. */
  ended(api: StacksApi, { collector, reason, message }: PollEnd): void {
    const poll = this.#polls.get(api);
    if (poll === undefined) return;
    const { upstream, startedAt } = poll;
    if (reason === undefined) upstream.health.succeeded(collector, this.#options.clock.elapsed());
    else this.#noteFailure(upstream, startedAt, { collector, reason, message });
    if (this.#causeAgainst(this.active) !== undefined) void this.#decide();
  }

  /** Milliseconds until a request of this priority may be sent. */
  waitFor(priority: number, requests?: number): number {
    return this.active.client.waitFor(priority, requests);
  }

  /** Probes and compares until the shutdown; does nothing with a single upstream. Never rejects. */
  async run(): Promise<void> {
    if (this.all.length === 1) return;
    const { clock, config, stop } = this.#options;
    while (!stop.aborted) {
      await this.#prober.probeAll(this.active).catch((error) => logBug(this.#options, error));
      if (!stop.aborted) await this.#decide();
      await clock.sleep(config.failover.probeEveryMs, stop).catch(() => undefined); // stopped
    }
  }

  #noteFailure(upstream: Upstream, startedAt: number, failure: Omit<PollEnd, "reason"> & { reason: Reason }): void {
    const { clock } = this.#options;
    const { reason } = failure;
    if (!isUpstreamFailure(reason)) return;
    const pauseLeft = (upstream.client.snapshot().pausedUntil ?? 0) - clock.now();
    if (reason === "rate_limited" && pauseLeft < TOLERATED_PAUSE_MS) return;
    upstream.isChainInDoubt ||= isChainFailure(reason);
    upstream.health.failed({ ...failure, startedAt, at: clock.elapsed() });
  }

  // One decision at a time. Never rejects.
  #decide(): Promise<void> {
    this.#deciding ??= this.#choose()
      .catch((error) => logBug(this.#options, error))
      .finally(() => {
        this.#deciding = undefined;
      });
    return this.#deciding;
  }

  async #choose(): Promise<void> {
    const { clock, config, log, onSwitch } = this.#options;
    const now = clock.elapsed();
    const from = this.active;
    const cause = this.#causeAgainst(from);
    if (cause !== undefined && now < this.#searchAt) return;
    if (cause !== undefined) this.#searchAt = now + SEARCH_AGAIN_MS;
    const hasReturned = ({ health: { healthySince = now } }: Upstream) =>
      now - healthySince >= config.failover.returnAfterMs;
    const preferred = this.all.slice(0, this.all.indexOf(from)).filter(hasReturned);
    for (const upstream of cause === undefined ? preferred : this.all) {
      if (upstream === from || !(await this.#prober.probe(upstream, true))) continue;
      this.active = upstream;
      this.#searchAt = Number.NEGATIVE_INFINITY;
      const { reason, message } = cause ?? RECOVERED;
      const fields = { network: config.name, from: from.name, to: upstream.name, reason, cause: message };
      if (cause === undefined) log.info(fields, "the preferred upstream is active again");
      else log.warn(fields, "another upstream takes over");
      return onSwitch(upstream);
    }
  }

  #causeAgainst({ blocked, health }: Upstream): Cause | undefined {
    return blocked ?? health.trouble(this.#options.clock.elapsed(), true);
  }
}

function logBug({ stop, log, config }: UpstreamsOptions, error: unknown): void {
  if (!stop.aborted) log.error({ err: error, network: config.name }, "the upstreams could not be checked");
}
