// The seeds of each purpose. No seed serves two purposes.

/**
 * First and last number of each. Seeds that were reported before the last change of rules or thresholds are not used
 * again: the thresholds may have been tuned for them.
 */
const RANGES = {
  tuning: [1, 21],
  reporting: [1183, 1194],
  worlds: [1185, 1188],
  heldOut: [1235, 1238],
} as const;

/** What traces are played for. */
export type Purpose = keyof typeof RANGES;

/** Names of seeds: `tuning-1`, `tuning-2`, … Each is played once per number of nonce gaps. */
export function seedsOf(purpose: Purpose): string[] {
  const [first, last] = RANGES[purpose];
  return Array.from({ length: last - first + 1 }, (_, index) => `${purpose}-${first + index}`);
}
