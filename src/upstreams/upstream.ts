// One server of a network: its client, its chain, its tip, and its health. Sends no requests.
import type { Client } from "../api/client.ts";
import type { Clock } from "../api/clock.ts";
import type { Reason } from "../api/errors.ts";
import type { Outage } from "../api/outages.ts";
import type { UpstreamConfig } from "../config/settings.ts";
import type { UpstreamReport } from "../telemetry/status.ts";

/** What the last check of a server's chain has found. */
export interface ChainStatus {
  /** Milliseconds of `Clock.elapsed`; undefined when there was no check, or it had no result. */
  readonly checkedAt?: number;
  /** Why the check had no result, or why the server is refused: it follows another chain, or its database is empty. */
  readonly error?: unknown;
  /** Since when it is refused, and why. Unix time, milliseconds; undefined when it is not. */
  readonly refused?: Outage;
  /** A collector has found the server behind, empty or on another chain since. */
  readonly isInDoubt?: boolean;
}

/** Failures without a success in between. */
interface Streak {
  /** The last one, since the first one. */
  readonly cause: Outage;
  /** Time of the first one. */
  readonly at: number;
  readonly isUnfit: boolean;
}

const CHAIN_REASONS: readonly Reason[] = ["behind", "empty", "wrong_chain"];
// All of their failures count while nothing else succeeds: the server may be no API any more.
const CHAIN_SOURCES: readonly string[] = ["block", "blocks"];
const LOCAL_REASONS: readonly Reason[] = ["budget", "state", "bug"];
const SERVER_REASONS: readonly Reason[] = ["network", "timeout", "http_server", "unauthorized", "rate_limited"];

// How long nothing but failures, of many targets or of one, are tolerated before another upstream takes over.
const FAILING_FOR_MS = 10_000;
// Blocks behind the highest known tip, and how long, after which another upstream takes over.
export const LAG_BLOCKS = 10;
const LAG_FOR_MS = 5 * 60_000;
// A shorter pause ends before another server has been probed. A moment of a minute has passed when a poll fails.
const TOLERATED_PAUSE_MS = 59_000;
// Stands for a collector in failures of the server itself.
const SERVER = "";

/** A server of a network. Times are milliseconds of `Clock.elapsed`, those of reports Unix time. */
export class Upstream {
  readonly name: string;
  /** Scheme, host and port: no path, because some providers put a token into it. */
  readonly origin: string;
  readonly budget: UpstreamConfig["budget"];
  readonly client: Client;
  chain: ChainStatus = {};
  /** The check that runs now, with the error if it has no result. */
  checking: Promise<unknown> | undefined;
  /** Height of its tip as last seen. */
  tip: number | undefined;
  /** Since when nothing has failed and it does not lag; undefined while something does, or before the first contact. */
  healthySince: number | undefined;
  readonly #clock: Clock;
  /** Failures of the data by collector, which no other collector disproves, and those of the server. */
  readonly #streaks = new Map<string, Streak>();
  #lagBlocks: number | undefined;
  /** The first answer that lagged: in the times of `Clock.elapsed` and of `Clock.now`. */
  #lagging: { readonly at: number; readonly since: number } | undefined;

  constructor({ name, url, budget }: UpstreamConfig, client: Client, clock: Clock) {
    this.name = name;
    this.origin = new URL(url).origin;
    this.budget = budget;
    this.client = client;
    this.#clock = clock;
  }

  /** Why its answers are old: its tip is too far behind the highest known one. Undefined if they are not. */
  get lag(): Outage | undefined {
    const message = `its tip is ${this.#lagBlocks} blocks behind the highest known one`;
    return this.#lagging && { reason: "behind", message, since: this.#lagging.since };
  }

  /** A poll failed. Only what the upstream has caused counts: no full budget, no damaged state file. */
  failed(collector: string, { reason, message }: Omit<Outage, "since">): void {
    const isOfChain = CHAIN_REASONS.includes(reason);
    const pauseLeft = (this.client.snapshot().pausedUntil ?? 0) - this.#clock.now();
    // The rest of a pause that is not tolerated is not tolerated either.
    const isPaused = [...this.#streaks.values()].some(({ cause }) => cause.reason === "rate_limited");
    const isTolerated = reason === "rate_limited" && pauseLeft < TOLERATED_PAUSE_MS && !isPaused;
    const isOfServer = isOfChain || SERVER_REASONS.includes(reason);
    if (isTolerated || !(isOfServer || CHAIN_SOURCES.includes(collector)) || LOCAL_REASONS.includes(reason)) return;
    if (isOfChain) this.chain = { ...this.chain, isInDoubt: true };
    // Without the chain nothing counts: that others succeed is not enough.
    const key = isOfChain || (isOfServer && collector === "blocks") ? collector : SERVER;
    const now = this.#clock.elapsed();
    const { at = now, cause } = this.#streaks.get(key) ?? {};
    const since = cause?.since ?? this.#clock.now();
    this.#streaks.set(key, { cause: { reason, message, since }, at, isUnfit: now - at >= FAILING_FOR_MS });
    this.#update();
  }

  succeeded(collector: string): void {
    for (const key of [SERVER, collector]) this.#streaks.delete(key);
    this.#update();
  }

  /** A probe ended. A failed one makes it unfit at once; one that succeeds also ends failures of polls. */
  probed(reason?: Reason, message = ""): void {
    const since = this.#streaks.get(SERVER)?.cause.since ?? this.#clock.now();
    this.#streaks.clear();
    if (reason !== undefined) this.#streaks.set(SERVER, { cause: { reason, message, since }, at: 0, isUnfit: true });
    this.#update();
  }

  /** Its tip was seen; the highest known one is `highest`. */
  sawTip(height: number, highest: number): void {
    this.tip = height;
    this.#lagBlocks = Math.max(0, highest - height);
    const before = this.#lagging ?? { at: this.#clock.elapsed(), since: this.#clock.now() };
    this.#lagging = this.#lagBlocks < LAG_BLOCKS ? undefined : before;
    this.#update();
  }

  /** Why it is unfit; undefined when it is fit. An active one may lag for some time. */
  trouble(isActive: boolean): Outage | undefined {
    if (this.chain.refused !== undefined) return this.chain.refused;
    const streak = [...this.#streaks.values()].find(({ isUnfit }) => isUnfit);
    if (streak !== undefined) return streak.cause;
    const { at = 0 } = this.#lagging ?? {};
    return isActive && this.#clock.elapsed() - at < LAG_FOR_MS ? undefined : this.lag;
  }

  report(isActive: boolean): UpstreamReport {
    const { outage } = this.client.snapshot();
    // Requests fail at once before that many polls have failed.
    const cause = this.chain.refused ?? outage ?? this.trouble(isActive);
    const isKnown = this.#streaks.size > 0 || this.healthySince !== undefined || this.#lagBlocks !== undefined;
    const up = cause === undefined ? isKnown || undefined : false;
    return { name: this.name, url: this.origin, active: isActive, up, lag_blocks: this.#lagBlocks, cause };
  }

  #update(): void {
    const isHealthy = this.#streaks.size === 0 && this.#lagging === undefined;
    this.healthySince = isHealthy ? (this.healthySince ?? this.#clock.elapsed()) : undefined;
  }
}
