// How one upstream does: failures in a row, how far it lags, and since when it is healthy. No I/O and no clock of its own.
import type { Reason } from "../api/errors.ts";

/** When an upstream counts as unfit. Durations in milliseconds. */
export interface HealthRules {
  readonly failures: number;
  readonly lagBlocks: number;
  readonly lagForMs: number;
}

/** Why an upstream is unfit. */
export interface Trouble {
  readonly reason: Reason;
  readonly message: string;
  /** Milliseconds of `Clock.elapsed`. */
  readonly since: number;
}

/** A failed poll or probe. Times are milliseconds of `Clock.elapsed`. */
export interface Failed {
  readonly collector: string;
  readonly reason: Reason;
  readonly message: string;
  readonly startedAt: number;
  readonly at: number;
}

// These tell of the server's data, not of the way to it: the good answers of other collectors disprove nothing.
const OF_THE_CHAIN: ReadonlySet<Reason> = new Set(["behind", "empty", "wrong_chain"]);

/** Whether a failure tells of the data of the server. */
export const isOfTheChain = (reason: Reason): boolean => OF_THE_CHAIN.has(reason);

const OF_THE_SERVER: ReadonlySet<Reason> = new Set([
  "network",
  "timeout",
  "http_server",
  "unauthorized",
  "rate_limited",
]);

/** Whether a failure speaks against the server. A full budget or a state file that cannot be written does not. */
export const countsAgainst = (reason: Reason): boolean => isOfTheChain(reason) || OF_THE_SERVER.has(reason);

/** Failures in a row. Those that overlap in time count once: one outage of a second hits every poll that is under way. */
class Streak {
  readonly collectors = new Set<string>();
  count = 0;
  first: Failed | undefined;
  last: Failed | undefined;

  add(failed: Failed): void {
    this.collectors.add(failed.collector);
    if (this.last !== undefined && failed.startedAt <= this.last.at) return;
    this.count += 1;
    this.first ??= failed;
    this.last = failed;
  }

  clear(): void {
    this.collectors.clear();
    this.count = 0;
    this.first = undefined;
    this.last = undefined;
  }
}

/** The health of one upstream. Times are milliseconds of `Clock.elapsed`. */
export class Health {
  readonly #rules: HealthRules;
  readonly #server = new Streak();
  readonly #chain = new Streak();
  #probe: Trouble | undefined;
  #lag: { readonly blocks: number; readonly since: number | undefined } | undefined;
  #healthySince: number | undefined;

  constructor(rules: HealthRules) {
    this.#rules = rules;
  }

  /** Blocks behind the highest known tip when its own tip was last told; undefined until then. */
  get lagBlocks(): number | undefined {
    return this.#lag?.blocks;
  }

  /** Since when nothing has failed and it does not lag; undefined while something does, or before the first contact. */
  get healthySince(): number | undefined {
    return this.#healthySince;
  }

  /** Whether there was any contact, good or bad. */
  get isKnown(): boolean {
    const hasFailed = this.#probe !== undefined || this.#server.count + this.#chain.count > 0;
    return hasFailed || this.#healthySince !== undefined || this.#lag !== undefined;
  }

  /** A poll failed for a reason that counts against the server. */
  failed(failed: Failed): void {
    (OF_THE_CHAIN.has(failed.reason) ? this.#chain : this.#server).add(failed);
    this.#healthySince = undefined;
  }

  /** A poll succeeded. */
  succeeded(collector: string, at: number): void {
    this.#server.clear();
    this.#probe = undefined;
    if (this.#chain.collectors.has(collector)) this.#chain.clear();
    this.#settle(at);
  }

  /** A probe failed: an upstream that is not active is unfit at once, there is no reason to try it. */
  probeFailed(reason: Reason, message: string, at: number): void {
    this.#probe = { reason, message, since: this.#probe?.since ?? at };
    this.#healthySince = undefined;
  }

  /** A probe succeeded. It also clears failed polls: an upstream that is not active has no polls that could. */
  probed(at: number): void {
    this.#server.clear();
    this.#chain.clear();
    this.#probe = undefined;
    this.#settle(at);
  }

  /** It told its tip, which is so many blocks behind the highest known one. */
  sawLag(blocks: number, at: number): void {
    const isLagging = blocks >= this.#rules.lagBlocks;
    this.#lag = { blocks, since: isLagging ? (this.#lag?.since ?? at) : undefined };
    if (isLagging) this.#healthySince = undefined;
    else this.#settle(at);
  }

  /**
   * Why it should not be used; undefined when it may. An active one may lag for a while, a candidate may not.
   * @param now milliseconds of `Clock.elapsed`.
   */
  trouble(now: number, isActive: boolean): Trouble | undefined {
    if (this.#probe !== undefined) return this.#probe;
    for (const streak of [this.#server, this.#chain]) {
      const { first, last, count } = streak;
      if (first === undefined || last === undefined || count < this.#rules.failures) continue;
      return { reason: last.reason, message: last.message, since: first.at };
    }
    const { blocks = 0, since } = this.#lag ?? {};
    if (since === undefined || (isActive && now - since < this.#rules.lagForMs)) return undefined;
    return { reason: "behind", message: `its tip is ${blocks} blocks behind the highest known one`, since };
  }

  #settle(at: number): void {
    const isWell = this.#probe === undefined && this.#server.count === 0 && this.#chain.count === 0;
    if (isWell && this.#lag?.since === undefined) this.#healthySince ??= at;
  }
}
