import { afterEach, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { Redactor } from "../../src/api/redact.ts";

const redactorOf = (...values: readonly string[]) => new Redactor(values);

afterEach(() => {
  jest.restoreAllMocks();
});

// Valid keys, with and without characters that need escaping.
const key = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{8,64}$/),
  fc.stringMatching(/^[0-9a-f]{32,64}$/),
  fc.stringMatching(/^[!-~][ -~]{6,60}[!-~]$/),
);
const around = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.string({ unit: fc.constantFrom(..."aA1 +=;,\n\u0000"), maxLength: 300 }),
  // Around the place where excerpts are cut.
  fc.integer({ min: 60, max: 80 }).map((words) => "no ".repeat(words)),
);

const asJson = (text: string) => JSON.stringify(text).slice(1, -1);
const hexOf = (character: string, digits: number) => character.charCodeAt(0).toString(16).padStart(digits, "0");
const each = (encode: (character: string) => string) => (secret: string) => [...secret].map(encode).join("");

const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  "as it is": (secret) => secret,
  "in upper case": (secret) => secret.toUpperCase(),
  "in lower case": (secret) => secret.toLowerCase(),
  "URL-encoded": encodeURIComponent,
  "URL-encoded in lower case": (secret) => encodeURIComponent(secret).toLowerCase(),
  "URL-encoded as a whole": each((c) => `%${hexOf(c, 2)}`),
  "of a form": (secret) => new URLSearchParams([["", secret]]).toString().slice(1),
  "in JSON": asJson,
  "in JSON of PHP": (secret) => asJson(secret).replaceAll("/", "\\/"),
  "with \\u": each((c) => `\\u${hexOf(c, 4)}`),
  "with \\x": each((c) => `\\x${hexOf(c, 2)}`),
  "in hexadecimal": (secret) => Buffer.from(secret).toString("hex"),
  "in hexadecimal in upper case": (secret) => Buffer.from(secret).toString("hex").toUpperCase(),
  "in HTML": (secret) => secret.replace(/[&<>"'`]/g, (c) => `&#${c.charCodeAt(0)};`),
  "in HTML with names": (secret) =>
    secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
  "in HTML in hexadecimal": each((c) => `&#x${hexOf(c, 4)};`),
};

test.each(Object.entries(FORMS))("a secret %s is not shown, wherever the text is cut", (_, form) => {
  fc.assert(
    fc.property(key, around, around, (secret, before, after) => {
      const written = form(secret);
      // Words such as __proto__ are frequent in both.
      fc.pre(![before, after].some((text) => text.includes(written.slice(0, 8))));
      const redactor = redactorOf(secret);

      expect(redactor.mask(`${before} ${written} ${after}`)).not.toContain(written);
      // A part of an escape can remain beside a secret that begins or ends with one, or with an escaped character.
      expect(redactor.mask(written)).toMatch(/^\\?\*\*\*.{0,4}$/);
      expect(redactor.excerpt(`${before} ${written} ${after}`)).not.toContain(written.slice(0, 8));
    }),
    { numRuns: 100 },
  );
});

test("a secret in base64 is not shown, at any offset of the encoded text", () => {
  const few = fc.string({ maxLength: 5 });
  fc.assert(
    fc.property(key, few, few, (secret, before, after) => {
      const redactor = redactorOf(secret);
      for (const encoding of ["base64", "base64url"] as const) {
        const written = Buffer.from(before + secret + after).toString(encoding);
        for (const escaped of [written, encodeURIComponent(written), written.replaceAll("/", "\\/")]) {
          const masked = redactor.mask(escaped);
          expect(masked).toContain("***");
          // What is left are the characters around it, with at most 6 bits of the secret at each end.
          expect(decodeURIComponent(masked).replaceAll("\\/", "/").length).toBeLessThanOrEqual(
            written.length - Math.floor((Buffer.byteLength(secret) * 4) / 3) + "***".length + 2,
          );
        }
      }
    }),
    { numRuns: 100 },
  );
});

test("a password with other characters is not shown in a URL", () => {
  expect(redactorOf("schlüssel-42").mask(`schlüssel-42, ${encodeURIComponent("schlüssel-42")}`)).toBe("***, ***");
});

test("the longer of two secrets is masked as a whole", () => {
  expect(redactorOf("planted-key", "planted-key-2").mask("planted-key-2 planted-key")).toBe("*** ***");
});

test("escapes around a secret stay", () => {
  expect(redactorOf("planted-key").mask("%20 a\\nplanted%2Dkey\\n &amp; \\")).toBe("%20 a\\n***\\n &amp; \\");
  expect(redactorOf("a%41bcdefgh/").mask("a%41bcdefgh/ a%41bcdefgh%2F a%2541bcdefgh%2F")).toBe("*** *** ***");
});

test("an encoded part of a URL is masked, encoded and decoded", () => {
  expect(redactorOf("t0ken-%2B4242").mask("GET /v9/t0ken-%2B4242/stacks, t0ken-+4242")).toBe("GET /v9/***/stacks, ***");
});

test("secrets can be added", () => {
  const redactor = redactorOf("first-secret-value");
  redactor.learn(["second-secret-value"]);

  expect(redactor.mask("first-secret-value second-secret-value")).toBe("*** ***");
});

test("texts without a secret stay the same", () => {
  const texts = ["", "text", "\\ % & %41 \\u0041 &#65;", "caf\u00e9 \u{1f600}", "\ud800", "x".repeat(100)];
  for (const text of texts) {
    expect(new Redactor([]).mask(text)).toBe(text);
    expect(redactorOf("", "short", "planted-key").mask(text)).toBe(text);
  }
});

test("the steps for a text grow with its length and not faster", () => {
  const redactor = redactorOf("planted-key", "\\".repeat(64), "%25".repeat(64));
  const match = jest.spyOn(RegExp.prototype, "exec");
  const stepsOf = (text: string) => {
    match.mockClear();
    redactor.excerpt(text);
    return match.mock.calls.length;
  };
  for (const part of ["\\", "%", "&#0", "%25", "\\u005c", "&amp;", "a", "a "]) {
    const [few, many] = [10_000, 100_000].map((length) => stepsOf(part.repeat(length / part.length)));
    expect(many).toBeLessThan(10.5 * (few ?? 0));
    expect(many).toBeLessThan(300_000);
  }
});

const ID = `0x${"a1".repeat(32)}`;
const ADDRESS = "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7";

test.each([
  ["is printable", "a\r\n\u0007 b\u202e\u200bc\ud800", "a b c"],
  ["keeps a short text", "no ".repeat(66), "no ".repeat(66).trim()],
  ["shortens a long text", "no ".repeat(67), `${"no ".repeat(66)}no`],
  ["shortens a longer text", "no ".repeat(68), `${"no ".repeat(66)}no…`],
  ["is cut between characters, not code units", "\u{1f600}".repeat(300), `${"\u{1f600}".repeat(200)}…`],
  ["of a huge text is short", " ".repeat(1_000_000), ""],
  ["has no long token", `bad token ${"t0ken-".repeat(4)}!`, "bad token ***!"],
  ["has tokens of 23 characters", `${"t".repeat(23)} and ${"t".repeat(24)}`, `${"t".repeat(23)} and ***`],
  ["has no part of a token at the cut", `${"no ".repeat(63)}${"t0ken-".repeat(20)}`, `${"no ".repeat(63)}***`],
  ["has no part of a secret at the cut", `${"no ".repeat(66)}planted-key`, `${"no ".repeat(66)}**…`],
  ["keeps a transaction id, or the hash of a block", `cannot find ${ID}.`, `cannot find ${ID}.`],
  ["keeps a principal", `/v1/${ADDRESS}/stx ${ADDRESS}.a-contract-with-a-long-name`, undefined],
  ["has no token that only begins like an id", `${ID}a1 a${ID} ${ADDRESS}0123`, "*** *** ***"],
  ["keeps the path of an operation", "Route GET:/extended/v2/mempool/stats not found", undefined],
])("an excerpt %s", (_, text, expected) => {
  expect(redactorOf("planted-key").excerpt(text)).toBe(expected ?? text);
});
