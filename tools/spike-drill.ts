// Measures in real time how long a fee spike in a simulated market takes to notify a webhook. Real programs, with the
// shipped rules and intervals; only the history that the baselines need is generated.
// Usage: node tools/spike-drill.ts [--seed 1] [--strength 1] [--until webhook|resolved] [--without-blocks]
// Needs prometheus, promtool and prometheus-alertmanager on the PATH. Takes about five minutes until the webhook.
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { FEES, seconds } from "../alerts/thresholds.ts";
import { scheduleOf } from "../src/collectors/collector.ts";
import { collectors } from "../src/collectors/index.ts";
import { intervalOf, parseSchedule } from "../src/scheduler/interval.ts";
import { type Alerting, FEE_RATIO, PROGRAMS, startAlerting } from "../test/support/alerting.ts";
import { missing } from "../test/support/daemon.ts";

const NETWORK = "drill";
const ALERT = "StacksFeeSpike";
const { feeRatio, backlogRatio, leastWaiting } = FEES.spike;

const { values: flags } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    strength: { type: "string", default: "1" },
    until: { type: "string", default: "resolved" },
    "without-blocks": { type: "boolean", default: false },
  },
});
const absent = missing(PROGRAMS);
if (absent.length > 0) throw new Error(`not on the PATH: ${absent.join(", ")}`);

let spikeAt: number | undefined;
/** One line of the log: the time (UTC), seconds since the spike began, what happened. */
function note(what: string, at = Date.now()): void {
  const since = spikeAt === undefined ? "" : `+${((at - spikeAt) / 1000).toFixed(1)} s`;
  process.stdout.write(`${new Date(at).toISOString().slice(11, 21)} ${since.padStart(10)}  ${what}\n`);
}

/** Calls a function every half second until it returns a value. */
async function when<T>(get: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const value = await get();
    if (value !== undefined) return value;
    await sleep(500);
  }
}

/** The first value of a query that returns something. */
const first = (alerting: Alerting, expr: string) => when(async () => (await alerting.query(expr))[0]?.value);

/** Notes when each clause of the alert becomes true in Prometheus. */
async function watchClauses(alerting: Alerting): Promise<void> {
  const fee = 'stacks_mempool_fee_priority_microstx{tx_type="all", priority="low"}';
  const baseline = `last_over_time(stacks:mempool_fee_priority_microstx:baseline${FEES.baseline.window}[${FEES.baseline.staleness}])`;
  const polled = 'stacks_exporter_collector_last_success_timestamp_seconds{collector="fees"}';
  const clauses: (readonly [string, string, string])[] = [
    [`fee ratio (median over ${FEES.windows.fast}):`, FEE_RATIO, `> ${feeRatio}`],
    ["backlog ratio:", `stacks:mempool_transactions:ratio${FEES.baseline.window}`, `> ${backlogRatio}`],
    ["waiting transactions:", "sum(stacks_mempool_transactions)", `>= ${leastWaiting}`],
    ...(flags["without-blocks"]
      ? []
      : [["use of blocks:", "stacks:chain_block_usage:ratio", `> ${FEES.blockUsage.roomUpTo.fast}`] as const]),
  ];
  await Promise.all([
    first(alerting, `${polled} and on (network) ${fee} / ${baseline} > ${feeRatio}`).then((at) =>
      note(`first poll with fees above ${feeRatio} times the usual level`, at * 1000),
    ),
    ...clauses.map(async ([words, expr, limit]) =>
      note(`${words} ${(await first(alerting, `${expr} ${limit}`)).toFixed(2)} (${limit})`),
    ),
  ]);
}

const alerting = await startAlerting({
  networks: [NETWORK],
  scale: 1,
  seed: Number(flags.seed),
  liveFrom: Math.floor(Date.now() / 1000),
  scrapeInterval: "15s",
  without: flags["without-blocks"] ? ["blocks"] : [],
});
try {
  const market = alerting.markets.get(NETWORK);
  if (market === undefined) throw new Error(`there is no market ${NETWORK}`);
  note("calm: baselines are known, every collector has been polled");
  spikeAt = Date.now();
  market.chain.begin("spike", { strength: Number(flags.strength) });
  note("the spike begins");

  const clauses = watchClauses(alerting);
  const find = (state: string) =>
    when(async () =>
      (await alerting.active()).find(({ labels, ...alert }) => labels.alertname === ALERT && alert.state === state),
    );
  const pendingAt = Date.parse((await find("pending")).activeAt);
  note(`${ALERT} is pending`, pendingAt);
  const heard = (status: "firing" | "resolved") =>
    when(async () =>
      alerting.notifications.find(
        (one) => one.status === status && one.alerts.some(({ labels }) => labels.alertname === ALERT),
      ),
    );
  const firing = await heard("firing");
  note(`${ALERT} fires`, Date.parse(firing.alerts[0]?.startsAt ?? ""));
  note("the webhook is called", firing.at);
  await clauses;

  // The alert compares values of several collectors: it cannot be faster than the slowest of them.
  const read = flags["without-blocks"] ? ["fees", "mempool"] : ["fees", "mempool", "blocks"];
  const polls = collectors
    .filter(({ name }) => read.includes(name))
    .map(({ schedule }) => intervalOf(parseSchedule(scheduleOf(schedule, "keyless"))) / 1000);
  const poll = Math.max(...polls);
  const aim = poll + seconds(FEES.spike.for) + 30;
  const untilWebhook = (from: number) => `${((firing.at - from) / 1000).toFixed(1)} s`;
  note(`target: slowest collector (${poll} s) + for (${seconds(FEES.spike.for)} s) + 30 s = ${aim} s`);
  note(`from the spike to the webhook: ${untilWebhook(spikeAt)}; from the condition: ${untilWebhook(pendingAt)}`);

  if (flags.until === "resolved") {
    market.chain.calm();
    note("the rush is over; the backlog decreases");
    await when(async () => ((await alerting.query(`${FEE_RATIO} > ${feeRatio}`)).length === 0 ? true : undefined));
    note(`the fee is no longer above ${feeRatio} times the usual level`);
    const resolved = await heard("resolved");
    note(`${ALERT} is over`, Date.parse(resolved.alerts[0]?.endsAt ?? ""));
    note("the webhook is notified", resolved.at);
  }
} finally {
  await alerting.stop();
}
