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
  /** Why the server is refused: it follows another chain, or its database is empty. Undefined when it is not. */
  readonly refused?: Outage;
  /** A collector has found the server behind, empty or on another chain since. */
  readonly isInDoubt?: boolean;
}

/** Failures of a server, or its lag, without a success in between. */
interface Streak {
  /** The last cause, since the first one. */
  readonly cause: Outage;
  /** Whether all are pauses after a 429. */
  readonly isPause: boolean;
  /** Until when it is tolerated. */
  readonly until: number;
  /** Whether one was after that time. */
  readonly isUnfit: boolean;
}

const CHAIN_REASONS: readonly Reason[] = ["behind", "empty", "wrong_chain"];
const SERVER_REASONS: readonly Reason[] = ["network", "timeout", "http_server", "unauthorized", "rate_limited"];
const LOCAL_REASONS: readonly Reason[] = ["budget", "state", "bug"];
// Any of their failures counts while nothing else succeeds: the server may be no API any more.
const CHAIN_SOURCES: readonly string[] = ["block", "blocks"];

// How long nothing but failures, of many targets or of one, are tolerated before another upstream takes over. A 429
// asks for a pause, after which most servers respond.
const FAILING_FOR_MS = 10_000;
const PAUSED_FOR_MS = 60_000;
// Blocks behind the highest known tip, and how long, after which another upstream takes over.
export const LAG_BLOCKS = 10;
const LAG_FOR_MS = 5 * 60_000;
// Stands for a collector in failures of the server itself.
const SERVER = "";

/**
 * Whose success would disprove a failure: that of any collector (`SERVER`), or only that of the same one. Undefined if
 * it says nothing about the server, such as a full budget or one broken operation.
 */
function disprovedBy(collector: string, reason: Reason): string | undefined {
  if (CHAIN_REASONS.includes(reason)) return collector;
  // Without the chain nothing counts: that others succeed is not enough.
  if (SERVER_REASONS.includes(reason)) return collector === "blocks" ? collector : SERVER;
  return CHAIN_SOURCES.includes(collector) && !LOCAL_REASONS.includes(reason) ? SERVER : undefined;
}

/** A server of a network. Times are milliseconds of `Clock.elapsed`, those of reports Unix time. */
export class Upstream {
  readonly name: string;
  /** Scheme, host and port: no path, because some providers put a token into it. */
  readonly origin: string;
  readonly budget: UpstreamConfig["budget"];
  readonly client: Client;
  chain: ChainStatus = {};
  /** The check that runs now. */
  checking: Promise<void> | undefined;
  /** Height of its tip as last seen; 0 before. */
  tip = 0;
  /** While its tip is too far behind the highest known one: its answers are old. */
  lag: Streak | undefined;
  /** When it has last failed or was behind; at first, when it was made. */
  troubledAt: number;
  readonly #clock: Clock;
  /** Failures, by what would disprove them. */
  readonly #streaks = new Map<string, Streak>();
  #lagBlocks: number | undefined;

  constructor({ name, url, budget }: UpstreamConfig, client: Client, clock: Clock) {
    this.name = name;
    this.origin = new URL(url).origin;
    this.budget = budget;
    this.client = client;
    this.#clock = clock;
    this.troubledAt = clock.elapsed();
  }

  /** Whether the last check with a result has found the right chain. */
  get isRight(): boolean {
    return this.chain.checkedAt !== undefined && this.chain.refused === undefined;
  }

  /** A poll failed. Only what the upstream has caused counts. */
  failed(collector: string, { reason, message }: Omit<Outage, "since">): void {
    const key = disprovedBy(collector, reason);
    if (key === undefined) return;
    if (CHAIN_REASONS.includes(reason)) this.chain = { ...this.chain, isInDoubt: true };
    const toleratedMs = reason === "rate_limited" ? PAUSED_FOR_MS : FAILING_FOR_MS;
    this.#streaks.set(key, this.#longer(this.#streaks.get(key), reason, message, toleratedMs));
  }

  succeeded(collector: string): void {
    for (const key of [SERVER, collector]) this.#streaks.delete(key);
  }

  /** A probe ended. A failed one makes it unfit at once; one that succeeds also ends failures of polls. */
  probed(reason?: Reason, message = ""): void {
    const before = this.#streaks.get(SERVER);
    this.#streaks.clear();
    if (reason !== undefined) this.#streaks.set(SERVER, this.#longer(before, reason, message));
  }

  /** Its tip was seen; the highest known one is `highest`. */
  sawTip(height: number, highest: number): void {
    this.tip = height;
    this.#lagBlocks = Math.max(0, highest - height);
    const message = `its tip is ${this.#lagBlocks} blocks behind the highest known one`;
    this.lag = this.#lagBlocks < LAG_BLOCKS ? undefined : this.#longer(this.lag, "behind", message, LAG_FOR_MS);
  }

  /** Why it is unfit; undefined when it is fit. An active one may lag for some time. */
  trouble(isActive: boolean): Outage | undefined {
    if (this.chain.refused !== undefined) return this.chain.refused;
    const streak = [...this.#streaks.values()].find(({ isUnfit }) => isUnfit);
    const isTolerated = isActive && this.#clock.elapsed() < (this.lag?.until ?? 0);
    return streak?.cause ?? (isTolerated ? undefined : this.lag?.cause);
  }

  report(isActive: boolean): UpstreamReport {
    const { outage } = this.client.snapshot();
    // Requests fail at once before that many polls have failed.
    const cause = outage ?? this.trouble(isActive);
    const isKnown = this.#streaks.size > 0 || this.chain.checkedAt !== undefined;
    const up = cause === undefined ? isKnown || undefined : false;
    return { name: this.name, url: this.origin, active: isActive, up, lag_blocks: this.#lagBlocks, cause };
  }

  // The streak after one more failure. Pauses before the first other failure do not shorten its tolerance.
  #longer(before: Streak | undefined, reason: Reason, message: string, toleratedMs = 0): Streak {
    const now = this.#clock.elapsed();
    this.troubledAt = now;
    const isPause = reason === "rate_limited" && before?.isPause !== false;
    const until = Math.min(isPause === before?.isPause ? before.until : Number.POSITIVE_INFINITY, now + toleratedMs);
    const cause = { reason, message, since: before?.cause.since ?? this.#clock.now() };
    return { cause, until, isUnfit: before?.isUnfit === true || now >= until, isPause };
  }
}
