// docs/fee-alerts.md: rules and quality of the fee alerts. Written by `npm run eval`.
import { FEES } from "../../alerts/thresholds.ts";
import { type Evaluation, evaluateAll, marketsOf, sum } from "./evaluate.ts";
import { delay, falseAlarms, precision, recall, withoutShortRises } from "./score.ts";
import { seedsOf } from "./seeds.ts";
import {
  alarms,
  mistakeTable,
  pollTable,
  scoreTable,
  share,
  type Target,
  targetTable,
  whole,
  worldTable,
} from "./tables.ts";
import { DAYS, TRAINING_DAYS } from "./trace.ts";
import { BASE, MAINNET, OTHER_POLLS, OTHERS, POLLS } from "./worlds.ts";

interface Row {
  readonly what: string;
  readonly isHeld: boolean;
  readonly evaluation: Evaluation;
}

const MIN_RECALL = { base: 0.92, world: 0.85 };
const MIN_PRECISION = 0.93;
const MAX_FALSE = 0.8;
const MAX_MINUTES = 4;

function targetsOf(base: Evaluation, worst: Row): readonly Target[] {
  const { either } = base.scores.paid;
  const lenient = withoutShortRises(either);
  const lowest = recall(worst.evaluation.scores.paid.either);
  return [
    {
      what: "Recall, base world",
      target: `≥ ${MIN_RECALL.base}`,
      measured: share(recall(either)),
      isReached: recall(either) >= MIN_RECALL.base,
    },
    {
      what: "Precision, base world, short rises neutral",
      target: `≥ ${MIN_PRECISION}`,
      measured: share(precision(lenient)),
      isReached: precision(lenient) >= MIN_PRECISION,
    },
    {
      what: "False alarms in 30 days, base world, short rises neutral",
      target: `≤ ${MAX_FALSE}`,
      measured: alarms(falseAlarms(lenient)),
      isReached: falseAlarms(lenient) <= MAX_FALSE,
    },
    {
      what: "Median time to detect, base world, in minutes",
      target: `≤ ${MAX_MINUTES}`,
      measured: `${delay(either, 0.5)}`,
      isReached: delay(either, 0.5) <= MAX_MINUTES,
    },
    {
      what: `Recall, worst world (${worst.what})`,
      target: `≥ ${MIN_RECALL.world}`,
      measured: share(lowest),
      isReached: lowest >= MIN_RECALL.world,
    },
  ];
}

/** Evaluates the alerts and renders the page. Without date or host, so that equal code gives equal bytes. */
export async function reportPage(): Promise<string> {
  const settings = [BASE, ...OTHERS];
  const groups = settings.map((setting) =>
    marketsOf(
      seedsOf(setting === BASE ? "reporting" : "worlds"),
      setting,
      setting === MAINNET ? [POLLS.freeKey, POLLS.keyless, ...OTHER_POLLS] : undefined,
    ),
  );
  const evaluations = await evaluateAll(groups.flat());
  const rows = settings.map(({ what, isReportedOnly = false }, index) => ({
    what,
    isHeld: !isReportedOnly,
    evaluation: sum(evaluations.splice(0, groups[index]?.length)),
  }));
  const [base, ...others] = rows.map(({ evaluation }) => evaluation);
  if (base === undefined) throw new Error("no traces were played");
  const recallOf = ({ evaluation }: Row) => recall(evaluation.scores.paid.either);
  const sorted = rows.slice(1).toSorted((a, b) => recallOf(a) - recallOf(b));
  const worst = sorted.find(({ isHeld }) => isHeld) as Row;
  const mainnet = others[OTHERS.indexOf(MAINNET)]?.polls ?? [];
  const polled = [POLLS.freeKey, POLLS.keyless, ...OTHER_POLLS].flatMap((polls, index) => {
    const score = mainnet[index];
    return score === undefined ? [] : [[polls, score] as const];
  });
  const { spike, backlog, baseline, blockUsage, capacity } = FEES;
  const { paid, needed, firstDay, unlisted, mistakes } = base.scores;
  const { freeKey, keyless } = POLLS;
  const pollsOf = ({ transactions, mempool, blocks, fees }: typeof freeKey) =>
    `transactions every ${transactions}, mempool every ${mempool}, blocks every ${blocks} and fees every ${fees} minutes`;
  return `<!-- Written by "npm run eval". Do not edit. -->

# Fee alerts: rules and quality

## Rules

- The **fee ratio** is a quartile of the fees of the transactions that were mined in the last 10 minutes, divided by its
  usual level; the greatest of the three ratios counts. Transactions without a fee are left out. The exporter measures
  the usual level itself: samples of the last seven days, requested at the first start. So the alert works on the first
  day.
- The **backlog** is the number of waiting transactions beyond the usual number (the median of the last ${baseline.window}, from
  ${baseline.minHistory} of history on), divided by the capacity of a tenure. The capacity is measured: the transactions of the last ${capacity.window},
  divided by the number of tenures whose limit they would use.
- The **use of blocks** is the rate of \`stacks_chain_execution_cost_total\` over ${blockUsage.window}, multiplied by the usual length of a
  tenure (${blockUsage.tenure}) and divided by the limit of a tenure. Without the collector \`blocks\`, no alert of this page fires.

| Alert | Condition | for | Meaning |
| --- | --- | --- | --- |
| StacksFeeSpike | fee ratio > ${spike.feeRatio}, use of blocks > ${spike.blockUsage}, backlog > ${spike.tenures} or unknown | ${spike.for} | mined transactions pay over ${spike.feeRatio} times the usual, and blocks do not include everything |
| StacksMempoolBacklog | backlog ≥ ${backlog.tenures}, use of blocks > ${backlog.blockUsage} | ${backlog.for} | an early warning: more transactions wait than blocks can include |

They keep firing for ${spike.keepFiringFor} and ${backlog.keepFiringFor} after their condition has ended. The [runbook](runbooks/fees.md) says what to do.

Where the server does not list mined transactions, StacksFeeSpike compares the median fee of waiting transactions with
its median of the last ${baseline.window}, and its annotations say so.

## Results

The alerts were evaluated on a simulated market (\`tools/evaluation/\`): ${base.traces} traces of ${DAYS} days, without the first ${TRAINING_DAYS} days
of each, which only fill the baselines. In total: ${whole(paid.either.days)} days, ${whole(base.minutes)} minutes, ${whole(base.transactions)} transactions. The
thresholds were chosen on other seeds: those of \`npm run eval -- --tune\`. Polls are those of the default schedules with
a free key: ${pollsOf(freeKey)}.

An *event* is a period of at least 15 minutes in which the cheapest fee in full blocks exceeds three times the cheapest
included fee of a calm day (the floor). An event is detected when an alert fires between an hour before its start and
its end. An alarm is true when it fires within an hour of an event. An alarm that already fires at the start of an event
counts as detected within 0 minutes. A *short rise* is the same for less than 15 minutes. Precision and false alarms
appear twice: an alarm that begins in a short rise, or up to 10 minutes after it, is neither true nor false / it is
false. Shares are rounded down, and false alarms up.

${scoreTable(paid)}

### Targets

${targetTable(targetsOf(base, worst))}

### Evaluated by the fee that was needed

An event that is defined by fees of mined transactions favours a rule that reads them. So the same alarms are evaluated
by a second definition: to be mined within the next 10 minutes, a transaction must pay more than three floors. This is
stricter, because the price must stay high for 10 more minutes, and a single block with room ends it.

${scoreTable(needed)}

### The first day

An exporter and a Prometheus that start at midnight, without history, every day of every trace: the first 24 hours of
each.

${scoreTable(firstDay)}

### Without the list of mined transactions

${scoreTable(unlisted)}

### Errors

Of either alert. "Incident" is the injected incident; several simultaneous incidents count as the first of: outage,
flood, flash, rush, surge, stuck, whale, shift.

${mistakeTable(mistakes)}

## Other worlds

The same thresholds, with one assumption changed at a time (${seedsOf("worlds").length} seeds, with 20 and with 180 nonce gaps unless the row says
otherwise). The lowest recall is first. Outages and a share of more than 15 % of users that pay nothing are reported,
but not held to the target. In the other worlds, the lowest recall is ${share(recallOf(worst))}: ${worst.what}.

${worldTable(sorted.map(({ what, isHeld, evaluation }) => [isHeld ? what : `${what} (not held)`, evaluation] as const))}

## What polls contribute

Either alert, in the world with 216 transactions in a tenure, which has about as many transactions as mainnet. The first
two rows are the default schedules with a free key and without a key
(${pollsOf(keyless)}).
Each other row changes one interval of the first row, or all.

${pollTable(polled)}

\`mempool\` contributes most: with long intervals StacksMempoolBacklog is late. Up to 5 minutes no interval changes the
recall much.

## Limits of the evaluation

- **The market is simulated.** No minute-by-minute history of a Stacks mempool is public. Arrivals, fees, and the kinds
  and frequency of incidents are assumptions (see \`tools/evaluation/world.ts\`). The order of results is more reliable
  than the figures.
- **StacksFeeSpike depends on the usual fees.** Where wallets suggest far more than the cheapest included fee, as in the
  base world, the fees of mined transactions can triple only in a severe event, and StacksMempoolBacklog detects most
  events. Where wallets suggest the cheapest fee, StacksFeeSpike detects nearly all.
- **The use of blocks is more accurate here than on the chain.** The chain has five dimensions, of which plain transfers
  use hardly any, so a flood of transfers can fill blocks without a high use of blocks. The alerts then assume that
  blocks have room.
- **Limits are sharp.** A price that is high for 14 minutes is not an event. A flood that pays exactly three floors
  fills blocks, and is not an event either.
- **Not modelled:** replacement by fee, ordered transactions of a sender, empty or slow tenures, forks, miners with
  another order.
- Samples are a minute apart, and rules are evaluated once per minute.
- \`test/evaluation/rules.long.test.ts\` compares the conditions of the evaluation with the PromQL of the rules in a real
  Prometheus, minute by minute.

## Tuning

All numbers are in \`alerts/thresholds.ts\`. \`npm run generate\` writes the rules, and \`npm run eval\` this page.
\`npm run eval -- --tune\` shows the effect of each number on the tuning seeds, in all worlds (\`*\` marks the current one).

- Too many alarms: raise \`backlog.tenures\`, then \`spike.feeRatio\`; this mainly delays the detection.
- Too late: lower \`backlog.tenures\`; this reduces the precision.
- If only prices matter, omit StacksMempoolBacklog.
`;
}
