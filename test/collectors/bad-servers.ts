// What servers that lie, or refuse requests, can do to the counters.
import { describe, expect, test } from "@jest/globals";
import type fc from "fast-check";
import {
  COUNTING,
  type Counting,
  changesOf,
  expectNet,
  type ModelExporter,
  sizeOf,
  transactionsOf,
} from "../support/model-exporter.ts";
import { assertStories, lies, type RunOptions, runStory, type Story, stories } from "../support/story.ts";

interface Kind extends RunOptions {
  readonly stories: fc.Arbitrary<Story>;
  readonly check: (result: ModelExporter, name: Counting) => void;
  /** What is not kept yet, with the reason. These tests fail when it is kept: then remove it here. */
  readonly notKept: Readonly<Partial<Record<Counting, string>>>;
}

const NO_AUDIT = "no collector has audits";

const KINDS: Readonly<Record<string, Kind>> = {
  "a lie about rows costs at most these rows, and stops nothing": {
    stories: lies("rows"),
    check: expectBounded,
    notKept: {},
  },
  "audits remove a lie about rows": {
    stories: lies("rows"),
    hours: 3,
    check: expectNet,
    notKept: { transactions: NO_AUDIT },
  },
  "a lie about the tip costs nothing": {
    stories: lies("tip"),
    check: expectNet,
    notKept: {},
  },
  "with one request of each poll accepted, everything is counted once": {
    stories: stories(2, false),
    allowance: 1,
    check: expectNet,
    notKept: {
      addresses: "a page and the transfers of its rows are two requests",
      transactions: "it reads its newest page first",
    },
  },
};

// There are never more microSTX.
const SUPPLY = 2n * 10n ** 15n;

/** At most the rows of the lie are wrong, and no amount is above the supply. */
function expectBounded(result: ModelExporter, name: Counting): void {
  const told = result.world.told.size;
  // A transaction has at most two events.
  const most = name === "contracts" ? 2 * told : told;
  const wrong = Number(changesOf(result, name).net - sizeOf(result, name));
  expect(Math.abs(wrong)).toBeLessThanOrEqual(most);
  const rows = BigInt(transactionsOf(result, name).length + told);
  for (const family of ["stacks_address_sent_microstx_total", "stacks_contract_call_fees_microstx_total"])
    expect(result.page.sum(family)).toBeLessThanOrEqual(SUPPLY * rows);
}

/** Defines the property tests, each with `numRuns` stories. */
export function testBadServers(numRuns: number): void {
  describe.each(Object.entries(KINDS))("%s", (_kind, { stories: of, check, notKept, ...options }) => {
    const holds = async (names: readonly Counting[], endOnFailure = false) => {
      const holdsIn = async (story: Story) => {
        const result = await runStory(story, { ...options, names });
        for (const name of names) check(result, name);
      };
      await assertStories(of, holdsIn, { seed: 20_261_123, numRuns, endOnFailure });
    };
    const kept = COUNTING.filter((name) => notKept[name] === undefined);
    if (kept.length > 0) test(kept.join(", "), () => holds(kept));
    for (const [name, reason] of Object.entries(notKept)) {
      test.failing(`not ${name}: ${reason}`, () => holds([name as Counting], true));
    }
  });
}
