// The interface of a collector: its settings and families, how it polls a target, and what it keeps between polls; and
// a task, the polls of one target on one network.
import type { ZodObject, ZodType } from "zod";
import type { Preset } from "../api/budget.ts";
import type { Operation, StacksApi } from "../api/operation.ts";
import type { TenureLimits } from "../chain/block-source.ts";
import type { ChainView } from "../chain/branch.ts";
import type { Family, Sample } from "../exposition/family.ts";
import type { AuditReport } from "../ledger/audit.ts";
import type { Counts } from "./counted.ts";
import type { EventRule } from "./event-rules/rule.ts";
import type { FeeEstimate } from "./mempool-transactions/estimate.ts";
import type { WaitingView } from "./mempool-transactions/listed.ts";
import type { GroupSum } from "./subjects.ts";
import type { MinedView } from "./transactions/recent.ts";

/** The target of a poll: the whole chain of a network, or one watched principal. */
export interface Target {
  /** Its principal in canonical form, by which shards and early polls find it; empty for the whole chain. */
  readonly key: string;
  /** Its entry in the watch list; absent for the whole chain. */
  readonly watched?: Watched;
  /** Confirmations after which a transaction is counted. */
  readonly confirmations: number;
}

/** The target of a collector that observes watched principals. */
export interface WatchedTarget extends Target {
  readonly watched: Watched;
}

/** A target for each of these entries of a network. */
export const watchedTargets = (
  entries: readonly Watched[],
  { confirmations }: Pick<WatchedNetwork, "confirmations">,
): readonly WatchedTarget[] => entries.map((watched) => ({ key: watched.principal, watched, confirmations }));

/** Whether collectors poll an entry; undefined if its group or the settings of the collector decide. */
export type Chosen = Readonly<Partial<Record<"balances" | "staking" | "waiting", boolean | undefined>>>;

/** An entry of a watch list, with defaults applied. */
export interface Watched extends Chosen {
  /** The principal in canonical form: an address, or `address.contract-name`. */
  readonly principal: string;
  /** Value of the label `name`; unique in its list. */
  readonly name: string;
  /** Empty if there is none. */
  readonly group: string;
  /** Whether it is exported only as a part of the sums of its group. @default false */
  readonly isSummed?: boolean | undefined;
  /** Additional labels of the info family. */
  readonly labels: Readonly<Record<string, string>>;
  /** The event rules of a contract. @default none */
  readonly rules?: readonly EventRule[] | undefined;
  /** Configured minimum balances by asset, `stx` in microSTX and tokens in base units. Above 0. */
  readonly minBalance?: Readonly<Record<string, bigint>> | undefined;
  /** Configured limits of the outflow within an hour, as `minBalance`. */
  readonly maxOutflow?: Readonly<Record<string, bigint>> | undefined;
  /** Time without a sent transaction, or without calls and events, after which it is silent. Milliseconds. */
  readonly silentAfterMs?: number | undefined;
}

/** The key of STX among the amounts by asset of an entry. */
export const STX = "stx";

/** A token in the configuration. */
export interface NamedAsset {
  /** Identifier in canonical form: `address.contract::token`. */
  readonly id: string;
  /** Its name in the configuration. */
  readonly name: string | undefined;
  /** Decimal places of its amounts; undefined if not configured. */
  readonly decimals: number | undefined;
}

/** The configuration of a network from which targets are created. */
export interface WatchedNetwork {
  readonly name: string;
  /** Confirmations after which a transaction is counted. The block of the transaction is the first one. */
  readonly confirmations: number;
  readonly addresses: readonly Watched[];
  /** Members of groups that are exported as sums, with those of other shards. @default those of `addresses` */
  readonly summed?: readonly Watched[] | undefined;
  readonly contracts: readonly Watched[];
  /** Tokens that always have their own series. */
  readonly assets: readonly NamedAsset[];
}

/** A counted row, to find what an alert is about. Plain data. */
export interface CountedRow {
  /** Id of its transaction. */
  readonly id: string;
  /** Block time. Unix time in seconds; undefined if unknown. */
  readonly time?: number | undefined;
  /** What the target received, less what it sent, by asset: microSTX, and base units of tokens. */
  readonly amounts: Readonly<Record<string, bigint>>;
}

/** Targets to poll early, because an observation indicates that they have new data. */
export interface Hints {
  /** Principals that have moved: they took part in transactions that have just been counted. @default none */
  readonly moved?: readonly string[];
  /**
   * Principals that took part in transactions that were mined since the last poll, and may have no confirmations yet:
   * what they have now is another amount. @default none
   */
  readonly seen?: readonly string[];
  /** Rows of the target itself wait for their confirmations. @default false */
  readonly isWaiting?: boolean;
  /** The poll has not read everything of its target. */
  readonly isBehind: boolean;
  /** New data is far from usual, so collectors with this one as `after` are polled early. @default false */
  readonly isUrgent?: boolean;
}

/** What collectors of the whole chain offer to the others of their network; undefined while none has read it. */
export interface Views {
  readonly chain?: ChainView | undefined;
  /** The newest mined transactions. */
  readonly mined?: MinedView | undefined;
  readonly waiting?: WaitingView | undefined;
  /** Limits of the execution cost in the current epoch. */
  readonly tenureLimits?: TenureLimits | undefined;
}

/** The input of one poll. */
export interface Poll<Observation, Of extends Target = Target> extends Views {
  readonly api: StacksApi;
  readonly target: Of;
  /** The observation of the last successful poll. */
  readonly previous: Observation | undefined;
  /** Start of the poll. Unix time in milliseconds. */
  readonly now: number;
  /** Checks that the server follows the chain of the state. @throws ApiError `wrong_chain` */
  readonly checkIdentity?: (() => Promise<void>) | undefined;
  /** Reports an audit of what is counted. @default no report */
  readonly onAudit?: ((report: AuditReport) => void) | undefined;
  /** Logs a warning that does not fail the poll. @default no log */
  readonly note?: ((message: string) => void) | undefined;
}

/**
 * A collector polls its targets and exposes their metrics. `observe` does all I/O and returns the next observation. If
 * it throws, the previous observation stays, so that cursors and totals are never updated in part.
 */
export interface Collector<Observation, Options, Of extends Target = Target> {
  /** Name of its file, its settings, and its label value. */
  readonly name: string;
  /** One sentence for the documentation. */
  readonly about: string;
  /** Whether it is polled only with `enabled: true`. @default false */
  readonly isOptIn?: boolean;
  /** Such as `every 30s`, for each preset of the budget. */
  readonly schedule: Readonly<Record<Preset, string>>;
  /** Default deadline of a poll, as a duration. @default 10s */
  readonly timeout?: string;
  /** Priority when the budget is short; 0 is the highest. */
  readonly priority: number;
  /** Every operation that it may request. */
  readonly operations: readonly Operation[];
  /** Every family of which it may have samples. */
  readonly families: readonly Family[];
  /** The families with sums for groups of targets with `isSummed`. @default it does not poll such targets */
  readonly sums?: readonly GroupSum[];
  /**
   * Its counters, which the store keeps: they continue after a restart, and so do its observations, which are `Counted`
   * and plain data, with bigint for amounts. A follower is polled for it, even if disabled. @default none
   */
  readonly counts?: Counts<Options, Of>;
  /** Its settings, besides `enabled` and the schedule. Each has a default. @default none */
  readonly options?: ZodObject & ZodType<Options>;
  /** Whether collectors of watched principals need what it observes, so that every shard polls it. @default false */
  readonly isShared?: boolean;
  /** Whether it counts what is not on the chain, and fails while the server is known to lag. @default false */
  readonly isOfPresent?: boolean;
  /** Its targets on a network. @default the whole chain */
  targets?(network: WatchedNetwork, options: Options): readonly Of[];
  /** Whether it offers the view of the chain, which the first polls of others wait for. @default false */
  readonly isFollower?: boolean;
  /** Name of the collector whose view it uses. It is polled early after the first and after urgent polls of that. */
  readonly after?: string;
  /** What it offers to the other collectors of the network. Pure. */
  views?(observation: Observation): Views;
  /** Fee estimates for `/api/v1/fees/recommended`. */
  feeEstimate?(observation: Observation): FeeEstimate | undefined;
  /** The last rows that were counted, the oldest first. @default it keeps none */
  lastCounted?(observation: Observation): readonly CountedRow[];
  /** The targets to poll early after this observation. Pure. */
  hints?(observation: Observation, target: Of): Hints;
  /** Requests per poll and target in normal operation, at an interval in seconds. @default 1 */
  requestsPerPoll?(options: Options, intervalSeconds: number): number;
  /**
   * Series of a typical target by family, to estimate series.
   * @default every combination of known label values
   */
  readonly typicalSeries?: Readonly<Record<string, number>>;
  observe(poll: Poll<Observation, Of>, options: Options): Promise<Observation>;
  /** The samples of an observation. Absent data has no sample. Pure. */
  samples(observation: Observation, network: string, target: Of): Iterable<Sample>;
}

/**
 * Any collector. Its observations are opaque: they are only passed back to it. Every collector is assignable, because
 * TypeScript compares methods bivariantly.
 */
export type AnyCollector = Collector<unknown, unknown>;

/** The targets of a collector on a network. */
export function targetsOf(collector: AnyCollector, network: WatchedNetwork, options: unknown): readonly Target[] {
  return collector.targets?.(network, options) ?? [{ key: "", confirmations: network.confirmations }];
}

/** Times of the polls of a target, in milliseconds. */
export interface PollTimes {
  /** Time between two polls; the longest one if it varies. */
  readonly intervalMs: number;
  /** That time as configured, or by default. The budget can increase it. */
  readonly configuredIntervalMs: number;
  /** Age at which values disappear. */
  readonly maxAgeMs: number;
}

/** One target of a collector on one network. */
export interface Task extends PollTimes {
  readonly network: string;
  readonly collector: AnyCollector;
  readonly target: Target;
  readonly options: unknown;
  /** Times of its polls, in UTC. @default at the interval, from the start of the process */
  readonly cron?: string | undefined;
  /** Whether its samples are left out: another shard exposes them, or only others need it. @default false */
  readonly isHidden?: boolean | undefined;
  /** Of one poll. */
  readonly timeoutMs: number;
}
