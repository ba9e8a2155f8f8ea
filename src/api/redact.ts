// Text from outside on its way into a message: short, printable, and without the key.

const LONGEST_TEXT = 200;

/** An object that guards a secret and shows it only when asked. */
export interface Secret {
  reveal(): string;
}

/** Makes text from outside fit to be shown. */
export type Redact = (text: string) => string;

/**
 * Makes the function that every foreign text goes through before it becomes part of an error: control, format and other
 * unprintable characters become spaces, the key becomes `***`, and what is longer than 200 characters is cut.
 */
export function redactor(key: Secret | undefined): Redact {
  const secret = key?.reveal() ?? "";
  return (text) => {
    // Masked before cutting, so that no half of a key is left at the cut.
    const masked = secret === "" ? text : text.replaceAll(secret, "***");
    const printable = masked.replace(/[\p{C}\p{Z}]+/gu, " ").trim();
    // Once more: the key may only have come together when what stood between was taken out.
    const safe = secret === "" ? printable : printable.replaceAll(secret, "***");
    return safe.length > LONGEST_TEXT ? `${[...safe].slice(0, LONGEST_TEXT).join("")}…` : safe;
  };
}
