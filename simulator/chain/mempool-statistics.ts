// Mempool statistics and fee priorities, computed once for each state of the mempool.
import { type Percentiles, percentile, percentiles, roundHalfEven } from "./percentile.ts";
import type { View } from "./records.ts";

// The types that can wait, in the order of the API.
const POOL_TYPES = ["token_transfer", "smart_contract", "contract_call", "poison_microblock"] as const;
type PoolType = (typeof POOL_TYPES)[number];
type ByType<Value> = Readonly<Record<PoolType, Value>>;

/** The four priorities of one type, µSTX. */
export interface Priorities {
  readonly no_priority: number;
  readonly low_priority: number;
  readonly medium_priority: number;
  readonly high_priority: number;
}

/** The two mempool responses, as on the wire. Fees in µSTX, ages in Stacks blocks, sizes in bytes. */
export interface MempoolStatistics {
  readonly stats: {
    readonly tx_type_counts: ByType<number>;
    readonly tx_simple_fee_averages: ByType<Percentiles>;
    readonly tx_ages: ByType<Percentiles>;
    readonly tx_byte_sizes: ByType<Percentiles>;
  };
  /** A type without transactions has no key. `all` is always there, with zeros for an empty mempool. */
  readonly fees: { readonly all: Priorities } & Partial<ByType<Priorities>>;
}

const byType = <Value>(value: (type: PoolType) => Value) =>
  Object.fromEntries(POOL_TYPES.map((type) => [type, value(type)])) as ByType<Value>;

function priorities(fees: readonly number[]): Priorities {
  const sorted = Float64Array.from(fees).sort();
  const at = (part: number) => (sorted.length === 0 ? 0 : roundHalfEven(percentile(sorted, part)));
  return { no_priority: at(0.25), low_priority: at(0.5), medium_priority: at(0.75), high_priority: at(0.95) };
}

/** The statistics of the current mempool. */
export function mempoolStatistics({ mempool, height }: View): MempoolStatistics {
  const waiting = byType(() => ({ fees: [] as number[], ages: [] as number[], sizes: [] as number[] }));
  for (const tx of mempool.values()) {
    const { fees, ages, sizes } = waiting[tx.type as PoolType];
    fees.push(tx.fee);
    ages.push(height + 1 - tx.receivedHeight);
    sizes.push(tx.size);
  }
  const priced = (["token_transfer", "contract_call", "smart_contract"] as const).filter(
    (type) => waiting[type].fees.length > 0,
  );
  return {
    stats: {
      tx_type_counts: byType((type) => waiting[type].fees.length),
      tx_simple_fee_averages: byType((type) => percentiles(waiting[type].fees)),
      tx_ages: byType((type) => percentiles(waiting[type].ages)),
      tx_byte_sizes: byType((type) => percentiles(waiting[type].sizes)),
    },
    fees: {
      all: priorities(POOL_TYPES.flatMap((type) => waiting[type].fees)),
      ...Object.fromEntries(priced.map((type) => [type, priorities(waiting[type].fees)])),
    },
  };
}

/** Statistics that are computed again only when the mempool has changed. */
export function cachedStatistics(chain: View): () => MempoolStatistics {
  let mark: string | undefined;
  let statistics: MempoolStatistics;
  return () => {
    if (mark !== chain.mempool.mark) statistics = mempoolStatistics(chain);
    mark = chain.mempool.mark;
    return statistics;
  };
}
