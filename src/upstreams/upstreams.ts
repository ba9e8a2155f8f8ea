// The servers of one network: which one is active, when another one takes over, and when the preferred one returns.
import type { Client, PollOptions } from "../api/client.ts";
import { ApiError, type Reason } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import type { PollClient, PollEnd } from "../collectors/task.ts";
import type { NetworkConfig, UpstreamConfig } from "../config/config.ts";
import type { Incidents } from "../telemetry/incidents.ts";
import type { BlockedReport, UpstreamReport } from "../telemetry/report.ts";
import { Guard } from "./guard.ts";
import { countsAgainst, isOfTheChain } from "./health.ts";
import { Identity, type NetworkFacts } from "./identity.ts";
import { Prober } from "./prober.ts";
import { reportOf } from "./report.ts";
import { withTips } from "./tips.ts";
import { Upstream } from "./upstream.ts";
import type { Surroundings, UpstreamLog } from "./within.ts";

/** What upstreams work with. */
export interface UpstreamsParts extends Surroundings {
  readonly config: NetworkConfig;
  readonly log: UpstreamLog;
  /** Where the polls that fail for the chain of an upstream meet what is logged of it. */
  readonly incidents: Pick<Incidents, "hold" | "end">;
  /** Where the identity of the chain outlives the process. @default nowhere */
  readonly facts: NetworkFacts | undefined;
  readonly createClient: (upstream: UpstreamConfig) => Client;
  /** Height of the tip that the collectors have accepted; undefined while they have none. */
  readonly knownTip: () => number | undefined;
  /** Called when another upstream is active. */
  readonly onSwitch: (upstream: Upstream) => void;
  /** Called when an upstream disagrees with the active one on a settled block. */
  readonly onDisagreement: (upstream: Upstream) => void;
  /** Forgets everything that is saved of the network; its chain is another one from now on. */
  readonly onNewChain: () => void;
}

// A pause that is shorter is over before another server has been asked.
const TOLERATED_PAUSE_MS = 60_000;
// While no other upstream is fit, each failing poll would ask all of them.
const SEARCH_AGAIN_MS = 30_000;

/** The upstreams of a network. One poll uses one of them. */
export class Upstreams implements PollClient {
  readonly all: readonly Upstream[];
  readonly #parts: UpstreamsParts;
  readonly #identity: Identity;
  readonly #guard: Guard;
  readonly #prober: Prober;
  readonly #polls = new WeakMap<StacksApi, { readonly upstream: Upstream; readonly startedAt: number }>();
  #active: Upstream;
  #deciding: Promise<void> | undefined;
  #searchAt = Number.NEGATIVE_INFINITY;

  /** @throws StoreError when the saved identity of the chain cannot be read. */
  constructor(parts: UpstreamsParts) {
    const { config, clock, stop, log, incidents } = parts;
    this.#parts = parts;
    const made = config.upstreams.map(
      (one) => new Upstream(one.name, one.url, parts.createClient(one), config.failover),
    );
    this.all = made;
    this.#active = made[0] as Upstream; // the configuration has at least one
    this.#identity = new Identity(config.name, parts.facts);
    this.#guard = new Guard({ network: config.name, clock, stop, identity: this.#identity, log, incidents });
    this.#prober = new Prober({
      ...{ clock, stop, log, config },
      guard: this.#guard,
      apiOf: (upstream, poll) => this.#apiOf(upstream, poll),
      onDisagreement: parts.onDisagreement,
    });
  }

  /** The upstream that polls use now. */
  get active(): Upstream {
    return this.#active;
  }

  /**
   * The API for one poll, bound to the active upstream until the poll ends.
   * @throws ApiError when no upstream follows the chain of the state, or that cannot be found out.
   */
  async forPoll(poll: Parameters<PollClient["forPoll"]>[0]): Promise<StacksApi> {
    // Another upstream may take over, or a new chain be accepted, once for each of them.
    for (let left = this.all.length; ; left -= 1) {
      const upstream = this.#active;
      const startedAt = this.#parts.clock.elapsed();
      try {
        await this.#guard.admit(upstream, poll.counts === true);
        if (upstream !== this.#active && left > 0) continue;
        const api = this.#apiOf(upstream, poll);
        this.#polls.set(api, { upstream, startedAt });
        return api;
      } catch (error) {
        if (upstream.chain.kind === "failed") this.#failed(upstream, startedAt, CHAIN_CHECK, error);
        await this.#reconsider();
        const isAnswered = this.#active !== upstream || this.#acceptNewChain(upstream);
        if (left === 0 || !isAnswered) throw error;
      }
    }
  }

  async checkChain(api: StacksApi): Promise<void> {
    const poll = this.#polls.get(api);
    if (poll === undefined) return;
    await this.#guard.check(poll.upstream);
    this.#guard.assert(poll.upstream, true);
  }

  /** Takes note of how a poll ended; several failures in a row make another upstream active. */
  ended(api: StacksApi, { collector, reason, message }: PollEnd): void {
    const poll = this.#polls.get(api);
    if (poll === undefined) return;
    const { upstream, startedAt } = poll;
    if (reason === undefined) upstream.health.succeeded(collector, this.#parts.clock.elapsed());
    else this.#failed(upstream, startedAt, collector, new ApiError(reason, collector, message));
    if (this.#causeAgainst(this.#active) !== undefined) this.#reconsiderSoon();
  }

  /** Milliseconds until a request of this priority may leave. */
  waitFor(priority: number): number {
    return this.#active.client.waitFor(priority);
  }

  /** Probes and compares until the stop; with one upstream there is nothing to do. Never rejects. */
  async run(): Promise<void> {
    if (this.all.length === 1) return;
    const { clock, config, stop } = this.#parts;
    while (!stop.aborted) {
      await this.#prober.round(this.#active, this.all).catch((error) => this.#noteBug(error));
      if (!stop.aborted) await this.#reconsider().catch((error) => this.#noteBug(error));
      await clock.sleep(config.failover.probeEveryMs, stop).catch(() => undefined); // stopped
    }
  }

  /** How each upstream does, in the order of the configuration. */
  report(): readonly UpstreamReport[] {
    const elapsed = this.#parts.clock.elapsed();
    const shift = this.#parts.clock.now() - elapsed;
    return this.all.map((upstream) => reportOf(upstream, upstream === this.#active, elapsed, shift));
  }

  /** Why nothing is polled; undefined when the active upstream may be polled. */
  blocked(): BlockedReport | undefined {
    const { chain } = this.#active;
    if (chain.kind !== "refused") return undefined;
    const { reason, message, since } = chain;
    return { reason, message, since };
  }

  /** Ends every request. */
  async close(): Promise<void> {
    await Promise.all(this.all.map(({ client }) => client.close()));
  }

  #apiOf(upstream: Upstream, poll: PollOptions): StacksApi {
    return withTips(upstream.client.forPoll(poll), (height) => this.#sawTip(upstream, height));
  }

  #sawTip(upstream: Upstream, height: number): void {
    const { clock, config, knownTip } = this.#parts;
    const at = clock.elapsed();
    upstream.tip = { height, at };
    const isFresh = (seenAt: number) => at - seenAt <= 3 * config.failover.probeEveryMs;
    const others = this.all.flatMap(({ tip, chain }) =>
      tip !== undefined && chain.kind === "right" && isFresh(tip.at) ? tip.height : [],
    );
    upstream.health.sawLag(Math.max(height, knownTip() ?? 0, ...others) - height, at);
  }

  #failed(upstream: Upstream, startedAt: number, collector: string, error: unknown): void {
    if (!(error instanceof ApiError) || !countsAgainst(error.reason)) return;
    const { clock } = this.#parts;
    const pauseLeft = (upstream.client.snapshot().pausedUntil ?? 0) - clock.now();
    if (error.reason === "rate_limited" && pauseLeft < TOLERATED_PAUSE_MS) return;
    upstream.isDoubted ||= isOfTheChain(error.reason);
    const { reason, message } = error;
    upstream.health.failed({ collector, reason, message, startedAt, at: clock.elapsed() });
  }

  #reconsiderSoon(): void {
    this.#reconsider().catch((error) => this.#noteBug(error));
  }

  #noteBug(error: unknown): void {
    const { stop, log, config } = this.#parts;
    if (!stop.aborted) log.error({ err: error, network: config.name }, "the upstreams could not be checked");
  }

  #reconsider(): Promise<void> {
    this.#deciding ??= this.#decide().finally(() => {
      this.#deciding = undefined;
    });
    return this.#deciding;
  }

  async #decide(): Promise<void> {
    const now = this.#parts.clock.elapsed();
    const active = this.#active;
    const cause = this.#causeAgainst(active);
    if (cause === undefined) return this.#returnToPreferred(now);
    if (now < this.#searchAt) return;
    this.#searchAt = now + SEARCH_AGAIN_MS;
    for (const candidate of this.all) {
      if (candidate === active) continue;
      if (await this.#prober.isFit(candidate)) return this.#switchTo(candidate, cause);
    }
  }

  async #returnToPreferred(now: number): Promise<void> {
    const { returnAfterMs } = this.#parts.config.failover;
    for (const preferred of this.all.slice(0, this.all.indexOf(this.#active))) {
      const { healthySince } = preferred.health;
      if (healthySince === undefined || now - healthySince < returnAfterMs) continue;
      if (!(await this.#prober.isFit(preferred))) continue;
      return this.#switchTo(preferred, { reason: "recovered", message: "the preferred upstream is healthy again" });
    }
  }

  #causeAgainst({ chain, health }: Upstream): Cause | undefined {
    return chain.kind === "refused" ? chain : health.trouble(this.#parts.clock.elapsed(), true);
  }

  #switchTo(upstream: Upstream, { reason, message }: Cause): void {
    const { log, config, onSwitch } = this.#parts;
    const fields = { network: config.name, from: this.#active.name, to: upstream.name, reason, cause: message };
    this.#active = upstream;
    this.#searchAt = Number.NEGATIVE_INFINITY;
    if (reason === "recovered") log.info(fields, "the preferred upstream is active again");
    else log.warn(fields, "another upstream takes over");
    onSwitch(upstream);
  }

  // No upstream follows the old chain any more, and the configuration says that a new one may take its place.
  #acceptNewChain(upstream: Upstream): boolean {
    const { chain } = upstream;
    const { config, clock, log, incidents, onNewChain } = this.#parts;
    // Another poll that waited may have done it.
    if (chain.kind !== "refused") return chain.kind === "right";
    if (chain.firstBlock === undefined || config.onNewChain !== "reset") return false;
    const fields = { network: config.name, before: this.#identity.firstBlock, now: chain.firstBlock };
    onNewChain();
    this.#identity.accept(chain.firstBlock, clock.now());
    for (const one of this.all) {
      one.chain = { kind: "unchecked" };
      incidents.end(one);
    }
    upstream.chain = { kind: "right", checkedAt: clock.elapsed() };
    upstream.health.probed(clock.elapsed());
    log.warn(fields, "the API follows a new chain: the saved state is deleted and counters start from zero");
    return true;
  }
}

// The check of the chain fails as a poll does.
const CHAIN_CHECK = "chain";

interface Cause {
  readonly reason: Reason | "recovered";
  readonly message: string;
}
