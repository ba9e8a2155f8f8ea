import { describe, expect, test } from "@jest/globals";
import { collectors } from "../../src/collectors/index.ts";
import { planNetwork, spanText } from "../../src/commands/estimate.ts";
import { networkOf, type Watched } from "./fixture.ts";

// biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of the file
const KEY = { api_key: "${KEY}" };

async function fitting(watched: Watched, settings: object = {}, ofCollectors: object = {}) {
  const { cure, notes } = planNetwork(await networkOf(watched, settings, ofCollectors));
  return { cure, notes };
}

test.each([
  ["without a key", {}],
  ["with a free key", KEY],
])("the defaults fit %s, also with one address and one contract", async (_, settings) => {
  expect(await fitting({}, settings)).toEqual({ cure: undefined, notes: [] });
  expect(await fitting({ addresses: 1, contracts: 1 }, settings)).toEqual({ cure: undefined, notes: [] });
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
    const { cure, notes } = await fitting({ addresses: 40 }, month, { ...few, addresses: { every: "5m" } });

    expect(cure).toBe("per_month >= 580320, or longer intervals");
    expect(notes).toEqual(["the budget allows addresses (40 targets) every 6m6s, not every 5m"]);
  });

  test("the same interval for another list, with the same slowdown, is a note", async () => {
    const { cure, notes } = await fitting({ addresses: 40, contracts: 40 }, KEY, { addresses: { every: "5m" } });

    expect(cure).toMatch(/^per_month >= \d+, or longer intervals$/);
    expect(notes).toEqual([
      expect.stringMatching(/^the budget allows addresses \(40 targets\) /),
      expect.stringMatching(/^the budget allows contracts /),
      expect.stringMatching(/^the budget allows contract_calls /),
    ]);
  });
});

test.each([
  [1000, "1s"],
  [361_000.4, "6m2s"],
  [3_599_000, "59m59s"],
  [3_600_000, "1h"],
  [3_601_000, "1h1s"],
  [170_940_000, "47h29m"],
])("%p ms are %s", (milliseconds, text) => {
  expect(spanText(milliseconds)).toBe(text);
});
