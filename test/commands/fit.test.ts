import { describe, expect, test } from "@jest/globals";
import { collectors } from "../../src/collectors/index.ts";
import { fitOf, spanText } from "../../src/commands/fit.ts";
import { networkOf, type Watched } from "./fixture.ts";

// biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of the file
const KEY = { api_key: "${KEY}" };

async function fitting(watched: Watched, settings: object = {}, ofCollectors: object = {}) {
  const network = await networkOf(watched, settings, ofCollectors);
  return fitOf(network, network.upstreams[0].budget);
}

describe("the defaults fit", () => {
  test.each([
    ["without a key", {}],
    ["with a free key", KEY],
  ])("%s, also with one address and one contract", async (_, settings) => {
    expect(await fitting({}, settings)).toEqual({ budgetError: undefined, notes: [] });
    expect(await fitting({ addresses: 1, contracts: 1 }, settings)).toEqual({ budgetError: undefined, notes: [] });
  });

  test("with a free key and 40 addresses, without a slowdown", async () => {
    expect(await fitting({ addresses: 40 }, KEY)).toEqual({ budgetError: undefined, notes: [] });
  });

  test("with any number of addresses: a default interval adapts to the budget, with a note", async () => {
    expect(await fitting({ addresses: 5000 }, KEY)).toEqual({
      budgetError: undefined,
      notes: [expect.stringMatching(/^the budget allows addresses \(5000 targets\) every \d+h\d+m, not every 1h$/)],
    });
  });
});

describe("does not fit:", () => {
  const month = { budget: { per_minute: 50, per_month: 500_000 } };
  // On average three requests per minute, and at most six in one minute.
  const few = Object.fromEntries(
    collectors
      .filter(({ targets }) => targets === undefined)
      .map(({ name }) => [name, ["fees", "mempool", "blocks"].includes(name) ? { every: "1m" } : { enabled: false }]),
  );

  test("a configured interval that exceeds the budget per month", async () => {
    const { budgetError, notes } = await fitting({ addresses: 40 }, month, { ...few, addresses: { every: "5m" } });

    expect(budgetError).toBe(
      "the budget allows addresses (40 targets) every 366s, not every 300s; " +
        "to fit: per_month >= 580320, or every >= 366s for addresses",
    );
    expect(notes).toEqual([]);
  });

  test("a configured interval that exceeds the budget per minute", async () => {
    const { budgetError } = await fitting(
      { addresses: 40 },
      { budget: { per_minute: 10 } },
      { addresses: { every: "5m" } },
    );

    expect(budgetError).toMatch(
      /^the budget allows addresses .*; to fit: per_minute >= \d+, or every >= \d+s for addresses$/,
    );
  });

  test("the same interval for another list, with the same slowdown, is a note", async () => {
    const { budgetError, notes } = await fitting({ addresses: 40, contracts: 40 }, KEY, { addresses: { every: "5m" } });

    expect(budgetError).toMatch(/^the budget allows addresses \(40 targets\) /);
    expect(notes).toEqual([
      expect.stringMatching(/^the budget allows contracts /),
      expect.stringMatching(/^the budget allows contract_calls /),
    ]);
  });

  test("a configured interval that would have to exceed one day", async () => {
    const { budgetError } = await fitting({ addresses: 5000 }, KEY, { addresses: { every: "1h" } });

    expect(budgetError).toMatch(/; to fit: per_month >= \d+$/);
  });

  test("collectors of the whole chain that exceed the budgets per minute and per month", async () => {
    const settings = { budget: { per_minute: 20, per_month: 150_000 } };
    const { budgetError } = await fitting({}, settings, { fees: { every: "2s" } });

    expect(budgetError).toMatch(
      /^the busiest minute needs \d+ requests, and the budget is 20; a month of 31 days needs \d+ requests, and the budget is 150000; to fit: per_minute >= \d+ and per_month >= \d+, or every >= \d+s for fees$/,
    );
  });

  test("collectors of the whole chain that leave no budget for watched targets", async () => {
    const alone = await fitting({}, { budget: { per_minute: 7 } }, few);
    const beside = await fitting({ addresses: 100 }, { budget: { per_minute: 7 } }, few);

    expect(alone.budgetError).toBeUndefined();
    expect(beside.budgetError).toMatch(
      /^the busiest minute needs 8 requests, and the budget is 7; to fit: per_minute >= 8/,
    );
  });
});

test.each([
  [1000, "1s"],
  [361_000.4, "362s"],
  [3_599_000, "3599s"],
  [3_600_000, "1h"],
  [3_601_000, "1h1m"],
  [170_940_000, "47h29m"],
])("%p ms are %s", (milliseconds, text) => {
  expect(spanText(milliseconds)).toBe(text);
});
