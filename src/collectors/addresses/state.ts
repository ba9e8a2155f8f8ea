// The observation of a watched address, which is kept between polls and across restarts. Plain data.
import type { Poll, Target, Watched } from "../collector.ts";
import type { Floor } from "../feed/floor.ts";
import type { ListState } from "../feed/read-list.ts";
import { EMPTY_FEED } from "../feed/state.ts";
import type { LastValues } from "./last-values.ts";
import type { MissingTransfers } from "./needed-transfers.ts";
import type { Outflow } from "./outflow.ts";
import type { Transaction } from "./source.ts";
import { type AddressTotals, type AddressTotalsV1, upgradedTotals } from "./totals.ts";

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

interface ObservationV1 extends Pick<Observation, "isNew" | "hasTransfers"> {
  readonly horizon: {
    readonly height: number;
    readonly floor: Floor;
    readonly window: readonly (Floor & { readonly txId: string; readonly blockHash: string })[];
    readonly reverted: readonly { readonly txId: string; readonly at: number }[];
  };
  readonly totals: Omit<AddressTotalsV1, "reverted"> & { readonly reverted: Readonly<Record<string, number>> };
  readonly facts: Omit<LastValues, "last"> & { readonly lastHeight?: number };
  readonly isBackfilling: boolean;
}

/** Upgrades an observation of version 1, which had the height up to which transactions were counted. */
export function upgraded(observation: unknown): Observation {
  const { horizon, totals, facts, isNew, hasTransfers, isBackfilling } = observation as ObservationV1;
  const counted = horizon.window
    .map(({ txId, height, index, blockHash }) => ({ id: txId, height, index, hash: blockHash }))
    .reverse();
  const lowest = counted.at(-1)?.height ?? horizon.height + 1;
  const { lastHeight, ...others } = facts;
  return {
    feed: { ...EMPTY_FEED, counted, reverted: horizon.reverted.map(({ txId, at }) => ({ id: txId, at })) },
    floor: horizon.floor.height > lowest ? horizon.floor : { height: lowest, index: 0 },
    settledTotal: facts.total,
    totals: upgradedTotals({
      ...totals,
      reverted: Object.values(totals.reverted).reduce((sum, count) => sum + count, 0),
    }),
    facts: {
      ...others,
      last: lastHeight === undefined ? undefined : { height: lastHeight, hash: "" },
      lastTimes: {},
      nonces: {},
    },
    isNew,
    hasTransfers,
    backfill: isBackfilling ? Number.MAX_SAFE_INTEGER : undefined,
    held: {},
    etag: undefined,
  };
}
