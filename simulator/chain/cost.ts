// Execution cost in the five dimensions in which the chain limits a tenure.

/** An amount of execution; counts, bytes and abstract run time units. */
export interface Cost {
  readonly readCount: number;
  readonly readLength: number;
  readonly runtime: number;
  readonly writeCount: number;
  readonly writeLength: number;
}

/** No execution at all. */
export const NOTHING: Cost = { readCount: 0, readLength: 0, runtime: 0, writeCount: 0, writeLength: 0 };

/** What one tenure may use before it has to be extended. */
export const TENURE_LIMIT: Cost = {
  readCount: 15_000,
  readLength: 100_000_000,
  runtime: 5_000_000_000,
  writeCount: 15_000,
  writeLength: 15_000_000,
};

const DIMENSIONS = ["readCount", "readLength", "runtime", "writeCount", "writeLength"] as const;

const each = (value: (dimension: keyof Cost) => number): Cost => ({
  readCount: value("readCount"),
  readLength: value("readLength"),
  runtime: value("runtime"),
  writeCount: value("writeCount"),
  writeLength: value("writeLength"),
});

/** The sum in each dimension. */
export function add(one: Cost, other: Cost): Cost {
  return each((dimension) => one[dimension] + other[dimension]);
}

/** The cost times a factor, in whole units. */
export function scale(cost: Cost, factor: number): Cost {
  return each((dimension) => Math.round(cost[dimension] * factor));
}

/** Whether no dimension is above the limit. */
export function fits(cost: Cost, limit: Cost): boolean {
  return DIMENSIONS.every((dimension) => cost[dimension] <= limit[dimension]);
}

/** What is left of a limit; never below zero. */
export function rest(limit: Cost, used: Cost): Cost {
  return each((dimension) => Math.max(0, limit[dimension] - used[dimension]));
}

/** The smaller of two costs in each dimension. */
export function smaller(one: Cost, other: Cost): Cost {
  return each((dimension) => Math.min(one[dimension], other[dimension]));
}

/** The part of the tenure limit that is used, in the fullest dimension (0 to 1, above 1 after an extension). */
export function fullness(used: Cost): number {
  return Math.max(...DIMENSIONS.map((dimension) => used[dimension] / TENURE_LIMIT[dimension]));
}
