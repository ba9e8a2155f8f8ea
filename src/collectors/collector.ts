// The contract of a subject: what one file of this folder has to say about itself.
import type { ZodType } from "zod";
import type { Operation, StacksApi } from "../api/operation.ts";
import type { Family, Sample } from "../metrics/family.ts";

/** What one poll works with. */
export interface Poll<Observation> {
  readonly api: StacksApi;
  /** Name of the network; the value of the label `network`. */
  readonly network: string;
  /** The observation of the last successful poll. */
  readonly previous: Observation | undefined;
  /** Unix time at the start of the poll, milliseconds. */
  readonly now: number;
  /** Aborted at the deadline of the poll and at shutdown. */
  readonly signal: AbortSignal;
}

/**
 * A subject: where it asks, what it keeps, what it exposes. `observe` does all I/O and turns the previous observation
 * into the next one; a poll that throws leaves the previous one as it was, so cursors and totals are never half advanced.
 */
export interface Collector<Observation, Options> {
  /** File, label value and setting. */
  readonly name: string;
  /** One sentence for the documentation. */
  readonly about: string;
  /** Default schedule: `every: 30s` or a cron expression with seconds. */
  readonly schedule: string;
  /** Order in which collectors are served when the budget is short; 0 comes first. */
  readonly priority: number;
  /** Every operation it may ask. */
  readonly operations: readonly Operation[];
  /** Everything it may emit. */
  readonly families: readonly Family[];
  /** Settings of its own, beside `enabled`, schedule, `timeout` and `max_age`; every one with a default. */
  readonly options: ZodType<Options>;
  /** Requests of one poll in the steady state, given how far apart polls are (seconds). */
  requestsPerPoll(options: Options, intervalSeconds: number): number;
  observe(poll: Poll<Observation>, options: Options): Promise<Observation>;
  /** Pure. Samples of absent data are left out. */
  samples(observation: Observation, network: string): Iterable<Sample>;
}

/**
 * A collector whose observation nobody outside looks into. Methods are compared bivariantly, so every collector fits, and
 * the machinery can only hand back to a collector what that collector made itself.
 */
export type AnyCollector = Collector<unknown, unknown>;
