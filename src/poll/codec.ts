// Observations as text: JSON, in which amounts keep every digit.

/** The text of an observation, which is plain data: amounts are bigints, and what is undefined is left out. */
export function encode(observation: unknown): string {
  return JSON.stringify(observation, (_, value: unknown) =>
    typeof value === "bigint" ? { $bigint: String(value) } : value,
  );
}

/** The observation of a text that `encode` made. @throws SyntaxError when it is none */
export function decode(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) => (isAmount(value) ? BigInt(value.$bigint) : value));
}

function isAmount(value: unknown): value is { readonly $bigint: string } {
  if (typeof value !== "object" || value === null || !("$bigint" in value)) return false;
  // The key may also be a label value that came from outside; then it has a number beside it, never a text.
  return typeof value.$bigint === "string" && Object.keys(value).length === 1;
}
