// The budgets that fit the plans of the hosted API.

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
