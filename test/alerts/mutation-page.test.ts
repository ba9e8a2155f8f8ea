import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { changesOf, nameOf } from "./changes.ts";
import { PAGE, readResults, render } from "./mutation-page.ts";
import { rules } from "./rules.ts";

test('docs/alert-tests.md has every rule, as it is now; for a changed one: "npm run mutate -- NAME"', () => {
  const results = readResults();

  expect(Object.fromEntries([...results].map(([name, { changes }]) => [name, changes]))).toEqual(
    Object.fromEntries(rules.map((rule) => [nameOf(rule), changesOf(rule).length])),
  );
  expect(readFileSync(PAGE, "utf8")).toBe(render(results));
});
