// What a poll of a counting collector adds to counters, and which label values have their own series.
import type { Exemplar, Family } from "../exposition/family.ts";
import type { Ledger } from "../ledger/ledger.ts";

/** Label values by name. */
export type Labels = Readonly<Record<string, string>>;

// No label value contains a tab: label values from the API are validated.
const SEPARATOR = "\t";

/** The key of label values. */
export const keyOf = (...values: readonly string[]): string => values.join(SEPARATOR);

/** The label values of a key. */
export const valuesOf = (key: string): readonly string[] => key.split(SEPARATOR);

/** What a poll adds to a counter, or sets a gauge to. */
export interface Addition {
  readonly family: Family;
  /** The labels of the family, without those of the target. A value of the API that is not valid is `other`. */
  readonly labels: Labels;
  /**
   * A whole number, not negative except for a gauge. Undefined: makes a series at 0, so that `rate()` sees its
   * increase.
   */
  readonly value: number | bigint | undefined;
  /** Whether its label values can take the places that are reserved. @default false */
  readonly isPreferred?: boolean;
  /** The transaction that increases a counter. @default none */
  readonly exemplar?: Omit<Exemplar, "value"> | undefined;
  /** Whether a newer row was counted before: it sets no gauge that has a value. @default false */
  readonly isLate?: boolean;
}

/** Collects the additions of a poll. */
export interface Adder {
  /** Adds to a counter, or sets a gauge. @param value default 1 */
  add(family: Family, labels?: Labels, value?: number | bigint, isPreferred?: boolean): void;
  /** Makes a series of a counter, unless it exists. */
  start(family: Family, labels?: Labels): void;
  /** An adder of what a row counts: its transaction is the exemplar. */
  of(row: CountedRow): Adder;
}

interface CountedRow extends Pick<Addition, "isLate"> {
  readonly id: string;
  readonly txId?: string;
  /** Time of its block. Unix time, seconds. */
  readonly time?: number | undefined;
}

const TX_ID = /^0x[0-9a-f]{64}$/;

/** An adder that adds to a list. */
export const adderOf = (additions: Addition[], of?: Pick<Addition, "exemplar" | "isLate">): Adder => ({
  add(family, labels = {}, value = 1, isPreferred = false) {
    additions.push({ family, labels, value, isPreferred, ...of });
  },
  start(family, labels = {}) {
    additions.push({ family, labels, value: undefined });
  },
  of: ({ id, txId = id, time, isLate = false }) =>
    adderOf(additions, { isLate, exemplar: TX_ID.test(txId) ? { labels: { tx_id: txId }, time } : undefined }),
});

/**
 * A limit of the label values that have their own series. Named values have one always. Others get one in the order in
 * which they occur, and lose it if it is wanted after 30 days without an addition. What has none counts as `other`.
 */
export interface Places {
  /** Name in the state. */
  readonly name: string;
  /** The families with these labels. */
  readonly families: readonly Family[];
  /** The labels whose values together take one place. */
  readonly labels: readonly string[];
  readonly max: number;
  /** Joined by tabs if there are several labels. @default none */
  readonly named?: readonly string[];
  /** Number of series that one place can add. @default 1 */
  readonly series?: number;
  /** Places that only preferred additions can take: spam cannot fill them. @default 0 */
  readonly reserved?: number;
}

/** How the store keeps the counters among the families of a collector. */
export interface Counts<Options, Of> {
  /** The labels of a target, which every series of it has. */
  identity(network: string, target: Of): Labels;
  /** The limits of label values from the API. Values of an enumeration need none. @default none */
  places?(target: Of, options: Options): readonly Places[];
  /** Families of the configuration of a target, by their key in the state. @default none */
  familiesOf?(target: Of): ReadonlyMap<string, Family>;
}

/** The observation of a collector with counters. Plain data, but for the additions. */
export interface Counted<Values> {
  /** What its gauges are made from, and what the next poll needs. */
  readonly values: Values;
  /** The list that it counts; undefined before it was read, and if the collector counts no list. */
  readonly ledger: Ledger | undefined;
  /** What the poll adds, oldest first. */
  readonly additions: readonly Addition[];
}
