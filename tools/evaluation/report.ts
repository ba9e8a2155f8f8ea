// docs/fee-alerts.md: rules and quality of the fee alerts. Written by `npm run eval`.
import { FEES } from "../../alerts/thresholds.ts";
import { evaluateAll, sum } from "./evaluate.ts";
import { delay } from "./score.ts";
import { seedsOf } from "./seeds.ts";
import { aimTable, explanationTable, mistakeTable, scoreTable, unionTable, whole } from "./tables.ts";
import { DAYS, TRAINING_DAYS } from "./trace.ts";
import { type Regime, WORLD, type World } from "./world.ts";
import { OTHER_WORLDS } from "./worlds.ts";

/** Evaluates the alerts and renders the page. Without date or host, so that equal code gives equal bytes. */
export async function reportPage(): Promise<string> {
  const markets = (seeds: readonly string[], regime: Regime, world?: World) =>
    seeds.map((seed) => ({ seed, regime, world }));
  const seeds = seedsOf("reporting");
  const worldSeeds = seedsOf("worlds");
  const allWorlds = [{ what: "as above, on these seeds", world: undefined }, ...OTHER_WORLDS];
  const groups = [
    markets(seeds, "small"),
    markets(seeds, "large"),
    ...allWorlds.map(({ world }) => [...markets(worldSeeds, "small", world), ...markets(worldSeeds, "large", world)]),
  ];
  const evaluations = await evaluateAll(groups.flat());
  const [small, large, ...sums] = groups.map(({ length }) => sum(evaluations.splice(0, length)));
  if (small === undefined || large === undefined) throw new Error("no traces were played");
  const both = sum([small, large]);
  const worlds = sums.map((evaluation, index) => [allWorlds[index]?.what ?? "", evaluation] as const);
  const { spike, elevated, backlog, topHeavy, stuckCluster, baseline, windows, blockUsage } = FEES;
  const gatedUnion = both.views.gated.scores.union;
  const { events, days } = gatedUnion;
  const wrong = (cause: string) => both.views.gated.mistakes.get(cause)?.wrong ?? 0;
  return `<!-- Written by "npm run eval". Do not edit. -->

# Fee alerts: rules and quality

## Rules

The exporter exposes the percentiles of the fees of *waiting* transactions. The price of inclusion is different: it is
the cheapest fee that still gets into a block, and next to nothing while blocks have room. The alerts estimate whether
the price of inclusion has risen.

- The **fee ratio** is priority \`low\` (the median fee of all waiting transactions), divided by its usual level: the
  median of the last ${baseline.window}.
- The **backlog ratio** is the number of waiting transactions, divided by its usual level.
- The **use of blocks** is the rate of \`stacks_chain_execution_cost_total\` over ${blockUsage.windows.fast} (slow: ${blockUsage.windows.slow}), multiplied by the usual
  length of a tenure (${blockUsage.tenure}) and divided by the limit of a tenure. If it is unknown (without the collector \`blocks\`), the
  alerts ignore it and are less accurate.

| Alert | Condition | for | Meaning |
| --- | --- | --- | --- |
| StacksFeeSpike | fee ratio (over ${windows.fast}) > ${spike.feeRatio}, backlog ratio > ${spike.backlogRatio}, at least ${spike.leastWaiting} wait, use of blocks > ${blockUsage.roomUpTo.fast} or unknown | ${spike.for} | inclusion costs far more than usual |
| StacksFeeElevated | fee ratio (over ${windows.slow}) > ${elevated.feeRatio}, backlog ratio > ${elevated.backlogRatio}, at least ${elevated.leastWaiting} wait, slow use of blocks > ${blockUsage.roomUpTo.slow} or unknown | ${elevated.for} | fees have been high for a while |
| StacksMempoolBacklog | backlog ratio > ${backlog.backlogRatio}, at least ${backlog.leastWaiting} wait, slow use of blocks > ${blockUsage.roomUpTo.slow} or unknown | ${backlog.for} | more transactions wait than blocks can include; detects most surges first |
| StacksFeeTopHeavy | priority \`high\` > ${topHeavy.spreadRatio} × \`low\`, fee ratio < ${topHeavy.feeRatioBelow}, at least ${topHeavy.leastWaiting} wait | ${topHeavy.for} | a few transactions offer very high fees: do not pay \`high\` |
| StacksMempoolStuckCluster | fee ratio > ${stuckCluster.feeRatio}, use of blocks < ${blockUsage.idleBelow} (unknown: backlog ratio < ${stuckCluster.backlogRatioBelow}), at least ${stuckCluster.leastWaiting} wait | ${stuckCluster.for} | the waiting transactions have high fees but cannot be mined: pay the usual fee |

The first three keep firing for ${spike.keepFiringFor}, ${elevated.keepFiringFor} and ${backlog.keepFiringFor} after their condition has ended. The [runbook](runbooks/fees.md) says
what to do. No alert fires before there is a day of history, and the baseline is best after a week.

## Results

The alerts were evaluated on a simulated market (\`tools/evaluation/\`): ${both.traces} traces of ${DAYS} days in two regimes, without the
first ${TRAINING_DAYS} days of each, which only fill the baselines. In total: ${whole(days)} days, ${whole(both.minutes)} minutes, ${whole(both.transactions)} transactions,
${whole(events)} events. The thresholds were chosen on other seeds: those of \`npm run eval -- --tune\`, and those of earlier reports.

An *event* is a period of at least 15 minutes in which the cheapest fee in full blocks exceeds the suggestion of
wallets (three times the cheapest included fee of a calm day). An event is detected when an alert fires between an hour
before its start and its end. An alarm is true when it fires within an hour of an event. An alarm that already fires at
the start of an event counts as detected within 0 minutes.

### Use of blocks known

${scoreTable(both, "gated")}

### Use of blocks unknown

${scoreTable(both, "ungated")}

### Targets

${aimTable(both)}

- **False alarms.** ${whole(wrong("flood"))} of the ${whole(gatedUnion.alarms - gatedUnion.right)} were caused by floods of transfers that pay about the suggestion of wallets: blocks
  are full and the backlog is real, but the price of inclusion stays just below the limit of an event. ${whole(wrong("flash"))} were caused by
  flashes, which raise the price for less than 15 minutes. Percentiles cannot distinguish these from events.
- **Time to detect.** StacksFeeSpike detects events with an immediate rise of fees, half of them within ${delay(both.views.gated.scores.spike, 0.5)} minutes. A
  surge changes the backlog only, and is detected once ${backlog.leastWaiting} transactions wait: early in a fast surge, late in a slow
  one. The median differs by about a minute between sets of seeds.

### Small and large pools

About 26 and 188 transactions wait on a calm day, most of them for a missing nonce.

${unionTable(
  [
    ["small", small],
    ["large", large],
  ],
  "Pool",
)}

### Errors

Of all three alerts together. "Incident" is the injected incident; several simultaneous incidents count as the first
of: outage, flood, flash, rush, surge, stuck, whale, shift.

${mistakeTable(both)}

### The explaining alerts

${explanationTable(both)}

## Other assumptions

The same thresholds, with one assumption changed at a time (${worldSeeds.length} seeds in two regimes each).

${unionTable(worlds, "World")}

## Limits of the evaluation

- **The market is simulated.** No minute-by-minute history of a Stacks mempool is public. Arrivals, fees, and the kinds
  and frequency of incidents are assumptions (see \`tools/evaluation/world.ts\`). The order of results is more reliable
  than the figures: the backlog detects more events than fees; the number of waiting transactions is more useful than
  its ratio; percentiles of waiting transactions alone are misleading.
- **${backlog.leastWaiting} depends on the market.** It is ${Math.round((100 * backlog.leastWaiting) / WORLD.chain.tenureUnits)} % of the capacity of a tenure here (${WORLD.chain.tenureUnits} transactions). With so many waiting
  transactions, blocks are usually full, so the results hardly depend on the use of blocks. Lower it for a chain with a
  smaller capacity; raise it if as many transactions wait on a calm day.
- **The use of blocks is more accurate here than on the chain.** In the model every transaction uses the same share of
  one budget. The chain has five dimensions, of which plain transfers use hardly any, so a flood of transfers can fill
  blocks without a high use of blocks. The alerts then assume that blocks have room.
- **Limits are sharp.** A price that is high for 14 minutes is no event, and an alarm about it counts as false. A flood
  that pays exactly the suggestion of wallets fills blocks, and is no event either, since one µSTX more is included.
- **Not modelled:** replacement by fee, ordered transactions of a sender, different sizes and costs, empty or slow
  tenures, forks, miners with another order, late polls (add up to one poll to each delay), fees per type.
- Samples are a minute apart, and rules are evaluated once per minute.
- \`test/evaluation/rules.long.test.ts\` compares the conditions of the evaluation with the PromQL of the rules in a real
  Prometheus, minute by minute.

## Tuning

All numbers are in \`alerts/thresholds.ts\`. \`npm run generate\` writes the rules, and \`npm run eval\` this page.
\`npm run eval -- --tune\` shows the effect of each number on the tuning seeds (\`*\` marks the present one).

- Too many alarms: raise \`spike.feeRatio\`, \`for\` or \`leastWaiting\` first; this mainly delays the detection.
- Too late: lower \`leastWaiting\` of the backlog, then \`spike.feeRatio\`; this reduces the precision.
- If several hundred transactions wait on a calm day, raise \`leastWaiting\` to twice that number. If alerts do not fire
  on a chain with a small capacity, lower it.
- If only prices matter, omit StacksMempoolBacklog; most surges will then be missed.
`;
}
