import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { errorsOf, PLANTED } from "./fixture.ts";

const folder = new URL("./bad/", import.meta.url);
const cases = readdirSync(folder)
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => name.replace(/\.yaml$/, ""));

describe("a file with an error", () => {
  test.each(cases)("%s", async (name) => {
    const text = readFileSync(new URL(`${name}.yaml`, folder));
    const expected = readFileSync(new URL(`${name}.txt`, folder), "utf8");

    const reported = await errorsOf(text);

    expect(`${reported}\n`).toBe(expected);
    expect(reported).not.toMatch(PLANTED);
  });

  test("every message has its file, and every file its message", () => {
    const texts = readdirSync(folder).filter((name) => name.endsWith(".txt"));

    expect(texts).toEqual(cases.map((name) => `${name}.txt`));
  });
});
