// Execution cost in the five dimensions that limit a tenure.

/** An execution cost: counts, bytes and abstract run time units. */
export interface Cost {
  readonly readCount: number;
  readonly readLength: number;
  readonly runtime: number;
  readonly writeCount: number;
  readonly writeLength: number;
}

/** The dimensions, in the order of the API. */
export const DIMENSIONS = ["readCount", "readLength", "runtime", "writeCount", "writeLength"] as const;

/** Computes a cost dimension by dimension. */
export const eachDimension = (value: (dimension: keyof Cost) => number): Cost => ({
  readCount: value("readCount"),
  readLength: value("readLength"),
  runtime: value("runtime"),
  writeCount: value("writeCount"),
  writeLength: value("writeLength"),
});

/** No cost. */
export const NOTHING: Cost = eachDimension(() => 0);

/** A budget: what the blocks between two renewals may cost. The limits of Epoch 4.0. */
export const BUDGET: Cost = {
  readCount: 30_000,
  readLength: 200_000_000,
  runtime: 5_000_000_000,
  writeCount: 15_000,
  writeLength: 15_000_000,
};

/** The sum in each dimension. */
export function add(one: Cost, other: Cost): Cost {
  return eachDimension((dimension) => one[dimension] + other[dimension]);
}

/** Whether no dimension is above the limit. */
export function fits(cost: Cost, limit: Cost): boolean {
  return DIMENSIONS.every((dimension) => cost[dimension] <= limit[dimension]);
}

/** The share of the budget that is used, in the fullest dimension: 0 to 1. */
export function fullness(used: Cost): number {
  return Math.max(...DIMENSIONS.map((dimension) => used[dimension] / BUDGET[dimension]));
}
