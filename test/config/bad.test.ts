import { describe, expect, test } from "@jest/globals";
import { dataOf } from "../support/data.ts";
import { errorsOf, PLANTED } from "./fixture.ts";

// A configuration with errors, and their messages.
interface BadConfiguration {
  readonly name: string;
  /** Whether the JSON Schema cannot find the error: it depends on the environment, on files or on other settings. */
  readonly unseen?: boolean;
  readonly text: string;
  readonly errors: string;
}

const cases = dataOf<readonly BadConfiguration[]>("bad.yaml", import.meta.url);

describe("a file with an error", () => {
  test.each(cases)("$name", async ({ text, errors }) => {
    const reported = await errorsOf(text);

    expect(`${reported.replaceAll("stacks-exporter.yaml:", "")}\n`).toBe(errors);
    expect(reported).not.toMatch(PLANTED);
  });

  test("that is not UTF-8", async () => {
    expect(await errorsOf(Uint8Array.of(0xff, 0xfe, 0x00))).toBe(
      "stacks-exporter.yaml: not valid YAML: not UTF-8 text",
    );
  });
});
