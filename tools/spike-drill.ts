// Measures in real time how long it takes from a fee spike in a simulated market to the notification of a webhook. It
// runs real programs with the shipped rules and intervals. Only the history for the baselines is generated.
// Usage: npm run spike-drill -- [--seed 1] [--strength 1] [--until webhook|resolved] [--without-mined]
// Needs prometheus, promtool and prometheus-alertmanager on the PATH. Takes about five minutes until the webhook.
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { FEES } from "../alerts/thresholds.ts";
import { type Alerting, MINED_RATIO, PROGRAMS, startAlerting, WAITING_RATIO } from "../test/support/alerting.ts";
import { missing } from "../test/support/daemon.ts";

const NETWORK = "drill";
const ALERTS = ["StacksMempoolBacklog", "StacksFeeSpike"] as const;
type AlertName = (typeof ALERTS)[number];
const { spike, backlog } = FEES;

const { values: flags } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    strength: { type: "string", default: "1" },
    until: { type: "string", default: "resolved" },
    "without-mined": { type: "boolean", default: false },
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

/** Logs when each clause of the alerts becomes true in Prometheus. */
async function watchClauses(alerting: Alerting): Promise<void> {
  const use = "stacks:chain_block_usage:ratio";
  const tenures = "stacks:mempool_backlog:tenures";
  const clauses = [
    ["fee ratio:", flags["without-mined"] ? WAITING_RATIO : MINED_RATIO, `> ${spike.feeRatio}`],
    ["use of blocks:", use, `> ${spike.blockUsage}`],
    ["use of blocks:", use, `> ${backlog.blockUsage}`],
    ["backlog in tenures:", tenures, `> ${spike.tenures}`],
    ["backlog in tenures:", tenures, `>= ${backlog.tenures}`],
  ] as const;
  await Promise.all(
    clauses.map(async ([words, expr, limit]) =>
      note(`${words} ${(await first(alerting, `${expr} ${limit}`)).toFixed(2)} (${limit})`),
    ),
  );
}

/** Logs the states of an alert until the webhook is called. */
async function watchAlert(alerting: Alerting, name: AlertName): Promise<void> {
  const pending = await when(async () => (await alerting.active()).find(({ labels }) => labels.alertname === name));
  note(`${name} is pending`, Date.parse(pending.activeAt));
  const { at, alerts } = await heard(alerting, name, "firing");
  note(`${name} fires`, Date.parse(alerts[0]?.startsAt ?? ""));
  note(`${name}: the webhook is called`, at);
}

const heard = (alerting: Alerting, name: AlertName, status: "firing" | "resolved") =>
  when(async () =>
    alerting.notifications.find(
      (one) => one.status === status && one.alerts.some(({ labels }) => labels.alertname === name),
    ),
  );

const alerting = await startAlerting({
  networks: [NETWORK],
  scale: 1,
  seed: Number(flags.seed),
  liveFrom: Math.floor(Date.now() / 1000),
  scrapeInterval: "15s",
  without: flags["without-mined"] ? ["transactions", "mempool_transactions"] : [],
});
try {
  const market = alerting.markets.get(NETWORK);
  if (market === undefined) throw new Error(`there is no market ${NETWORK}`);
  if (!flags["without-mined"]) await first(alerting, MINED_RATIO);
  note("calm: baselines are known, every collector has been polled");
  spikeAt = Date.now();
  market.chain.begin("spike", { strength: Number(flags.strength) });
  note("the spike begins");

  const clauses = watchClauses(alerting);
  // StacksFeeSpike inhibits StacksMempoolBacklog, so only the first of them is sure to be notified.
  await Promise.race(ALERTS.map((name) => watchAlert(alerting, name)));
  await heard(alerting, "StacksFeeSpike", "firing");
  await clauses;

  if (flags.until === "resolved") {
    market.chain.calm();
    note("the rush has ended; its backlog drains");
    await Promise.all(
      ALERTS.map(async (name) => {
        const { at, alerts } = await heard(alerting, name, "resolved");
        note(`${name} has ended`, Date.parse(alerts[0]?.endsAt ?? ""));
        note(`${name}: the webhook is notified`, at);
      }),
    );
  }
} finally {
  await alerting.stop();
}
