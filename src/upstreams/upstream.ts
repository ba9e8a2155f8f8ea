// One server of a network: its client, its health, its chain and its tip.
import type { Client, PollOptions } from "../api/client.ts";
import { type Clock, withTimeout } from "../api/clock.ts";
import type { ApiError } from "../api/errors.ts";
import type { ChainView } from "../collectors/chain/chain-view.ts";
import type { NetworkConfig, UpstreamConfig } from "../config/config.ts";
import type { Incidents } from "../telemetry/incidents.ts";
import type { BlockedReport, UpstreamReport } from "../telemetry/reports.ts";
import { Health, type HealthRules } from "./health.ts";

/** The context of the upstreams of a network. */
export interface UpstreamContext {
  readonly config: NetworkConfig;
  readonly clock: Clock;
  /** Aborted at shutdown. */
  readonly stop: AbortSignal;
  readonly log: Record<"info" | "warn" | "error", (fields: object, message: string) => void>;
  /** Groups polls that fail because of the chain of an upstream with the log line about it. */
  readonly incidents: Pick<Incidents, "hold" | "end">;
  /** The chain that the collectors have accepted, also before a restart; undefined while they have none. */
  readonly chain: () => ChainView | undefined;
}

/** What the last check of a server's chain has found. `checkedAt` is milliseconds of `Clock.elapsed`. */
export type ChainStatus =
  | { readonly kind: "unchecked" }
  /** `unverifiable`: it has blocks, but does not serve block 1. `failed`: the check had no result. */
  | { readonly kind: "verified" | "unverifiable"; readonly checkedAt: number }
  | { readonly kind: "failed"; readonly checkedAt: number; readonly error: unknown }
  | {
      /** It follows another chain, or its database is empty. */
      readonly kind: "refused";
      readonly checkedAt: number;
      readonly error: ApiError;
      /** Hash of its block 1; undefined when it has none. */
      readonly firstBlock: string | undefined;
      /** Unix time, milliseconds. */
      readonly since: number;
    };

/** A server of a network. */
export class Upstream {
  readonly name: string;
  /** Scheme, host and port: no path, because some providers put a token into it. */
  readonly origin: string;
  readonly client: Client;
  readonly health: Health;
  chain: ChainStatus = { kind: "unchecked" };
  /** A collector has found the server behind, empty or on another chain since the chain was last checked. */
  isChainInDoubt = false;
  /** Its tip as last seen; `at` is milliseconds of `Clock.elapsed`. */
  tip: { readonly height: number; readonly at: number } | undefined;

  constructor({ name, url }: UpstreamConfig, client: Client, rules: HealthRules) {
    this.name = name;
    this.origin = new URL(url).origin;
    this.client = client;
    this.health = new Health(rules);
  }

  /** Why it must not be polled: its chain was refused. */
  get blocked(): BlockedReport | undefined {
    if (this.chain.kind !== "refused") return undefined;
    const { error, since } = this.chain;
    return { reason: error.reason, message: error.detail, since };
  }

  /** The upstream for metrics and the status page. */
  report(isActive: boolean, clock: Clock): UpstreamReport {
    const { name, origin: url, health } = this;
    const cause = this.blocked ?? this.#trouble(isActive, clock);
    const up = cause === undefined ? (health.isKnown ? true : undefined) : false;
    return {
      name,
      url,
      active: isActive,
      up,
      tip_height: this.tip?.height,
      lag_blocks: health.lagBlocks,
      cause,
    };
  }

  #trouble(isActive: boolean, clock: Clock): BlockedReport | undefined {
    // The circuit breaker opens before that many polls have failed.
    const { outage } = this.client.snapshot();
    if (outage !== undefined && outage.operation === undefined) return { ...outage.cause, since: outage.since };
    const trouble = this.health.trouble(clock.elapsed(), isActive);
    return trouble && { ...trouble, since: trouble.since + clock.now() - clock.elapsed() };
  }
}

// As long as a poll has by default.
const TIMEOUT_MS = 10_000;

/** Runs requests that belong to no poll, before all others, with a deadline. Settles as `start` does. */
export function runRequests<Result>(
  { clock, stop }: Pick<UpstreamContext, "clock" | "stop">,
  start: (poll: PollOptions) => Promise<Result>,
): Promise<Result> {
  const deadline = clock.now() + TIMEOUT_MS;
  return withTimeout(clock, TIMEOUT_MS, stop, (signal) => start({ priority: 0, signal, deadline }));
}
