import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { Redactor } from "../../src/api/redact.ts";

const secretOf = (value: string) => ({ reveal: () => value });
const redactorOf = (...values: readonly string[]) => new Redactor(values.map(secretOf));

// Valid keys, with and without characters that need escaping.
const key = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{8,64}$/),
  fc.stringMatching(/^[0-9a-f]{32,64}$/),
  fc.stringMatching(/^[!-~][ -~]{6,60}[!-~]$/),
  fc
    .string({ minLength: 8, maxLength: 64, unit: fc.constantFrom(...'ab%\\"/&+4n ') })
    .filter((text) => text.trim() === text),
);
const around = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.string({ unit: fc.constantFrom(..."aA1%\\/+=&;u \n\u0000"), maxLength: 300 }),
  // Around the place where texts are cut.
  fc.integer({ min: 150, max: 260 }).map((length) => "x".repeat(length)),
  fc.integer({ min: 150, max: 260 }).map((length) => " \u0007".repeat(length)),
);

type Form = (secret: string, random: () => number) => string;
const percent = (character: string) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
const someOf = (encode: (character: string) => string) => (secret: string, random: () => number) =>
  [...secret].map((character) => (random() < 0.5 ? encode(character) : character)).join("");
const asJson = (text: string) => JSON.stringify(text).slice(1, -1);
const INVISIBLE = [" ", "\t", "\n", "\r\n", "\u0000", "\u001b", "\u007f", "\u200b", "\u2028", "\u00a0", "\ufeff"];
const anyCase: Form = (secret, random) =>
  [...secret].map((character) => (random() < 0.5 ? character.toUpperCase() : character.toLowerCase())).join("");
const separated: Form = (secret, random) =>
  [...secret].map((c) => (random() < 0.3 ? c + INVISIBLE[Math.floor(random() * INVISIBLE.length)] : c)).join("");

/** The forms that keep the secret readable for people. */
const FORMS: Readonly<Record<string, Form>> = {
  raw: (secret) => secret,
  "upper case": (secret) => secret.toUpperCase(),
  "any case": anyCase,
  "URL-encoded": (secret) => encodeURIComponent(secret),
  "URL-encoded in lower case": (secret) => encodeURIComponent(secret).toLowerCase(),
  "URL-encoded in part": someOf(percent),
  "URL-encoded twice": (secret) => encodeURIComponent(encodeURIComponent(secret)),
  "of a form": (secret) => new URLSearchParams([["", secret]]).toString().slice(1),
  "in JSON": asJson,
  "in JSON in JSON": (secret) => asJson(asJson(secret)),
  "in JSON of PHP": (secret) => asJson(secret).replaceAll("/", "\\/"),
  "in JSON with code units": someOf((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`),
  "in HTML": (secret) => secret.replace(/[&<>"'`]/g, (c) => `&#${c.charCodeAt(0)};`),
  "in HTML with names": (secret) =>
    secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
  "with invisible characters": separated,
  "with invisible characters, in JSON": (secret, random) => asJson(separated(secret, random)),
  "any case, with invisible characters, URL-encoded in part": (secret, random) =>
    someOf(percent)(separated(anyCase(secret, random), random).replace(/[^ -~]/g, " "), random),
};

/** Whether 8 characters of the secret in a row can be read in the text. */
function shows(text: string, secret: string): boolean {
  const plain = (part: string) => part.replace(/[\p{C}\p{Z}]/gu, "").toLowerCase();
  const readable = plain(text);
  const hidden = plain(secret);
  for (let at = 0; at + 8 <= hidden.length; at += 1) if (readable.includes(hidden.slice(at, at + 8))) return true;
  return false;
}

const randoms = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }));
const decodedUrl = (text: string) =>
  text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

test.each(Object.entries(FORMS))("8 characters of a secret are not shown %s, wherever the text is cut", (_, form) => {
  fc.assert(
    fc.property(key, around, around, randoms, (secret, before, after, numbers) => {
      fc.pre(secret.replaceAll(" ", "").length >= 8);
      const written = form(secret, () => numbers.next().value ?? 0);
      const redactor = redactorOf(secret);
      for (const text of [redactor.mask(before + written + after), redactor.excerpt(before + written + after)]) {
        expect(text).not.toContain(written);
        expect(shows(text, secret)).toBe(false);
        expect(shows(decodedUrl(text), secret)).toBe(false);
      }
    }),
    { numRuns: 100 },
  );
});

test("a secret in base64 is not shown, at any offset of the encoded text and wherever the text is cut", () => {
  const few = fc.string({ maxLength: 5 });
  fc.assert(
    fc.property(key, few, few, around, around, (secret, before, after, textBefore, textAfter) => {
      const redactor = redactorOf(secret);
      for (const encoding of ["base64", "base64url"] as const) {
        const written = Buffer.from(before + secret + after).toString(encoding);
        for (const escaped of [written, encodeURIComponent(written)]) {
          const masked = redactor.mask(escaped);
          expect(masked).toContain("***");
          expect(Buffer.from(decodedUrl(masked).replaceAll("***", ""), encoding).toString()).not.toContain(secret);
        }
        // Nor a part of it before the cut: 11 characters of base64 encode 8 of the secret.
        const excerpt = redactor.excerpt(`${textBefore}${written}${textAfter}`);
        const first = Math.ceil(((Buffer.byteLength(before) + 1) * 4) / 3);
        const end = Math.floor(((Buffer.byteLength(before + secret) - 1) * 4) / 3);
        for (let at = first; at + 11 <= end; at += 1) expect(excerpt).not.toContain(written.slice(at, at + 11));
      }
    }),
    { numRuns: 100 },
  );
});

test("a part of a secret is masked from 8 characters on", () => {
  const redactor = redactorOf("planted-key-0123456789");

  expect(redactor.mask("key planted-... or ...23456789, and planted")).toBe("key ***... or ...***, and planted");
});

test("the longer of two secrets is masked as a whole", () => {
  expect(redactorOf("planted-key", "planted-key-2").mask("planted-key-2 planted-key")).toBe("*** ***");
});

test("adjacent secrets, and one that repeats itself, are masked completely", () => {
  expect(redactorOf("aaaaaaab", "cccccccc").mask("aaaaaaabcccccccc aaaaaaaaaaaaab")).toBe("****** aaaaaa***");
  expect(redactorOf("k".repeat(4096)).mask("k".repeat(10_000))).toBe("***".repeat(3));
});

test("long parts of the path of a URL are masked, encoded and decoded", () => {
  const redactor = new Redactor(
    [],
    ["https://api.example/v9/t0ken-%2B4242/stacks", new URL("https://b.example/s3cond-token/")],
  );

  expect(redactor.mask("GET /v9/t0ken-%2B4242/stacks")).toBe("GET /v9/***/stacks");
  expect(redactor.mask("t0ken-+4242 or s3cond-token")).toBe("*** or ***");
});

test("secrets can be added", () => {
  const secret = (value: string) => ({ reveal: () => value });
  const redactor = new Redactor([secret("first-secret-value")]);
  redactor.learn([secret("second-secret-value")], ["https://api.example/token-in-the-path"]);

  expect(redactor.mask("first-secret-value second-secret-value token-in-the-path")).toBe("*** *** ***");
});

test("texts without a secret stay the same", () => {
  const texts = ["", "text", "\\ % &", "caf\u00e9 \u{1f600}", "\ud800"];
  for (const text of texts) {
    expect(new Redactor([]).mask(text)).toBe(text);
    expect(redactorOf("", "short", "planted-key").mask(text)).toBe(text);
  }
});

test.each([
  ["is printable", "a\r\n\u0007 b\u202e\u200bc\ud800", "a b c"],
  ["keeps a short text", "x".repeat(200), "x".repeat(200)],
  ["shortens a long text", "x".repeat(201), `${"x".repeat(200)}…`],
  ["is cut between characters, not code units", "\u{1f600}".repeat(300), `${"\u{1f600}".repeat(200)}…`],
  ["of a huge text is short", " ".repeat(1_000_000), ""],
])("an excerpt %s", (_, text, expected) => {
  expect(redactorOf("planted-key").excerpt(text)).toBe(expected);
});
