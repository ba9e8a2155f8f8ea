// The budgets of the hosted API, and the shares of a budget: what an exporter uses of it, and what it leaves to
// commands.

/** A month of the budget has 31 days. */
export const MINUTES_PER_MONTH = 31 * 24 * 60;

// Rounding error of sums of floating-point numbers.
const TOLERANCE = 1e-6;

/** Requests in any 60 seconds, and in any 31 days; no limit of the month when `perMonth` is undefined. */
export interface WindowLimits {
  readonly perMinute: number;
  readonly perMonth?: number | undefined;
}

/**
 * The part of a budget for commands that run beside an exporter: a tenth, at least 1 request a minute. A budget of 1 a
 * minute leaves none.
 */
export const commandsPart = ({ perMinute, perMonth }: WindowLimits): WindowLimits => ({
  perMinute: perMinute < 2 ? 0 : Math.max(1, Math.floor(perMinute / 10)),
  perMonth: perMonth && Math.max(1, Math.floor(perMonth / 10)),
});

/** The part of a budget that an exporter uses: what commands leave of the minute, and the whole month. */
export const exporterPart = ({ perMinute, perMonth }: WindowLimits): WindowLimits => ({
  perMinute: perMinute - commandsPart({ perMinute }).perMinute,
  perMonth,
});

/** The smallest budget a minute of which an exporter may use this many requests. */
export function budgetFor(perMinute: number): number {
  let budget = Math.ceil(perMinute - TOLERANCE);
  while (exporterPart({ perMinute: budget }).perMinute < perMinute - TOLERANCE) budget += 1;
  return budget;
}

/** The sum of numbers. */
export const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/**
 * Requests in any minute and in any 31 days, as Hiro documents them (https://docs.hiro.so/rate-limiting, 2026-11): 25 a
 * minute and client IP without a key, 900 a minute and 150,000 a month with a free one.
 */
export const PRESETS = {
  keyless: { perMinute: 25, perMonth: undefined },
  free_key: { perMinute: 900, perMonth: 150_000 },
} as const;

/** The name of a preset. */
export type Preset = keyof typeof PRESETS;
