// Which of the known words somebody may have meant.

/** Number of characters to insert, delete or replace to turn one word into the other (Levenshtein). */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
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
