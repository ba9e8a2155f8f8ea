// What stands at a place of a text: the character itself, and what an escape there decodes to. Characters are UTF-16 code
// units in lower case, as numbers: a text is read once for every log line.

/** A character, and where the text goes on after it. */
export interface Reading {
  readonly character: number;
  readonly end: number;
}

// Escaped never, once or twice. Every repetition has a bound: the text may come from a server that wants to keep us busy.
const DEPTHS = [0, 1, 2];
const ENTITY = String.raw`(?:#x0{0,6}(?<hex>[0-9a-f]{1,4})|#0{0,6}(?<decimal>\d{1,5})|(?<name>amp|lt|gt|quot|apos));`;
const [PERCENT, AMPERSAND, BACKSLASH] = [0x25, 0x26, 0x5c];
/** The escapes of URLs, HTML and JSON, by the character that they begin with. */
const ESCAPES: ReadonlyMap<number, readonly RegExp[]> = new Map([
  [PERCENT, DEPTHS.map((depth) => new RegExp(`%(?:25){${depth}}(?<hex>[0-7][0-9a-f])`, "iy"))],
  [AMPERSAND, DEPTHS.map((depth) => new RegExp(`&(?:amp;){${depth}}${ENTITY}`, "iy"))],
  [BACKSLASH, [/\\{1,8}(?:u(?<hex>[0-9a-f]{4})|(?<name>["/bfnrt]))/iy, /\\(?<name>\\)/y, /\\{3}(?<name>\\)/y]],
]);
const NAMED: Readonly<Record<string, string>> = {
  ...{ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" },
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" },
};

/** A code unit as it is compared: in lower case. */
export function folded(code: number): number {
  if (code < 0x80) return code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
  return String.fromCharCode(code).toLowerCase().charCodeAt(0);
}

/** Whether the code unit is one of those that stand for themselves only and are printed. */
export function isPlain(code: number): boolean {
  return code > 0x20 && code < 0x7f && code !== PERCENT && code !== AMPERSAND && code !== BACKSLASH;
}

/** White space, control characters and others that cannot be seen: they do not part the characters around them. */
export function isInvisible(code: number): boolean {
  // Most characters are ASCII, and need no pattern.
  if (code < 0x7f) return code <= 0x20;
  return /^[\p{C}\p{Z}]$/u.test(String.fromCharCode(code));
}

/** Every way to read the text at a place that is inside the text. */
export function readingsAt(text: string, at: number): readonly Reading[] {
  const code = text.charCodeAt(at);
  const readings = [{ character: folded(code), end: at + 1 }];
  for (const pattern of ESCAPES.get(code) ?? []) {
    pattern.lastIndex = at;
    const groups = pattern.exec(text)?.groups;
    if (groups !== undefined) readings.push({ character: folded(decoded(groups)), end: pattern.lastIndex });
  }
  return readings;
}

function decoded({ hex, decimal, name = "" }: Readonly<Record<string, string | undefined>>): number {
  if (hex !== undefined) return Number.parseInt(hex, 16);
  return decimal === undefined ? (NAMED[name.toLowerCase()] ?? name).charCodeAt(0) : Number(decimal);
}
