// The one redactor. Text that leaves the process (a log line, a page, an error) passes through it.
import { folded, isInvisible, isPlain, type Reading, readingsAt } from "./readings.ts";

/** An object that guards a secret and shows it only when asked. */
export interface Secret {
  reveal(): string;
}

/** Makes text from outside fit to be shown. */
export type Redact = (text: string) => string;

const MASK = "***";
const LONGEST_TEXT = 200;
/** Characters of a text from outside that are read: masking takes time, and at most 200 are shown. */
const LONGEST_READ = 4096;
/** Characters of a secret in a row that give too much of it away. No key and no token is shorter. */
const SHORTEST_RUN = 8;

/** A place in a secret, or in another form of it. */
interface Place {
  readonly form: readonly number[];
  readonly offset: number;
}

/**
 * Masks secrets: wherever 8 or more characters of one stand in a row, `***` replaces them. It does not matter whether the
 * secret is whole or cut, in which case it is, whether it is encoded for a URL, JSON, HTML or base64, and what invisible
 * characters stand between its characters.
 */
export class Redactor {
  // By the two characters that begin there: few places share them, so most positions of a text cost one look.
  readonly #places = new Map<number, Place[]>();

  /** Guards the secrets, and what may be a token in the paths of the URLs. */
  constructor(secrets: Iterable<Secret>, urls: Iterable<string | URL> = []) {
    const values = [...[...secrets].map((secret) => secret.reveal()), ...[...urls].flatMap(tokensOf)];
    for (const form of new Set(values.flatMap(formsOf))) this.#add(charactersOf(form));
  }

  #add(form: readonly number[]): void {
    const known = new Set<string>();
    for (let offset = 0; offset + SHORTEST_RUN <= form.length; offset += 1) {
      // Once is enough to find it, and a key of one repeated letter costs no more than others.
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
    let shownTo = 0;
    for (let at = 0; at < text.length; ) {
      const end = this.#endOfRun(text, at);
      if (end > at) {
        masked += text.slice(shownTo, at) + MASK;
        shownTo = end;
      }
      at = Math.max(at + 1, end);
    }
    return masked + text.slice(shownTo);
  }

  /** Text from outside as one printable line of at most 200 characters. Masked before it is cut. */
  excerpt(text: string): string {
    const line = this.mask(text.slice(0, LONGEST_READ))
      .replace(/[\p{C}\p{Z}]+/gu, " ")
      .trim();
    const characters = [...line.slice(0, 2 * LONGEST_TEXT + 2)];
    return characters.length > LONGEST_TEXT ? `${characters.slice(0, LONGEST_TEXT).join("")}…` : line;
  }

  // The end of the longest run that begins at a place of the text; 0 when none does.
  #endOfRun(text: string, at: number): number {
    const code = text.charCodeAt(at);
    const nextCode = text.charCodeAt(at + 1);
    if (isPlain(code) && isPlain(nextCode)) return this.#longest(text, folded(code), folded(nextCode), at + 2);
    let longest = 0;
    for (const first of readingsAt(text, at)) {
      if (isInvisible(first.character)) continue;
      for (const second of readingsAfter(text, [first.end])) {
        longest = Math.max(longest, this.#longest(text, first.character, second.character, second.end));
      }
    }
    return longest;
  }

  #longest(text: string, first: number, second: number, at: number): number {
    let longest = 0;
    for (const place of this.#places.get(pairOf(first, second)) ?? []) {
      longest = Math.max(longest, endOfRun(text, place, at));
    }
    return longest;
  }
}

const pairOf = (first = 0, second = 0): number => first * 0x10000 + second;

// Follows a secret through the text from its third character on, along every way to read the text; 0 when the run is short.
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

const NOWHERE: readonly number[] = [];

// Where the text goes on when it has this character next.
function endsAfter(text: string, places: readonly number[], character: number): readonly number[] {
  const [place] = places;
  if (places.length === 1 && place !== undefined && isPlain(text.charCodeAt(place))) {
    return folded(text.charCodeAt(place)) === character ? [place + 1] : NOWHERE;
  }
  const found = readingsAfter(text, places).filter((reading) => reading.character === character);
  return [...new Set(found.map((reading) => reading.end))];
}

// What can be read at these places, with or without the invisible characters there.
function readingsAfter(text: string, places: readonly number[]): readonly Reading[] {
  const seen = new Set(places);
  const readings: Reading[] = [];
  for (const place of seen) {
    if (place >= text.length) continue;
    for (const reading of readingsAt(text, place)) {
      readings.push(reading);
      if (isInvisible(reading.character)) seen.add(reading.end);
    }
  }
  return readings;
}

// A space of a secret is as invisible as any other.
function charactersOf(text: string): number[] {
  return Array.from({ length: text.length }, (_, at) => folded(text.charCodeAt(at))).filter(
    (code) => !isInvisible(code),
  );
}

function formsOf(secret: string): string[] {
  // Forms write a space as a plus sign.
  return [secret, secret.replaceAll(" ", "+"), ...base64FormsOf(secret)];
}

// Base64 of a longer text that holds the secret, such as `user:secret`, reads differently for each of the three places at
// which the secret can begin. The characters at both ends depend on the neighbours too, and are left out.
function base64FormsOf(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const text = bytes.toString("base64").replace(/=+$/, "");
    const stable = text.slice(Math.ceil((before * 4) / 3), bytes.length % 3 === 0 ? undefined : -1);
    return [stable, stable.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** Parts of a URL's path that may be tokens, as some providers have them: long ones. Servers repeat paths in their errors. */
function tokensOf(url: string | URL): string[] {
  const segments = new URL(url).pathname.split("/").filter((segment) => segment.length >= SHORTEST_RUN);
  return segments.flatMap((segment) => [segment, decoded(segment)]);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A stray % stands for itself.
    return segment;
  }
}
