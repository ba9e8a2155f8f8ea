// Days of metrics of the simulated chain, for dashboards and rules that need a week of history: the real exporter and
// the real simulator on a virtual clock, one page per minute, written as OpenMetrics with timestamps.
// Usage: npm run simulated-days -- --out FOLDER [--days 30] [--watch-days 2] [--until UNIX-SECONDS] [--seed 1]
// Writes one file per day (UTC). Then, for each file:
// promtool tsdb create-blocks-from openmetrics --max-block-duration=24h FILE DATA
import { createWriteStream, mkdirSync, type WriteStream } from "node:fs";
import { pathToFileURL } from "node:url";
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

/** The input of a history. Times in Unix seconds. */
export interface HistoryOptions {
  readonly seed: string;
  /** Time of the last page; a whole minute. */
  readonly until: number;
  readonly minutes: number;
  /** Minutes at the end in which watched addresses and contracts are polled too: most series are theirs. */
  readonly watchedMinutes: number;
  /** Labels that Prometheus would have put on every series. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Pages of samples in OpenMetrics, one per minute, each with the time it was read at; without the closing `# EOF`. */
export async function* history({
  seed,
  until,
  minutes,
  watchedMinutes,
  labels,
}: HistoryOptions): AsyncGenerator<{ readonly at: number; readonly lines: string }> {
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
  const prefix = Object.entries(labels)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(",");
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
      const lines = stamped(page, prefix, now);
      yield { at: now, lines };
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

function stamped(page: string, labels: string, at: number): string {
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

async function write(stream: WriteStream, text: string): Promise<void> {
  if (!stream.write(text)) await new Promise((resolve) => stream.once("drain", () => resolve(undefined)));
}

const closed = (stream: WriteStream | undefined) =>
  stream && new Promise<void>((resolve) => stream.end("# EOF\n", () => resolve()));

async function main(): Promise<void> {
  const { values: flags } = parseArgs({
    options: {
      out: { type: "string" },
      days: { type: "string", default: "30" },
      "watch-days": { type: "string", default: "2" },
      until: { type: "string", default: String(Date.now() / 1000) },
      seed: { type: "string", default: "1" },
      job: { type: "string", default: "stacks" },
      instance: { type: "string", default: "localhost:10789" },
    },
  });
  if (flags.out === undefined) throw new Error("--out FOLDER is missing");
  mkdirSync(flags.out, { recursive: true });
  const pages = history({
    seed: flags.seed,
    until: Math.floor(Number(flags.until) / MINUTE) * MINUTE,
    minutes: Math.round(Number(flags.days) * 1440),
    watchedMinutes: Math.round(Number(flags["watch-days"]) * 1440),
    labels: { job: flags.job, instance: flags.instance },
  });
  let day: string | undefined;
  let stream: WriteStream | undefined;
  for await (const { at, lines } of pages) {
    const today = new Date(at * 1000).toISOString().slice(0, 10);
    if (today !== day) {
      await closed(stream);
      stream = createWriteStream(`${flags.out}/${today}.om`);
      day = today;
      console.log(today);
    }
    if (stream !== undefined) await write(stream, lines);
  }
  await closed(stream);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
