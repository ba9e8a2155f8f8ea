// The health of one upstream: what fails on it, its lag, and since when it is healthy. Sends no requests.
import type { Reason } from "../api/errors.ts";
import type { BlockedReport } from "../telemetry/reports.ts";

/** Conditions under which an upstream is unfit. Durations in milliseconds. */
export interface HealthRules {
  readonly failures: number;
  readonly lagBlocks: number;
  readonly lagForMs: number;
}

/** A failed poll. Times are milliseconds of `Clock.elapsed`. */
export interface FailedPoll {
  readonly collector: string;
  readonly reason: Reason;
  readonly message: string;
  readonly startedAt: number;
  readonly at: number;
}

/** Failures without a success in between. `countedTo`: polls that start before it are the same one. */
interface Streak extends BlockedReport {
  readonly count: number;
  readonly countedTo: number;
}

const CHAIN_REASONS: readonly Reason[] = ["behind", "empty", "wrong_chain"];
const SERVER_REASONS: readonly Reason[] = ["network", "timeout", "http_server", "unauthorized", "rate_limited"];

/** Whether a failure is about the data of the server, which successful polls of other collectors do not disprove. */
export const isChainFailure = (reason: Reason): boolean => CHAIN_REASONS.includes(reason);

/** Whether the upstream is the cause of a failure: not of a full budget, or a state file that cannot be written. */
export const isUpstreamFailure = (reason: Reason): boolean => isChainFailure(reason) || SERVER_REASONS.includes(reason);

// Many targets fail within a moment: their polls count as one until this time has passed.
const APART_MS = 5_000;
// Keys of streaks that do not belong to a collector.
const SERVER = "";
const PROBE = "probe";

/** The health of one upstream. Times are milliseconds of `Clock.elapsed`. */
export class Health {
  readonly #rules: HealthRules;
  /** Failures of the data by collector, those of the server as `SERVER`, and a failed probe. */
  readonly #streaks = new Map<string, Streak>();
  #laggingSince: number | undefined;
  /** Blocks behind the highest known tip when its own tip was last seen; undefined until then. */
  lagBlocks: number | undefined;
  /** Since when nothing has failed and it does not lag; undefined while something does, or before the first contact. */
  healthySince: number | undefined;

  constructor(rules: HealthRules) {
    this.#rules = rules;
  }

  /** Whether there was any contact, successful or not. */
  get isKnown(): boolean {
    return this.#streaks.size > 0 || this.healthySince !== undefined || this.lagBlocks !== undefined;
  }

  /** Why its answers are old: its tip is too far behind the highest known one. Undefined if they are not. */
  get lag(): string | undefined {
    if (this.#laggingSince === undefined) return undefined;
    return `its tip is ${this.lagBlocks} blocks behind the highest known one`;
  }

  /** A poll failed because of the upstream. */
  failed({ collector, reason, message, startedAt, at }: FailedPoll): void {
    const key = isChainFailure(reason) ? collector : SERVER;
    const { count = 0, since = at, countedTo = startedAt } = this.#streaks.get(key) ?? {};
    if (startedAt < countedTo) return;
    const next = Math.max(at, startedAt + APART_MS);
    this.#streaks.set(key, { count: count + 1, since, reason, message, countedTo: next });
    this.#update(at);
  }

  /** A poll succeeded. */
  succeeded(collector: string, at: number): void {
    for (const key of [SERVER, PROBE, collector]) this.#streaks.delete(key);
    this.#update(at);
  }

  /** A probe ended. A failed one makes the upstream unfit at once; one that succeeds also ends failures of polls. */
  probed(at: number, failure?: Pick<BlockedReport, "reason" | "message">): void {
    const since = this.#streaks.get(PROBE)?.since ?? at;
    if (failure === undefined) this.#streaks.clear();
    else this.#streaks.set(PROBE, { ...failure, since, count: Number.POSITIVE_INFINITY, countedTo: at });
    this.#update(at);
  }

  /** Its tip was seen, this many blocks behind the highest known one. */
  sawLag(blocks: number, at: number): void {
    this.lagBlocks = blocks;
    this.#laggingSince = blocks >= this.#rules.lagBlocks ? (this.#laggingSince ?? at) : undefined;
    this.#update(at);
  }

  /**
   * Why the upstream is unfit; undefined when it is fit. An active one may lag for `lagForMs`, a candidate may not.
   * @param now milliseconds of `Clock.elapsed`.
   */
  trouble(now: number, isActive: boolean): BlockedReport | undefined {
    const streak = [...this.#streaks.values()].find(({ count }) => count >= this.#rules.failures);
    if (streak !== undefined) return { reason: streak.reason, message: streak.message, since: streak.since };
    const [message, since] = [this.lag, this.#laggingSince];
    if (message === undefined || since === undefined) return undefined;
    return isActive && now - since < this.#rules.lagForMs ? undefined : { reason: "behind", message, since };
  }

  #update(at: number): void {
    const isHealthy = this.#streaks.size === 0 && this.#laggingSince === undefined;
    this.healthySince = isHealthy ? (this.healthySince ?? at) : undefined;
  }
}
