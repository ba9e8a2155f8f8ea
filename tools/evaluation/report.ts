// The page about the fee alerts: what they mean, what was measured, what to expect. Written wholly by `npm run eval`.
import { FEES } from "../../alerts/thresholds.ts";
import { evaluate, sum } from "./evaluate.ts";
import { delay } from "./score.ts";
import { seedsOf } from "./seeds.ts";
import { aimTable, explanationTable, mistakeTable, scoreTable, unionTable, whole } from "./tables.ts";
import { DAYS, TRAINING_DAYS } from "./trace.ts";
import { WORLD } from "./world.ts";
import { OTHER_WORLDS } from "./worlds.ts";

/** The whole page, computed from scratch: no date, no machine, so that equal code gives equal bytes. */
export function reportPage(): string {
  const seeds = seedsOf("reporting");
  const small = evaluate(seeds, "small");
  const large = evaluate(seeds, "large");
  const both = sum([small, large]);
  const worldSeeds = seedsOf("worlds");
  const worlds = [{ what: "as above, on these seeds", world: undefined }, ...OTHER_WORLDS].map(
    ({ what, world }) =>
      [what, sum([evaluate(worldSeeds, "small", world), evaluate(worldSeeds, "large", world)])] as const,
  );
  const { spike, elevated, backlog, topHeavy, stuckCluster, baseline, windows, blockUsage } = FEES;
  const gatedUnion = both.views.gated.scores.union;
  const { events, days } = gatedUnion;
  const wrong = (cause: string) => both.views.gated.mistakes.get(cause)?.wrong ?? 0;
  return `<!-- Written by "npm run eval". Do not edit. -->

# Fee alerts: what they mean and how good they are

## What they say

The exporter shows what *waits*: the percentiles of the fees in the mempool. What somebody has to pay is another thing: the cheapest fee that still
gets into a block. When blocks have room that is next to nothing, whatever waits. The alerts try to tell one from the other.

- The **fee ratio** is priority \`low\` (the median fee of all that waits), over its usual level: the median of the last ${baseline.window}.
- The **backlog ratio** is the number of waiting transactions, over its usual level.
- The **use of blocks** is how fast tenures use up their budget: the rate of \`stacks_chain_execution_cost_total\` over ${blockUsage.windows.fast} (slow: ${blockUsage.windows.slow}),
  for the usual length of a tenure (${blockUsage.tenure}), over the limit of one. Where it is not known (the \`blocks\` collector is off), the alerts do without it, and are wrong more often.

| Alert | Fires when | for | Says |
| --- | --- | --- | --- |
| StacksFeeSpike | fee ratio (over ${windows.fast}) > ${spike.feeRatio}, backlog ratio > ${spike.backlogRatio}, at least ${spike.leastWaiting} wait, use of blocks > ${blockUsage.roomUpTo.fast} or unknown | ${spike.for} | getting in costs far more than usual |
| StacksFeeElevated | fee ratio (over ${windows.slow}) > ${elevated.feeRatio}, backlog ratio > ${elevated.backlogRatio}, at least ${elevated.leastWaiting} wait, slow use of blocks > ${blockUsage.roomUpTo.slow} or unknown | ${elevated.for} | it has been dear for a while |
| StacksMempoolBacklog | backlog ratio > ${backlog.backlogRatio}, at least ${backlog.leastWaiting} wait, slow use of blocks > ${blockUsage.roomUpTo.slow} or unknown | ${backlog.for} | more waits than fits, whatever it pays; most surges are seen here first |
| StacksFeeTopHeavy | priority \`high\` > ${topHeavy.spreadRatio} × \`low\`, fee ratio < ${topHeavy.feeRatioBelow}, at least ${topHeavy.leastWaiting} wait | ${topHeavy.for} | a few offer very much: do not pay \`high\` |
| StacksMempoolStuckCluster | fee ratio > ${stuckCluster.feeRatio}, use of blocks < ${blockUsage.idleBelow} (unknown: backlog ratio < ${stuckCluster.backlogRatioBelow}), at least ${stuckCluster.leastWaiting} wait | ${stuckCluster.for} | what waits is dear but cannot be mined: pay as usual |

The first three go on firing for ${spike.keepFiringFor}, ${elevated.keepFiringFor} and ${backlog.keepFiringFor} after their condition has ended. What to do about each is in the runbook. Nothing fires before there is a day of
history, and the baseline is worth most after a week.

## What was measured

A simulated market (\`eval/\`), ${both.traces} traces of ${DAYS} days in two regimes, the first ${TRAINING_DAYS} days of each only to fill the baselines: ${whole(days)} scored days,
${whole(both.minutes)} minutes, ${whole(both.transactions)} transactions, ${whole(events)} events. The thresholds were chosen on other seeds: those of \`npm run eval -- --tune\`,
and those of earlier reports.

An *event* is a time in which the cheapest fee that got into full blocks was above what wallets suggest (three times what gets in on a calm day)
for at least 15 minutes. It is detected when an alert fires between an hour before its start and its end. An alarm is right when it fires within an
hour of an event. An alarm that fires already when an event starts counts as detected within 0 minutes.

### Use of blocks known

${scoreTable(both, "gated")}

### Use of blocks unknown

${scoreTable(both, "ungated")}

### Against the aims

${aimTable(both)}

- **False alarms.** ${whole(wrong("flood"))} of the ${whole(gatedUnion.alarms - gatedUnion.right)} came with a flood of transfers that pay about what wallets suggest: blocks are full, the backlog is real, and the price to get
  in ends just below the limit of an event. ${whole(wrong("flash"))} came with a flash whose price was up for less than a quarter of an hour. No percentile tells these from the
  real thing.
- **Time to detect.** What drives fees at once is seen by StacksFeeSpike, half of it within ${delay(both.views.gated.scores.spike, 0.5)} minutes. A surge shows in the backlog only, and is told of once
  ${backlog.leastWaiting} wait: soon when it comes fast, late when it creeps. The median moves by a minute or so from one set of seeds to another.

### Small and large pools

About 26 and 188 transactions wait on a calm day, most of them for a nonce that is missing.

${unionTable(
  [
    ["small", small],
    ["large", large],
  ],
  "Pool",
)}

### What goes wrong

Of all three together. "What was going on" is what had been injected; several things at once count as the first of: outage, flood, flash, rush, surge,
stuck, whale, shift.

${mistakeTable(both)}

### The two that explain

${explanationTable(both)}

## In other worlds

The same thresholds, one assumption changed at a time (${worldSeeds.length} seeds in two regimes each).

${unionTable(worlds, "World")}

## What to make of it

- **The market is invented.** No minute-by-minute history of a Stacks mempool is public. Arrivals, fees, the mix of incidents and how often they come are
  assumptions (all of them in \`tools/evaluation/world.ts\`). Trust the order of things more than the figures: a backlog tells of more events than fees do; how many
  wait in all tells more than how many times the usual; percentiles of what waits alone are easily fooled.
- **${backlog.leastWaiting} is a number of this market.** It is ${Math.round((100 * backlog.leastWaiting) / WORLD.chain.tenureUnits)} % of what a tenure takes here (${WORLD.chain.tenureUnits} transactions). With so many waiting, blocks are full as a
  rule, which is why the figures are the same where their use is not known. Where tenures take less, lower it; where as many wait on a calm day, raise it.
- **The truth flatters the use of blocks.** An event needs full blocks, and the use of blocks says whether they are full. In the model every transaction
  uses the same part of one budget; on the chain there are five dimensions, and plain transfers use hardly any of them, so a flood of those can fill blocks
  unnoticed. The alerts then see room where there is none.
- **An edge is an edge.** A price that was up for 14 minutes is no event, and an alarm about it counts as false. A flood that pays just what wallets suggest
  fills blocks, and is no event either, since one µSTX more gets in.
- **Not modelled:** replacement by fee, several transactions of a sender in order, sizes and costs that differ, empty or slow tenures, forks, miners with
  their own order, polls that are late (add up to one poll to each delay), fees of types apart.
- Samples are a minute apart and rules are evaluated once a minute.
- The conditions as evaluated here and the PromQL of the rules are compared in a real Prometheus, minute by minute, by \`test/evaluation/rules.long.test.ts\`.

## How to tune

All numbers are in \`alerts/thresholds.ts\`; \`npm run generate\` writes the rules anew, \`npm run eval\` this page, \`npm run eval -- --tune\` shows what each
number does by itself on the tuning seeds (\`*\` marks the present one).

- Too many alarms: raise \`spike.feeRatio\`, \`for\` or \`leastWaiting\` first; that costs minutes more than events.
- Too late: lower \`leastWaiting\` of the backlog, then \`spike.feeRatio\`; that costs precision.
- Alarms in a pool where several hundreds wait on a calm day: raise \`leastWaiting\` to twice that number. Silence on a chain with little room: lower it.
- Only prices matter, not places in the queue: leave out StacksMempoolBacklog, and expect to miss most surges.
`;
}
