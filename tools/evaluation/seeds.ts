// Which markets are played for what. No seed serves two purposes.

/**
 * First and last number of each. Those that were reported before thresholds were last changed are not used again: whoever has
 * seen a report has, in a way, tuned for its seeds.
 */
const RANGES = { tuning: [1, 24], reporting: [501, 524], worlds: [101, 106], checking: [1, 2] } as const;

/** Names of seeds: `tuning-1`, `tuning-2`, … Each is played once per regime. */
export function seedsOf(purpose: keyof typeof RANGES): string[] {
  const [first, last] = RANGES[purpose];
  return Array.from({ length: last - first + 1 }, (_, index) => `${purpose}-${first + index}`);
}
