import { expect, test } from "@jest/globals";
import { isSelected, matchesName } from "../../src/exposition/selection.ts";

test.each([
  ["stacks_up", "stacks_up", true],
  ["stacks_up", "stacks_up_more", false],
  ["up", "stacks_up", false],
  ["*up", "stacks_up", true],
  ["stacks_*_total", "stacks_a_b_total", true],
  ["stacks_*_total", "stacks_total", false],
  ["stacks_*", "stacks_", true],
  ["*", "stacks_up", true],
  ["stacks.up", "stacks_up", false],
])("%s matches %s: %p", (pattern, name, matches) => {
  expect(matchesName(pattern, name)).toBe(matches);
});

test("a family is selected that is allowed and not denied", () => {
  const is = isSelected({ allow: ["stacks_*"], deny: ["stacks_address_*", "stacks_up"] });

  expect(["stacks_info", "stacks_up", "stacks_address_info", "process_cpu"].map(is)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
