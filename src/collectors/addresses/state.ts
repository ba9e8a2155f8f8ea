// The observation of a watched address, which is kept between polls and across restarts. Plain data.
import type { Poll, Target, Watched } from "../collector.ts";
import type { ListState } from "../feed/read-list.ts";
import type { LastValues } from "./last-values.ts";
import type { MissingTransfers } from "./needed-transfers.ts";
import type { Outflow } from "./outflow.ts";
import type { Transaction } from "./source.ts";
import type { AddressTotals } from "./totals.ts";

/** The observation of an address. */
export interface Observation extends ListState<Transaction> {
  readonly totals: AddressTotals;
  readonly facts: LastValues;
  /** The list was read from the replacement of `address_transactions`. */
  readonly isNew: boolean;
  readonly hasTransfers: boolean;
  readonly held: MissingTransfers;
  /** By asset with a limit. Absent in observations of earlier versions. */
  readonly outflow?: Readonly<Record<string, Outflow>>;
  /** Validator of the list. */
  readonly etag: string | undefined;
}

/** A watched address. */
export interface AddressTarget extends Target {
  readonly watched: Watched;
  readonly confirmations: number;
  /** Identifiers of the assets that always have series. @default none */
  readonly named?: readonly string[];
}

export type AddressPoll = Poll<Observation, AddressTarget>;
