// Which of the known words somebody may have meant.

/** Number of characters to insert, delete, replace or swap with their neighbour to turn one word into the other. */
export function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, index) => index)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? at(i - 2, j - 2) + 1 : replaced;
      row.push(Math.min(replaced, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1));
    }
  }
  return at(a.length, b.length);
}

/** The known word that is most like the given one; undefined when none is like it. `perMinute` is like `per_minute`. */
export function closest(word: string, known: readonly string[]): string | undefined {
  // A key of megabytes must not cost minutes.
  if (word.length > 64) return undefined;
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  const ranked = known
    .map((candidate) => ({ candidate, score: distance(plain(word), plain(candidate)) }))
    .filter(({ candidate, score }) => score <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.score - b.score);
  return ranked[0]?.candidate;
}
