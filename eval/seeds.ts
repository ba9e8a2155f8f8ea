// Which markets are played for what. No seed serves two purposes.

const COUNTS = { tuning: 24, reporting: 24, worlds: 6, checking: 2 } as const;

/** Names of seeds: `tuning-1`, `tuning-2`, … Each is played once per regime. */
export function seedsOf(purpose: keyof typeof COUNTS): string[] {
  return Array.from({ length: COUNTS[purpose] }, (_, index) => `${purpose}-${index + 1}`);
}
