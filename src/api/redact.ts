// Replaces secrets. Every text that leaves the process (a log line, a page, an error) passes through here.

/** Replacement of a secret. */
export const MASK = "***";
/** No key is shorter; masking shorter parts of a path would damage other words. */
const SHORTEST = 8;
const LONGEST = 200;

// One character, escaped or not. Without unbounded repetitions, so that the work is linear in the length of a text.
const CHARACTER =
  /(?:%|\\x)([0-9a-f]{2})|\\u([0-9a-f]{4})|&#x0{0,6}([0-9a-f]{1,4});|&#0{0,6}(\d{1,5});|&(amp|lt|gt|quot|apos);|(?:\\(?=["'\\/]))?(.)/gis;
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
// A transaction id, the hash of a block or a principal; else another long token.
const TOKEN =
  /((?:0x[0-9a-fA-F]{64}|S[PMTN][0-9A-HJKMNP-TV-Z]{26,39}(?:\.[a-zA-Z][\w-]{0,39})?)(?![\w%+-]))|[\w%+-]{24,}/g;

/**
 * Replaces secrets by `***`: as they are, in any case, and encoded for a URL, JSON or HTML, with `\x` or `\u`, in
 * hexadecimal, and in base64 at any offset.
 */
export class Redactor {
  #forms: readonly string[] = [];
  #secrets = /(?!)/g; // matches nothing

  constructor(secrets: readonly string[]) {
    this.learn(secrets);
  }

  /** Replaces these too from now on. */
  learn(secrets: readonly string[]): void {
    const forms = secrets.filter((secret) => secret.length >= SHORTEST).flatMap(formsOf);
    // The longest first: one secret can begin with another.
    this.#forms = [...new Set([...this.#forms, ...forms])].sort((a, b) => b.length - a.length);
    if (this.#forms.length > 0) this.#secrets = new RegExp(this.#forms.map(RegExp.escape).join("|"), "gi");
  }

  /** The text with `***` in place of every secret. */
  mask(text: string): string {
    const read = text.replace(this.#secrets, MASK);
    if (!/[%&\\]/.test(read)) return read;
    const { decoded, starts } = decode(read);
    let masked = "";
    let copiedTo = 0;
    for (const { 0: found, index } of decoded.matchAll(this.#secrets)) {
      masked += read.slice(copiedTo, starts[index]) + MASK;
      copiedTo = starts[index + found.length] ?? read.length;
    }
    return masked + read.slice(copiedTo);
  }

  /**
   * Text of a server as one printable line of at most 200 characters. Secrets are replaced before it is shortened, and
   * so is every other long token: it may be a secret of the server, or one in an unknown form.
   */
  excerpt(text: string): string {
    const line = this.mask(text).replace(/[\p{C}\p{Z}]+/gu, " ");
    const characters = [...line.trim().replace(TOKEN, (_, known: string | undefined) => known ?? MASK)];
    return characters.slice(0, LONGEST).join("") + (characters.length > LONGEST ? "…" : "");
  }
}

/** The text without escapes, and where each of its characters starts in the given text. */
function decode(text: string): { readonly decoded: string; readonly starts: readonly number[] } {
  const starts: number[] = [];
  const decoded = text.replace(CHARACTER, (_, byte, unit, hex = byte ?? unit, decimal, name, plain, start) => {
    starts.push(start);
    if (hex !== undefined || decimal !== undefined) return String.fromCharCode(Number(decimal ?? `0x${hex}`));
    return plain ?? NAMED[name.toLowerCase()];
  });
  return { decoded, starts };
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // Both with what looks like an escape in the secret itself.
  const forms = [secret, JSON.stringify(secret).slice(1, -1)].flatMap((text) => [text, decode(text).decoded]);
  // Forms of web pages encode the bytes of UTF-8, and a space as a plus sign.
  forms.push(bytes.toString("hex"), bytes.toString("latin1").replaceAll(" ", "+"));
  // Base64 of a longer text, such as `user:secret`, differs for each of the three offsets at which the secret can
  // begin. The characters at both ends depend on the neighbouring text too, and are left out.
  for (const before of [0, 1, 2]) {
    const text = Buffer.from("-".repeat(before) + secret);
    const stable = text.toString("base64url").slice(before && before + 1, text.length % 3 === 0 ? undefined : -1);
    forms.push(stable, stable.replaceAll("-", "+").replaceAll("_", "/"));
  }
  return forms;
}
