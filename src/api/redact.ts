// Masks secrets. Every text that leaves the process (a log line, a page, an error) passes through here, so characters
// are numbers: UTF-16 code units in lower case.

/** A secret that is shown only on request. */
export interface Secret {
  reveal(): string;
}

/** Replacement of a secret. */
export const MASK = "***";
const LONGEST_TEXT = 200;
/** Characters of an excerpt that are read at all: masking takes time. */
const LONGEST_READ = 4096;
/** Consecutive characters of a secret that are masked. No key and no token is shorter. */
const SHORTEST_RUN = 8;

/** A place in one form of a secret. */
interface Place {
  readonly form: readonly number[];
  readonly offset: number;
}

/**
 * Masks secrets: `***` replaces 8 or more consecutive characters of one. The secret may be whole or cut, in upper or
 * lower case, encoded for a URL, JSON, HTML or base64, and with invisible characters between its characters.
 */
export class Redactor {
  // By the two characters at the place: few places share them, so most positions of a text take one look-up.
  readonly #places = new Map<number, Place[]>();
  readonly #forms = new Set<string>();

  /** @param urls their paths may hold tokens, which are masked too. */
  constructor(secrets: Iterable<Secret>, urls: Iterable<string | URL> = []) {
    this.learn(secrets, urls);
  }

  /** Masks these too from now on. */
  learn(secrets: Iterable<Secret>, urls: Iterable<string | URL>): void {
    const values = [...[...secrets].map((secret) => secret.reveal()), ...[...urls].flatMap(tokensOf)];
    for (const form of values.flatMap(formsOf)) {
      if (this.#forms.has(form)) continue;
      this.#forms.add(form);
      this.#add(charactersOf(form));
    }
  }

  #add(form: readonly number[]): void {
    const known = new Set<string>();
    for (let offset = 0; offset + SHORTEST_RUN <= form.length; offset += 1) {
      // Each run once, so that a key of one repeated letter costs no more than others.
      const run = form.slice(offset, offset + SHORTEST_RUN).join();
      if (known.has(run)) continue;
      known.add(run);
      const start = pairOf(form[offset], form[offset + 1]);
      const places = this.#places.get(start);
      if (places === undefined) this.#places.set(start, [{ form, offset }]);
      else places.push({ form, offset });
    }
  }

  /** The text with `***` in place of every secret. */
  mask(text: string): string {
    if (this.#places.size === 0) return text;
    let masked = "";
    let copiedTo = 0;
    for (let at = 0; at < text.length; ) {
      const end = this.#endOfSecret(text, at);
      if (end > at) {
        masked += text.slice(copiedTo, at) + MASK;
        copiedTo = end;
      }
      at = Math.max(at + 1, end);
    }
    return masked + text.slice(copiedTo);
  }

  /** Text of a server as one printable line of at most 200 characters. It is masked before it is shortened. */
  excerpt(text: string): string {
    const line = this.mask(text.slice(0, LONGEST_READ))
      .replace(/[\p{C}\p{Z}]+/gu, " ")
      .trim();
    const characters = [...line.slice(0, 2 * LONGEST_TEXT + 2)];
    return characters.length > LONGEST_TEXT ? `${characters.slice(0, LONGEST_TEXT).join("")}…` : line;
  }

  // The end of the longest part of a secret that begins at a place of the text; 0 when none does.
  #endOfSecret(text: string, at: number): number {
    const code = text.charCodeAt(at);
    const nextCode = text.charCodeAt(at + 1);
    if (isPlain(code) && isPlain(nextCode)) return this.#longest(text, lowerCase(code), lowerCase(nextCode), at + 2);
    let longest = 0;
    for (const first of decodedAt(text, at)) {
      if (isInvisible(first.character)) continue;
      for (const second of decodedAfter(text, [first.end])) {
        longest = Math.max(longest, this.#longest(text, first.character, second.character, second.end));
      }
    }
    return longest;
  }

  #longest(text: string, first: number, second: number, at: number): number {
    const places = this.#places.get(pairOf(first, second)) ?? [];
    return places.reduce((longest, place) => Math.max(longest, endOfRun(text, place, at)), 0);
  }
}

const pairOf = (first = 0, second = 0): number => first * 0x10000 + second;

// Follows a secret through the text from its third character on, along every way to decode it; 0 when the run is short.
function endOfRun(text: string, { form, offset }: Place, at: number): number {
  let ends: readonly number[] = [at];
  let end = 0;
  for (let index = offset + 2; index < form.length; index += 1) {
    ends = endsAfter(text, ends, form[index] as number);
    if (ends.length === 0) break;
    if (index - offset + 1 >= SHORTEST_RUN) end = Math.max(...ends);
  }
  return end;
}

// Position at which the text continues after this character.
function endsAfter(text: string, places: readonly number[], character: number): readonly number[] {
  const found = decodedAfter(text, places).filter((decoded) => decoded.character === character);
  return [...new Set(found.map(({ end }) => end))];
}

// The text at these places, with or without its invisible characters.
function decodedAfter(text: string, places: readonly number[]): readonly Decoded[] {
  const seen = new Set(places);
  const found: Decoded[] = [];
  for (const place of seen) {
    if (place >= text.length) continue;
    for (const decoded of decodedAt(text, place)) {
      found.push(decoded);
      if (isInvisible(decoded.character)) seen.add(decoded.end);
    }
  }
  return found;
}

// Without the invisible characters: those of the text are skipped too.
function charactersOf(text: string): number[] {
  const codes = Array.from({ length: text.length }, (_, at) => lowerCase(text.charCodeAt(at)));
  return codes.filter((code) => !isInvisible(code));
}

function formsOf(secret: string): string[] {
  // HTML forms encode a space as a plus sign.
  return [secret, secret.replaceAll(" ", "+"), ...base64FormsOf(secret)];
}

// Base64 of a longer text that holds the secret, such as `user:secret`, differs for each of the three offsets at
// which the secret can begin. The characters at both ends depend on the neighbouring text too, and are left out.
function base64FormsOf(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const text = bytes.toString("base64").replace(/=+$/, "");
    const stable = text.slice(Math.ceil((before * 4) / 3), bytes.length % 3 === 0 ? undefined : -1);
    return [stable, stable.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

// Long parts of a URL's path: some providers put a token there, and servers repeat paths in their errors.
function tokensOf(url: string | URL): string[] {
  const segments = new URL(url).pathname.split("/").filter((segment) => segment.length >= SHORTEST_RUN);
  return segments.flatMap((segment) => [segment, decodedSegment(segment)]);
}

function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // a stray % stands for itself
  }
}

/** A decoded character, and where the text continues after it. */
interface Decoded {
  readonly character: number;
  readonly end: number;
}

// Escaped once, twice or three times. Every repetition is bounded: a server may send a text that is slow to match.
const DEPTHS = [0, 1, 2];
const ENTITY = String.raw`(?:#x0{0,6}(?<hex>[0-9a-f]{1,4})|#0{0,6}(?<decimal>\d{1,5})|(?<name>amp|lt|gt|quot|apos));`;
/** The escapes of URLs, HTML and JSON, by their first character. */
const ESCAPES: ReadonlyMap<number, readonly RegExp[]> = new Map([
  [0x25, DEPTHS.map((depth) => new RegExp(`%(?:25){${depth}}(?<hex>[0-7][0-9a-f])`, "iy"))],
  [0x26, DEPTHS.map((depth) => new RegExp(`&(?:amp;){${depth}}${ENTITY}`, "iy"))],
  [0x5c, [/\\{1,8}(?:u(?<hex>[0-9a-f]{4})|(?<name>["/bfnrt]))/iy, /\\(?<name>\\)/y, /\\{3}(?<name>\\)/y]],
]);
const NAMED: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** A code unit in lower case. */
function lowerCase(code: number): number {
  if (code < 0x80) return code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
  return String.fromCharCode(code).toLowerCase().charCodeAt(0);
}

/** Whether the code unit is visible ASCII that begins no escape. */
const isPlain = (code: number): boolean => code > 0x20 && code < 0x7f && !ESCAPES.has(code);

/** White space, control characters and other invisible ones. They do not separate the characters around them. */
function isInvisible(code: number): boolean {
  // Most characters are ASCII, and need no pattern.
  if (code < 0x7f) return code <= 0x20;
  return /^[\p{C}\p{Z}]$/u.test(String.fromCharCode(code));
}

/** Every way to decode the text at a place inside it: the character itself, and what an escape there stands for. */
function decodedAt(text: string, at: number): readonly Decoded[] {
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
