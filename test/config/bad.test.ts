import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { errorsOf, PLANTED } from "./fixture.ts";

const folder = new URL("./bad/", import.meta.url);
const cases = readdirSync(folder)
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => name.replace(/\.yaml$/, ""));

describe("a file with a mistake", () => {
  test.each(cases)("%s", async (name) => {
    const text = readFileSync(new URL(`${name}.yaml`, folder));
    const expected = readFileSync(new URL(`${name}.txt`, folder), "utf8");

    const told = await errorsOf(text);

    expect(`${told}\n`).toBe(expected);
    expect(told).not.toMatch(PLANTED);
  });

  test("every message has its file, and every file its message", () => {
    const texts = readdirSync(folder).filter((name) => name.endsWith(".txt"));

    expect(texts).toEqual(cases.map((name) => `${name}.txt`));
  });
});
