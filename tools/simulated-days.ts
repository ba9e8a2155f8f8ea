// Days of metrics of the simulated chain, for dashboards and rules that need a week of history: the real exporter and
// the real simulator on a virtual clock, one page per minute, written as OpenMetrics with timestamps.
// Usage: npm run simulated-days -- --out FOLDER [--days 30] [--watch-days 2] [--until UNIX-SECONDS] [--seed 1]
// Writes one file per day (UTC). Then, for each file:
// promtool tsdb create-blocks-from openmetrics --max-block-duration=24h FILE DATA
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { pino } from "pino";
import { Random } from "../simulator/chain/random.ts";
import { startSimulator } from "../simulator/server.ts";
import { watchListOf } from "../simulator/watch-list.ts";
import { systemClock } from "../src/api/clock.ts";
import { App } from "../src/app.ts";
import { collectors } from "../src/collectors/index.ts";
import { formatErrors } from "../src/config/errors.ts";
import { configLoader } from "../src/config/load.ts";
import { redactorOf } from "../src/config/secret.ts";

const MINUTE = 60;
const DAY = 86_400;
// No incidents at the end: a user that continues the market from there decides what happens.
const CALM_END_SECONDS = 6 * 3600;

const { values: flags } = parseArgs({
  options: {
    out: { type: "string" },
    days: { type: "string", default: "30" },
    "watch-days": { type: "string", default: "2" },
    until: { type: "string", default: String(Date.now() / 1000) },
    seed: { type: "string", default: "1" },
  },
});
const { out, seed } = flags;
if (out === undefined) throw new Error("--out FOLDER is missing");
const until = Math.floor(Number(flags.until) / MINUTE) * MINUTE;
const minutes = Math.round(Number(flags.days) * 1440);
/** Minutes at the end in which watched addresses and contracts are polled too: most series are theirs. */
const watchedMinutes = Math.round(Number(flags["watch-days"]) * 1440);

/** Pages of samples in OpenMetrics, one per minute, each with the day it was read on; without the closing `# EOF`. */
async function* history(): AsyncGenerator<{ readonly day: string; readonly lines: string }> {
  const start = until - minutes * MINUTE;
  let now = start;
  const simulator = await startSimulator({ seed, start, now: () => start * 1000 });
  const watch = watchListOf(simulator.chain.accounts);
  const text = JSON.stringify({
    networks: [
      { name: "simulated", url: simulator.url, budget: { per_minute: 100_000, per_month: "unlimited" }, ...watch },
    ],
    collectors: Object.fromEntries(collectors.map(({ name }) => [name, { every: "1m" }])),
  });
  const loaded = await configLoader({ text, file: "history", env: {}, readFile: () => "", collectors })();
  if (!loaded.ok) throw new Error(formatErrors(loaded.errors));
  const app = new App({
    config: loaded.config,
    version: "history",
    log: pino({ level: "silent" }),
    redactor: redactorOf([]),
    clock: { now: () => now * 1000, elapsed: () => (now - start) * 1000, sleep: systemClock.sleep },
  });
  const chance = new Random(`${seed}:history`);
  try {
    for (let minute = 1; minute <= minutes; minute += 1) {
      now = start + minute * MINUTE;
      simulator.advance(MINUTE);
      if (now < until - CALM_END_SECONDS) disturb(simulator.chain, chance);
      const isWatching = minute > minutes - watchedMinutes;
      for (const task of app.tasks) {
        if (isWatching || task.target.key === "") await app.poll(task);
      }
      app.page.touch();
      const page = (await app.page.body("openmetrics", false)).toString();
      yield { day: new Date(now * 1000).toISOString().slice(0, 10), lines: stamped(page, now) };
    }
  } finally {
    await app.stop();
    await simulator.close();
  }
}

/** About what a lively month brings: a mint rush every two days, other disturbances every few. */
function disturb(chain: Awaited<ReturnType<typeof startSimulator>>["chain"], chance: Random): void {
  const perDay = (times: number) => chance.chance((times * MINUTE) / DAY);
  if (perDay(0.5)) chain.begin("spike", { seconds: chance.int(1200, 5400), strength: 0.8 + chance.next() });
  if (perDay(0.2)) chain.begin("flood");
  if (perDay(0.15)) chain.begin("stuck");
  if (perDay(0.7)) chain.reorg(chance.int(1, 3));
}

/** The samples of a page with a time, and with the labels that Prometheus would have put on every series. */
function stamped(page: string, at: number): string {
  const labels = 'job="stacks",instance="localhost:10789"';
  let lines = "";
  for (const line of page.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const end = line.lastIndexOf(" ");
    const series = line.slice(0, end);
    const brace = series.indexOf("{");
    const labelled =
      brace < 0 ? `${series}{${labels}}` : `${series.slice(0, brace + 1)}${labels},${series.slice(brace + 1)}`;
    lines += `${labelled} ${line.slice(end + 1)} ${at}\n`;
  }
  return lines;
}

await mkdir(out, { recursive: true });
const pages = history();
for (let page = await pages.next(); !page.done; ) {
  const { day } = page.value;
  console.log(day);
  await writeFile(join(out, `${day}.om`), linesOf());

  async function* linesOf(): AsyncGenerator<string> {
    for (; !page.done && page.value.day === day; page = await pages.next()) yield page.value.lines;
    yield "# EOF\n";
  }
}
