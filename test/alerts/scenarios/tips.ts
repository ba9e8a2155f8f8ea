// Alerts on a tip that does not change. Timestamps are Unix time; the clock of promtool starts at 0.
import type { Scenario } from "../../support/promtool.ts";
import { scenariosOf } from "./read.ts";

/** The alert, its timestamp, and the limit of the age with the interval of two minutes, in minutes. */
const TIPS = [
  ["StacksChainTipStale", "tip", 12],
  ["StacksBurnTipStale", "burn-tip", 92],
] as const;

/** Every scenario of these alerts. */
export const tipScenarios: readonly Scenario[] = TIPS.flatMap(([alert, time, after]) => {
  const stops = 60 * (after + 60);
  const down = { "last-success blocks": "0+60*21 1200", expect: "quiet to 300" };
  return scenariosOf(alert, {
    labels: { network: "mainnet" },
    given: { "last-success blocks": "0+60", "interval blocks": 120 },
    // At minute 20 + after, its age is exactly the limit.
    "it fires five minutes after the limit, and for five minutes after a change": {
      [time]: `0+60*20 1200*${after + 40} ${stops}+60`,
      expect: `quiet 0 20 ${after + 25}; firing ${after + 26} ${after + 60} ${after + 64}; quiet ${after + 65} ${after + 80}`,
    },
    "quiet: exactly at the limit": { [time]: `${-after * 60}+60`, expect: "quiet to 200" },
    "just above the limit": { [time]: `${-after * 60 - 1}+60`, expect: "firing 5 100" },
    "quiet: it changes": { [time]: "0+60", expect: "quiet to 250" },
    "quiet: the API is down, and the value is still exposed": { [time]: "0+60*20 1200", ...down },
    "quiet: the API is down, and the value is absent": { [time]: "0+60*20 1200*6 gone", ...down },
    // The interval is ten minutes and the last success at 0: it ends at minute 25, and keeps firing for five more.
    "it ends when the last success is two and a half intervals old": {
      [time]: -after * 60 - 3600,
      "last-success blocks": 0,
      "interval blocks": 600,
      expect: "quiet 4; firing 5 24 29; quiet 30 100",
    },
    "polls every ten seconds, which are scraped every minute": {
      [time]: 0,
      "last-success blocks": "-8+60",
      "interval blocks": 10,
      every: 0.25,
      expect: `firing ${after + 6} ${after + 20}`,
    },
    "the success of another collector does not count": {
      [time]: 0,
      "last-success blocks": 0,
      "last-success fees": "0+60",
      "interval fees": 30,
      expect: "quiet to 290",
    },
    "with two networks, only the one without a change fires": {
      [time]: 0,
      testnet: { [time]: "0+60" },
      expect: `firing ${after + 6} ${after + 20}`,
    },
  });
});
