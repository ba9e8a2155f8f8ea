// The contract of a subject: what one file of this folder has to say about itself.
import type { ZodType } from "zod";
import type { Operation, StacksApi } from "../api/operation.ts";
import type { Family, Sample } from "../exposition/family.ts";
import type { ChainView } from "./chain/chain-view.ts";

/** One thing that a collector looks at on a network: the whole chain, or one watched principal. */
export interface Target {
  /** Unique within its collector and network; empty for the whole chain. */
  readonly key: string;
  /** The entry of the watch list that it comes from; absent for the whole chain. */
  readonly watched?: Watched;
}

/** The only target of a collector that looks at the whole chain. */
export const WHOLE_CHAIN: Target = { key: "" };

/** One entry of a watch list, complete: what was left out has its default. */
export interface Watched {
  /** The principal in its canonical spelling: an address, or `address.contract-name`. */
  readonly principal: string;
  /** Value of the label `name`; unique in its list. */
  readonly name: string;
  /** Empty when it has none. */
  readonly group: string;
  /** Free labels of the info family. Every entry of a configuration has the same names; empty where nothing was said. */
  readonly labels: Readonly<Record<string, string>>;
}

/** A token that the configuration names. */
export interface NamedAsset {
  /** Identifier in its canonical spelling: `address.contract::token`. */
  readonly id: string;
  /** Decimal places of its amounts; undefined when the configuration does not say. */
  readonly decimals: number | undefined;
}

/** What the targets of a network are made from. */
export interface WatchedNetwork {
  readonly name: string;
  /** Blocks, the transaction's own included, after which a transaction is counted. */
  readonly confirmations: number;
  readonly addresses: readonly Watched[];
  readonly contracts: readonly Watched[];
  /** Tokens that have series of their own in any case. */
  readonly assets: readonly NamedAsset[];
}

/** What an observation tells of targets that are worth a look before their turn. */
export interface Sighting {
  /** Principals that took part in what was seen for the first time; the target itself while something of it waits for its depth. */
  readonly seen: readonly string[];
  /** More of the target itself is there to be read than one poll does. */
  readonly isBehind: boolean;
}

/** What one poll works with. */
export interface Poll<Observation, Of extends Target = Target> {
  readonly api: StacksApi;
  readonly target: Of;
  /** The newest view of the network's chain; undefined while no collector offers one. */
  readonly chain: ChainView | undefined;
  /** Whether a collector offers one, now or when it has succeeded. */
  readonly isFollowed: boolean;
  /** The observation of the last successful poll. */
  readonly previous: Observation | undefined;
  /** Unix time at the start of the poll, milliseconds. */
  readonly now: number;
  /** Series that this poll may add for label values that come from the wire; beyond, they become `other`. */
  readonly spareSeries: number;
  /** Checks that the server still follows the chain that the state belongs to. @throws ApiError `wrong_chain` */
  readonly checkIdentity?: (() => Promise<void>) | undefined;
  /** Says something in the log that an operator should know and that is no failure. @default it is not said */
  readonly note?: ((message: string) => void) | undefined;
}

/** Says that observations are kept across restarts. They must be plain data, amounts as bigints. */
export interface Durable {
  /** Grows when an older observation cannot be read as it is. */
  readonly version: number;
  /** Makes one of an older version into one of today. Throws when it cannot. */
  upgrade?(observation: unknown, version: number): unknown;
}

/**
 * A subject: where it asks, what it keeps, what it exposes. `observe` does all I/O and turns the previous observation
 * into the next one; a poll that throws leaves the previous one as it was, so cursors and totals are never half advanced.
 */
export interface Collector<Observation, Options, Of extends Target = Target> {
  /** File, label value and setting. */
  readonly name: string;
  /** One sentence for the documentation. */
  readonly about: string;
  /** Default schedule: `every: 30s` or a cron expression with seconds. */
  readonly schedule: string;
  /** Default deadline of a poll, as a duration. @default 10s */
  readonly timeout?: string;
  /** Order in which collectors are served when the budget is short; 0 comes first. */
  readonly priority: number;
  /** Every operation it may ask. */
  readonly operations: readonly Operation[];
  /** Everything it may emit. */
  readonly families: readonly Family[];
  /** Present when its counters have to go on after a restart. */
  readonly durable?: Durable;
  /** Settings of its own, beside `enabled`, schedule, `timeout` and `max_age`; every one with a default. */
  readonly options: ZodType<Options>;
  /** What it looks at on a network. Absent: the whole chain. */
  targets?(network: WatchedNetwork): readonly Of[];
  /** What an observation tells the network's other collectors of the chain. */
  chainView?(observation: Observation): ChainView | undefined;
  /** Who should be polled soon, now that this was observed. Pure. */
  sighting?(observation: Observation, target: Of): Sighting;
  /** Requests of one poll of one target in the steady state, given how far apart polls are (seconds). */
  requestsPerPoll(options: Options, intervalSeconds: number): number;
  /** What is observed of a target in ordinary use; a plan reckons series by it. Absent: every combination of known labels. */
  example?(options: Options): Observation;
  observe(poll: Poll<Observation, Of>, options: Options): Promise<Observation>;
  /** Pure. Samples of absent data are left out. */
  samples(observation: Observation, network: string, target: Of): Iterable<Sample>;
}

/**
 * A collector whose observation nobody outside looks into. Methods are compared bivariantly, so every collector fits, and
 * the machinery can only hand back to a collector what that collector made itself.
 */
export type AnyCollector = Collector<unknown, unknown>;

/** What a collector looks at on a network. */
export function targetsOf(collector: AnyCollector, network: WatchedNetwork): readonly Target[] {
  return collector.targets?.(network) ?? [WHOLE_CHAIN];
}
