// Decodes the escapes of URLs, HTML and JSON at a place in a text. Characters are UTF-16 code units in lower case, as
// numbers: every log line passes through here.

/** A decoded character, and where the text continues after it. */
export interface Decoded {
  readonly character: number;
  readonly end: number;
}

// Escaped once, twice or three times. Every repetition is bounded: a server may send a text that is slow to match.
const DEPTHS = [0, 1, 2];
const ENTITY = String.raw`(?:#x0{0,6}(?<hex>[0-9a-f]{1,4})|#0{0,6}(?<decimal>\d{1,5})|(?<name>amp|lt|gt|quot|apos));`;
const [PERCENT, AMPERSAND, BACKSLASH] = [0x25, 0x26, 0x5c];
/** The escapes, by their first character. */
const ESCAPES: ReadonlyMap<number, readonly RegExp[]> = new Map([
  [PERCENT, DEPTHS.map((depth) => new RegExp(`%(?:25){${depth}}(?<hex>[0-7][0-9a-f])`, "iy"))],
  [AMPERSAND, DEPTHS.map((depth) => new RegExp(`&(?:amp;){${depth}}${ENTITY}`, "iy"))],
  [BACKSLASH, [/\\{1,8}(?:u(?<hex>[0-9a-f]{4})|(?<name>["/bfnrt]))/iy, /\\(?<name>\\)/y, /\\{3}(?<name>\\)/y]],
]);
const NAMED: Readonly<Record<string, string>> = {
  ...{ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" },
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" },
};

/** A code unit in lower case. */
export function lowerCase(code: number): number {
  if (code < 0x80) return code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
  return String.fromCharCode(code).toLowerCase().charCodeAt(0);
}

/** Whether the code unit is visible ASCII that begins no escape. */
export function isPlain(code: number): boolean {
  return code > 0x20 && code < 0x7f && code !== PERCENT && code !== AMPERSAND && code !== BACKSLASH;
}

/** White space, control characters and other invisible ones. They do not separate the characters around them. */
export function isInvisible(code: number): boolean {
  // Most characters are ASCII, and need no pattern.
  if (code < 0x7f) return code <= 0x20;
  return /^[\p{C}\p{Z}]$/u.test(String.fromCharCode(code));
}

/** Every way to decode the text at a place inside it: the character itself, and what an escape there stands for. */
export function decodedAt(text: string, at: number): readonly Decoded[] {
  const code = text.charCodeAt(at);
  const found = [{ character: lowerCase(code), end: at + 1 }];
  for (const pattern of ESCAPES.get(code) ?? []) {
    pattern.lastIndex = at;
    const groups = pattern.exec(text)?.groups;
    if (groups !== undefined) found.push({ character: lowerCase(characterOf(groups)), end: pattern.lastIndex });
  }
  return found;
}

function characterOf({ hex, decimal, name = "" }: Readonly<Record<string, string | undefined>>): number {
  if (hex !== undefined) return Number.parseInt(hex, 16);
  return decimal === undefined ? (NAMED[name.toLowerCase()] ?? name).charCodeAt(0) : Number(decimal);
}
