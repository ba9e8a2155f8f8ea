import { format, inspect } from "node:util";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { Redactor, Secret } from "../../src/config/secret.ts";

describe("a secret", () => {
  const secret = new Secret("planted-key");

  test.each([
    ["text", `${secret}`],
    ["JSON", JSON.stringify({ secret })],
    ["inspection", inspect({ secret }, { showHidden: true, depth: 9 })],
    ["format", format("%s %o %j", secret, secret, secret)],
    ["entries", JSON.stringify(Object.entries(secret))],
  ])("does not show in %s", (_, text) => {
    expect(text).not.toContain("planted-key");
  });

  test("is read by its one method", () => {
    expect(secret.reveal()).toBe("planted-key");
  });
});

describe("the redactor", () => {
  const key = fc.string({ minLength: 8, maxLength: 64, unit: "binary-ascii" }).filter((text) => /^[!-~]+$/.test(text));
  const printable = fc.stringMatching(/^[!-~]{8,40}$/);

  test("masks a secret in the forms that it takes on its way out", () => {
    fc.assert(
      fc.property(fc.oneof(key, printable), fc.string(), (value, before) => {
        const redactor = new Redactor([new Secret(value)]);
        const hidden = (text: string, form: string) => expect(redactor.mask(text)).not.toContain(form);
        hidden(`${before}${value}`, value);
        const encoded = encodeURIComponent(value);
        hidden(`https://host/?key=${encoded}`, encoded);
        const quoted = JSON.stringify({ value });
        hidden(quoted, JSON.stringify(value));
      }),
    );
  });

  test("masks a secret inside base64, wherever it begins", () => {
    fc.assert(
      fc.property(printable, fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }), (value, before, after) => {
        const redactor = new Redactor([new Secret(value)]);
        for (const encoding of ["base64", "base64url"] as const) {
          const text = Buffer.from(`${before}${value}${after}`).toString(encoding);
          const left = Buffer.from(redactor.mask(text).replaceAll("***", ""), encoding).toString();
          expect(redactor.mask(text)).toContain("***");
          expect(left).not.toContain(value);
        }
      }),
    );
  });

  test("masks the longer of two secrets as a whole", () => {
    const redactor = new Redactor([new Secret("planted-key"), new Secret("planted-key-2")]);

    expect(redactor.mask("planted-key-2 planted-key")).toBe("*** ***");
  });

  test("leaves texts alone when there is no secret", () => {
    expect(new Redactor([]).mask("text")).toBe("text");
    expect(new Redactor([new Secret("")]).mask("text")).toBe("text");
  });
});
