// Text from outside on its way into a message: short, printable, and without secrets.

const LONGEST_TEXT = 200;

/** An object that guards a secret and shows it only when asked. */
export interface Secret {
  reveal(): string;
}

/** Makes text from outside fit to be shown. */
export type Redact = (text: string) => string;

const LEAST_TOKEN = 8;

/** Parts of a base URL's path that may be tokens, as some providers have them: long ones. Servers repeat paths in their errors. */
export function tokensOf(url: string | URL): string[] {
  const segments = new URL(url).pathname.split("/").filter((segment) => segment.length >= LEAST_TOKEN);
  return [...new Set(segments.flatMap((segment) => [segment, decoded(segment)]))];
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A stray % stands for itself.
    return segment;
  }
}

/**
 * Makes the function that every foreign text goes through before it becomes part of an error: control, format and other
 * unprintable characters become spaces, secrets become `***`, and what is longer than 200 characters is cut.
 */
export function redactor(secrets: readonly string[]): Redact {
  const longestFirst = secrets.filter((secret) => secret !== "").sort((a, b) => b.length - a.length);
  const mask = (text: string) => longestFirst.reduce((masked, secret) => masked.replaceAll(secret, "***"), text);
  return (text) => {
    // Masked before cutting, so that no half of a secret is left at the cut.
    const printable = mask(text)
      .replace(/[\p{C}\p{Z}]+/gu, " ")
      .trim();
    // Once more: a secret may only have come together when what stood between was taken out.
    const safe = mask(printable);
    return safe.length > LONGEST_TEXT ? `${[...safe].slice(0, LONGEST_TEXT).join("")}…` : safe;
  };
}
