// The upstreams of one network: which one is active, when another one takes over, and when the preferred one returns.
import type { Client, PollOptions } from "../api/client.ts";
import { ApiError, type Reason } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import type { PollClient, PollEnd } from "../collectors/task.ts";
import type { UpstreamConfig } from "../config/config.ts";
import type { BlockedReport, UpstreamReport } from "../telemetry/reports.ts";
import { type FailedPoll, isChainFailure, isUpstreamFailure } from "./health.ts";
import { IdentityCheck, type NetworkStore } from "./identity-check.ts";
import { Prober } from "./prober.ts";
import { Upstream, type UpstreamContext } from "./upstream.ts";

/** Dependencies and settings of the upstreams of a network. */
export interface UpstreamsOptions extends UpstreamContext {
  /** Store of the chain of the network; undefined if it is not saved. */
  readonly store: NetworkStore | undefined;
  readonly createClient: (upstream: UpstreamConfig) => Client;
  /** Height of the tip that the collectors have accepted; undefined while they have none. */
  readonly knownTip: () => number | undefined;
  /** Called when another upstream becomes active. */
  readonly onSwitch: (upstream: Upstream) => void;
  /** Called when an upstream disagrees with the active one on a settled block. */
  readonly onDisagreement: (upstream: Upstream) => void;
  /** Deletes the saved state of the network, because it follows a new chain. */
  readonly onNewChain: () => void;
}

/** Why another upstream takes over. */
interface Cause {
  readonly reason: Reason | "recovered";
  readonly message: string;
}

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
    const apiOf = (upstream: Upstream, poll: PollOptions) => this.#apiOf(upstream, poll);
    this.#prober = new Prober({ ...options, identityCheck: this.#identityCheck, apiOf });
  }

  /**
   * The API for one poll, of the upstream that is active when the poll begins.
   * @throws ApiError when no upstream follows the chain of the state, or the check failed.
   */
  async forPoll(poll: Parameters<PollClient["forPoll"]>[0]): Promise<StacksApi> {
    // Once for each upstream: another one may take over, or its new chain may be accepted.
    for (let left = this.all.length; ; left -= 1) {
      const upstream = this.active;
      const startedAt = this.#options.clock.elapsed();
      try {
        await this.#identityCheck.admit(upstream, poll.counts === true);
        if (upstream !== this.active && left > 0) continue;
        const api = this.#apiOf(upstream, poll);
        this.#polls.set(api, { upstream, startedAt });
        return api;
      } catch (error) {
        if (upstream.chain.kind === "failed" && error instanceof ApiError) {
          const { reason, message } = error;
          this.#noteFailure(upstream, startedAt, { collector: CHAIN_CHECK, reason, message });
        }
        await this.#reconsider();
        const canRetry = this.active !== upstream || this.#acceptNewChain(upstream);
        if (left === 0 || !canRetry) throw error;
      }
    }
  }

  async checkChain(api: StacksApi): Promise<void> {
    const poll = this.#polls.get(api);
    if (poll === undefined) return;
    await this.#identityCheck.recheck(poll.upstream);
  }

  /** Records how a poll ended; several failures in a row make another upstream active. */
  ended(api: StacksApi, { collector, reason, message }: PollEnd): void {
    const poll = this.#polls.get(api);
    if (poll === undefined) return;
    const { upstream, startedAt } = poll;
    if (reason === undefined) upstream.health.succeeded(collector, this.#options.clock.elapsed());
    else this.#noteFailure(upstream, startedAt, { collector, reason, message });
    if (this.#causeAgainst(this.active) === undefined) return;
    this.#reconsider().catch((error) => this.#logBug(error));
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
      await this.#prober.probeAll(this.active, this.all).catch((error) => this.#logBug(error));
      if (!stop.aborted) await this.#reconsider().catch((error) => this.#logBug(error));
      await clock.sleep(config.failover.probeEveryMs, stop).catch(() => undefined); // stopped
    }
  }

  /** The status of each upstream, in the order of the configuration. */
  report(): readonly UpstreamReport[] {
    return this.all.map((upstream) => upstream.report(upstream === this.active, this.#options.clock));
  }

  /** Why nothing is polled; undefined when the active upstream may be polled. */
  blocked(): BlockedReport | undefined {
    return this.active.blocked;
  }

  /** Cancels every request. */
  async close(): Promise<void> {
    await Promise.all(this.all.map(({ client }) => client.close()));
  }

  #apiOf(upstream: Upstream, poll: PollOptions): StacksApi {
    return upstream.client.forPoll({ ...poll, onTip: (height) => this.#sawTip(upstream, height) });
  }

  #sawTip(upstream: Upstream, height: number): void {
    const { clock, config, knownTip } = this.#options;
    const at = clock.elapsed();
    upstream.tip = { height, at };
    const oldest = at - 3 * config.failover.probeEveryMs;
    const recent = this.all.filter(({ tip, chain }) => tip && chain.kind === "verified" && tip.at >= oldest);
    const tips = recent.flatMap(({ tip }) => tip?.height ?? []);
    upstream.health.sawLag(Math.max(height, knownTip() ?? 0, ...tips) - height, at);
  }

  #noteFailure(upstream: Upstream, startedAt: number, failure: Omit<FailedPoll, "startedAt" | "at">): void {
    const { clock } = this.#options;
    const { reason } = failure;
    if (!isUpstreamFailure(reason)) return;
    const pauseLeft = (upstream.client.snapshot().pausedUntil ?? 0) - clock.now();
    if (reason === "rate_limited" && pauseLeft < TOLERATED_PAUSE_MS) return;
    upstream.isChainInDoubt ||= isChainFailure(reason);
    upstream.health.failed({ ...failure, startedAt, at: clock.elapsed() });
  }

  #logBug(error: unknown): void {
    const { stop, log, config } = this.#options;
    if (!stop.aborted) log.error({ err: error, network: config.name }, "the upstreams could not be checked");
  }

  #reconsider(): Promise<void> {
    this.#deciding ??= this.#decide().finally(() => {
      this.#deciding = undefined;
    });
    return this.#deciding;
  }

  async #decide(): Promise<void> {
    const now = this.#options.clock.elapsed();
    const active = this.active;
    const cause = this.#causeAgainst(active);
    if (cause === undefined) return this.#returnToPreferred(now);
    if (now < this.#searchAt) return;
    this.#searchAt = now + SEARCH_AGAIN_MS;
    for (const candidate of this.all) {
      if (candidate !== active && (await this.#prober.isFit(candidate))) return this.#switchTo(candidate, cause);
    }
  }

  async #returnToPreferred(now: number): Promise<void> {
    const { returnAfterMs } = this.#options.config.failover;
    for (const preferred of this.all.slice(0, this.all.indexOf(this.active))) {
      const { healthySince } = preferred.health;
      if (healthySince === undefined || now - healthySince < returnAfterMs) continue;
      if (!(await this.#prober.isFit(preferred))) continue;
      return this.#switchTo(preferred, { reason: "recovered", message: "the preferred upstream is healthy again" });
    }
  }

  #causeAgainst({ chain, health }: Upstream): Cause | undefined {
    return chain.kind === "refused" ? chain : health.trouble(this.#options.clock.elapsed(), true);
  }

  #switchTo(upstream: Upstream, { reason, message }: Cause): void {
    const { log, config, onSwitch } = this.#options;
    const fields = { network: config.name, from: this.active.name, to: upstream.name, reason, cause: message };
    this.active = upstream;
    this.#searchAt = Number.NEGATIVE_INFINITY;
    if (reason === "recovered") log.info(fields, "the preferred upstream is active again");
    else log.warn(fields, "another upstream takes over");
    onSwitch(upstream);
  }

  // No upstream follows the old chain, and the configuration allows a new one.
  #acceptNewChain(upstream: Upstream): boolean {
    const { chain } = upstream;
    const { config, clock, log, incidents, onNewChain } = this.#options;
    // A concurrent poll may have accepted it already.
    if (chain.kind !== "refused") return chain.kind === "verified";
    if (chain.firstBlock === undefined || config.onNewChain !== "reset") return false;
    const fields = { network: config.name, before: this.#identityCheck.firstBlock, now: chain.firstBlock };
    onNewChain();
    this.#identityCheck.accept(chain.firstBlock);
    for (const one of this.all) {
      one.chain = { kind: "unchecked" };
      incidents.end(one);
    }
    upstream.chain = { kind: "verified", checkedAt: clock.elapsed() };
    upstream.health.probed(clock.elapsed());
    log.warn(fields, "the API follows a new chain: the saved state is deleted and counters start from zero");
    return true;
  }
}
