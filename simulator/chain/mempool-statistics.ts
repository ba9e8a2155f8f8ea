// Mempool statistics and fee priorities, computed once for each state of the pool.
import { type Percentiles, percentile, percentiles, roundHalfEven } from "./percentile.ts";
import type { View } from "./records.ts";

/** The types that can wait, in the order of the API. */
export const POOL_TYPES = ["token_transfer", "smart_contract", "contract_call", "poison_microblock"] as const;
type PoolType = (typeof POOL_TYPES)[number];

/** Something for each type that can wait. */
export type ByType<Value> = Readonly<Record<PoolType, Value>>;

/** The four priorities of one type, µSTX. */
export interface Priorities {
  readonly no_priority: number;
  readonly low_priority: number;
  readonly medium_priority: number;
  readonly high_priority: number;
}

/** What operations 1 and 2 tell, under their wire names. Fees in µSTX, ages in Stacks blocks, sizes in bytes. */
export interface MempoolStatistics {
  readonly stats: {
    readonly tx_type_counts: ByType<number>;
    readonly tx_simple_fee_averages: ByType<Percentiles>;
    readonly tx_ages: ByType<Percentiles>;
    readonly tx_byte_sizes: ByType<Percentiles>;
  };
  /** A type without transactions has no key; `all` always has, zeros when nothing waits. */
  readonly fees: { readonly all: Priorities } & Partial<Readonly<Record<PoolType, Priorities>>>;
}

function byType<Value>(value: (type: PoolType) => Value): ByType<Value> {
  return {
    token_transfer: value("token_transfer"),
    smart_contract: value("smart_contract"),
    contract_call: value("contract_call"),
    poison_microblock: value("poison_microblock"),
  };
}

function priorities(fees: readonly number[]): Priorities {
  const sorted = Float64Array.from(fees).sort();
  const at = (part: number) => (sorted.length === 0 ? 0 : roundHalfEven(percentile(sorted, part)));
  return { no_priority: at(0.25), low_priority: at(0.5), medium_priority: at(0.75), high_priority: at(0.95) };
}

/** The statistics of the pool as it is. */
export function mempoolStatistics(chain: View): MempoolStatistics {
  const columns = byType(() => ({ fees: [] as number[], ages: [] as number[], sizes: [] as number[] }));
  const all: number[] = [];
  for (const tx of chain.mempool.values()) {
    const column = columns[tx.type as PoolType];
    all.push(tx.fee);
    column.fees.push(tx.fee);
    column.ages.push(chain.height + 1 - tx.receivedHeight);
    column.sizes.push(tx.size);
  }
  const priced = (["token_transfer", "contract_call", "smart_contract"] as const).filter(
    (type) => columns[type].fees.length > 0,
  );
  return {
    stats: {
      tx_type_counts: byType((type) => columns[type].fees.length),
      tx_simple_fee_averages: byType((type) => percentiles(columns[type].fees)),
      tx_ages: byType((type) => percentiles(columns[type].ages)),
      tx_byte_sizes: byType((type) => percentiles(columns[type].sizes)),
    },
    fees: {
      all: priorities(all),
      ...Object.fromEntries(priced.map((type) => [type, priorities(columns[type].fees)])),
    },
  };
}

/** Measures only when the pool has changed, so that a busy client costs next to nothing. */
export function cachedStatistics(chain: View): () => MempoolStatistics {
  let mark = "";
  let statistics: MempoolStatistics | undefined;
  return () => {
    if (statistics === undefined || mark !== chain.mempool.mark) {
      statistics = mempoolStatistics(chain);
      mark = chain.mempool.mark;
    }
    return statistics;
  };
}
