// The health of one upstream: failures in a row, its lag, and since when it is healthy. Sends no requests.
import type { Reason } from "../api/errors.ts";
import type { BlockedReport } from "../telemetry/reports.ts";

/** Conditions under which an upstream is unfit. Durations in milliseconds. */
export interface HealthRules {
  readonly failures: number;
  readonly lagBlocks: number;
  readonly lagForMs: number;
}

/** Why an upstream is unfit; `since` is milliseconds of `Clock.elapsed`. */
type Trouble = BlockedReport;

/** A failed poll. Times are milliseconds of `Clock.elapsed`. */
export interface FailedPoll {
  readonly collector: string;
  readonly reason: Reason;
  readonly message: string;
  readonly startedAt: number;
  readonly at: number;
}

/** Whether a failure is about the data of the server, which successful polls of other collectors do not disprove. */
export const isChainFailure = (reason: Reason): boolean => ["behind", "empty", "wrong_chain"].includes(reason);

/** Whether the upstream is the cause of a failure: not of a full budget, or a state file that cannot be written. */
export const isUpstreamFailure = (reason: Reason): boolean =>
  isChainFailure(reason) || ["network", "timeout", "http_server", "unauthorized", "rate_limited"].includes(reason);

/** Failed polls in a row. Polls that overlap in time count once: a short outage fails all polls that are running. */
class Streak {
  readonly collectors = new Set<string>();
  count = 0;
  first: FailedPoll | undefined;
  last: FailedPoll | undefined;

  add(poll: FailedPoll): void {
    this.collectors.add(poll.collector);
    if (this.last !== undefined && poll.startedAt <= this.last.at) return;
    this.count += 1;
    this.first ??= poll;
    this.last = poll;
  }
}

/** The health of one upstream. Times are milliseconds of `Clock.elapsed`. */
export class Health {
  readonly #rules: HealthRules;
  #server = new Streak();
  #chain = new Streak();
  #failedProbe: Trouble | undefined;
  #lag: { readonly blocks: number; readonly since: number | undefined } | undefined;
  /** Since when nothing has failed and it does not lag; undefined while something does, or before the first contact. */
  healthySince: number | undefined;

  constructor(rules: HealthRules) {
    this.#rules = rules;
  }

  /** Blocks behind the highest known tip when its own tip was last seen; undefined until then. */
  get lagBlocks(): number | undefined {
    return this.#lag?.blocks;
  }

  /** Whether there was any contact, successful or not. */
  get isKnown(): boolean {
    return this.#hasFailed || this.healthySince !== undefined || this.#lag !== undefined;
  }

  /** A poll failed because of the upstream. */
  failed(poll: FailedPoll): void {
    (isChainFailure(poll.reason) ? this.#chain : this.#server).add(poll);
    this.healthySince = undefined;
  }

  /** A poll succeeded. */
  succeeded(collector: string, at: number): void {
    this.#server = new Streak();
    this.#failedProbe = undefined;
    if (this.#chain.collectors.has(collector)) this.#chain = new Streak();
    this.#update(at);
  }

  /** A probe failed: an upstream that is not active is unfit at once. */
  probeFailed(reason: Reason, message: string, at: number): void {
    this.#failedProbe = { reason, message, since: this.#failedProbe?.since ?? at };
    this.healthySince = undefined;
  }

  /** A probe succeeded. It also ends failures of polls, because only the active upstream is polled. */
  probed(at: number): void {
    this.#server = new Streak();
    this.#chain = new Streak();
    this.#failedProbe = undefined;
    this.#update(at);
  }

  /** Its tip was seen, this many blocks behind the highest known one. */
  sawLag(blocks: number, at: number): void {
    const isLagging = blocks >= this.#rules.lagBlocks;
    this.#lag = { blocks, since: isLagging ? (this.#lag?.since ?? at) : undefined };
    if (isLagging) this.healthySince = undefined;
    else this.#update(at);
  }

  /**
   * Why the upstream is unfit; undefined when it is fit. An active one may lag for `lagForMs`, a candidate may not.
   * @param now milliseconds of `Clock.elapsed`.
   */
  trouble(now: number, isActive: boolean): Trouble | undefined {
    if (this.#failedProbe !== undefined) return this.#failedProbe;
    for (const { first, last, count } of [this.#server, this.#chain]) {
      if (first === undefined || last === undefined || count < this.#rules.failures) continue;
      return { reason: last.reason, message: last.message, since: first.at };
    }
    const { blocks = 0, since } = this.#lag ?? {};
    if (since === undefined || (isActive && now - since < this.#rules.lagForMs)) return undefined;
    return { reason: "behind", message: `its tip is ${blocks} blocks behind the highest known one`, since };
  }

  get #hasFailed(): boolean {
    return this.#failedProbe !== undefined || this.#server.count + this.#chain.count > 0;
  }

  #update(at: number): void {
    if (!this.#hasFailed && this.#lag?.since === undefined) this.healthySince ??= at;
  }
}
