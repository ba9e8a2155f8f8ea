// Alerts on the increase of a counter within the last hour. They are alike, and so are their scenarios.
import type { Scenario } from "../../support/promtool.ts";
import { isOfAddress, type Samples, scenariosOf } from "./read.ts";

interface More {
  /** Minimum increase. @default 1 */
  readonly min?: number;
}

/** The alert, its counter, and the minutes of `for`. An alert can have several counters. */
const HAPPENINGS: readonly (readonly [alert: string, counter: string, pending: number, more?: More])[] = [
  ["StacksChainBlocksSkipped", "skipped-blocks", 2],
  ["StacksContractEventsGap", "events-gap", 2],
  ["StacksContractEventsReverted", "reverted-events", 2],
  ["StacksContractEventsReverted", "reverted-calls", 2],
  ["StacksAddressContractDeployed", "transactions smart_contract success sent", 1],
  ["StacksAddressReverted", "reverted", 2],
  ["StacksSchemaDrift", "unexpected mempool_stats tx_ages missing", 10],
  ["StacksUpstreamRateLimited", "pauses", 2, { min: 3 }],
  ["StacksLabelOverflow", "calls other success", 2],
  ["StacksLabelOverflow", "ft-transfers other in", 2],
];

/** Every scenario of these alerts. */
export const totalScenarios: readonly Scenario[] = HAPPENINGS.flatMap(([alert, counter, pending, { min = 1 } = {}]) => {
  const ofAddress = isOfAddress(counter);
  /** The counter, and the address that it is of, which is on the page since the first or another minute. */
  const total = (samples: string, known = "1"): Samples => ({
    [counter]: samples,
    ...(ofAddress ? { sent: known } : {}),
  });
  const NEVER = "quiet to 290";
  // At 160 the last sample before the step has left the window.
  const once = `quiet 99 ${99 + pending}; firing ${100 + pending} 159; quiet 160 300`;
  const step = `7*100 ${7 + min}`;
  const appears = `none*100 ${min}`;
  const scenarios = {
    "it happened: fires as long as that is within the window": { ...total(step), expect: once },
    "quiet: nothing happens": { ...total("7"), expect: NEVER },
    "quiet: the counter is there with a past": { ...total("none*100 50", "none*100 1"), expect: NEVER },
    "quiet: the exporter restarts at zero": { ...total("50*100 gone*3 0", "1*100 gone*3 1"), expect: NEVER },
    "quiet: a gap of the scrapes": { ...total("50*100 gone*30 50", "1*100 gone*30 1"), expect: NEVER },
    "of two networks only one": { ...total(step), testnet: { [counter]: 7 }, expect: "firing 130" },
  };
  const ofMany = { "quiet: it happened too rarely": { ...total(`7*100 ${6 + min}`), expect: NEVER } };
  const firsts = {
    "it happened for the first time: the series appears": { ...total(appears), expect: once },
    "the series appears after the address, by less than the window": {
      ...total(appears, "none*50 1"),
      expect: `quiet ${109 + pending}; firing ${110 + pending} 159`,
    },
    "failed scrapes, an hour before and while it fires": {
      ...total(`${appears}*20 gone*4 ${min}`, "1*50 gone*4 1*66 gone*4 1"),
      expect: `firing ${100 + pending} 110 113 120 123 124; quiet 160 182 183`,
    },
    "quiet: the series of one address appears with the other address": {
      ...total(appears, "none*100 1"),
      "sent safe SP2": 1,
      expect: NEVER,
    },
  };
  const ofExporter = {
    "it happened for the first time: the series appears after the exporter": {
      ...total(appears),
      "api-up": 1,
      expect: once,
    },
  };
  const isOfEvents = counter.startsWith("unexpected");
  const more = { ...(min > 1 ? ofMany : {}), ...(ofAddress ? firsts : {}), ...(isOfEvents ? ofExporter : {}) };
  return scenariosOf(alert, { labels: { network: "mainnet" }, ...scenarios, ...more }, `${counter}: `);
});
