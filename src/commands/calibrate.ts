// Prints how often the fee alerts would have fired in the history of a Prometheus, and limits for a chosen number.
import { gatedValueOf, knownValueOf } from "../../alerts/condition.ts";
import { calibrated } from "../../alerts/fees.ts";
import { type Span, spansWhere } from "../../alerts/firing.ts";
import { series } from "../../alerts/series.ts";
import { type Duration, seconds } from "../../alerts/thresholds.ts";
import { systemClock } from "../api/clock.ts";
import { formatDuration } from "../scheduler/interval.ts";
import { CommandError, type Io } from "./io.ts";
import { type Labels, PrometheusApi } from "./prometheus-api.ts";
import { alarmsAt, limitFor, peakOf, type Swept } from "./sweep.ts";

/** The options of the command. */
export interface CalibrateFlags {
  readonly prometheus: string;
  readonly days: string;
  readonly alarms: string;
  readonly network?: string;
}

type Calibrated = (typeof calibrated)[number];

/** The minutes of the history, of one network. */
interface History {
  readonly api: PrometheusApi;
  /** Unix seconds of the first minute. */
  readonly start: number;
  readonly minutes: number;
  readonly network: string;
  /** Names of the series that it has. */
  readonly names: ReadonlySet<string>;
  /** Whether the exporter was scraped. */
  readonly isScraped: (minute: number) => boolean;
}

const STEP = 60;
const DAY_MINUTES = 1440;
/** Alarms are counted for this time. */
const MONTH_DAYS = 30;
// A response has at most 11,000 values of a series.
const MINUTES_PER_QUERY = 7 * DAY_MINUTES;
const MAX_DAYS = 400;
const MAX_ALARMS = 1000;

const UP = series("stacks_up");

/** Prints the report. The exit code is 1 if none of the alerts can be evaluated. @param now Unix milliseconds */
export async function calibrate(flags: CalibrateFlags, io: Io, now = systemClock.now()): Promise<number> {
  const days = numberOf("--days", flags.days, MAX_DAYS);
  const chosen = numberOf("--alarms", flags.alarms, MAX_ALARMS);
  const stopped = new AbortController();
  void io.stopped.then(() => stopped.abort());
  const api = new PrometheusApi(flags.prometheus, stopped.signal);
  try {
    const history = await historyOf(api, days, flags.network, now);
    io.out(`${formatHistory(history)}\n`);
    let evaluated = 0;
    for (const alert of calibrated) {
      const found = await evaluate(alert, history);
      io.out(`\n${formatEvaluated(alert, found, chosen, history)}\n`);
      evaluated += found.evaluatedMinutes;
    }
    return evaluated > 0 ? 0 : 1;
  } finally {
    await api.close();
  }
}

function numberOf(option: string, text: string, max: number): number {
  const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= max) return value;
  throw new CommandError(`${option}: expected a whole number from 1 to ${max}, found ${JSON.stringify(text)}`);
}

const namesIn = (query: string): string[] => [...new Set(query.match(/\bstacks_\w+/g))];
const namesOf = ({ condition }: Calibrated): string[] => namesIn(gatedValueOf(condition));

async function historyOf(api: PrometheusApi, days: number, wanted: string | undefined, now: number): Promise<History> {
  const minutes = days * DAY_MINUTES;
  const end = Math.floor(now / 1000 / STEP) * STEP;
  const start = end - (minutes - 1) * STEP;
  const names = [UP, ...new Set(calibrated.flatMap(namesOf))];
  const found = await api.series(`{__name__=~"${names.join("|")}"}`, start, end);
  const network = networkOf(found, wanted, days);
  const own = found.filter((labels) => labels.network === network);
  const range = { api, start, minutes, network };
  const up = await columnsOf(`max by (network) (${UP})`, range);
  return {
    ...range,
    names: new Set(own.map(({ __name__ = "" }) => __name__)),
    isScraped: (minute) => up.some((column) => !Number.isNaN(column[minute])),
  };
}

function networkOf(found: readonly Labels[], wanted: string | undefined, days: number): string {
  const known = [...new Set(found.flatMap(({ network }) => network ?? []))].sort();
  const [only] = known;
  if (only === undefined) {
    throw new CommandError(
      `Prometheus has no series of the exporter in the last ${days} days; does it scrape the exporter?`,
    );
  }
  if (wanted === undefined && known.length === 1) return only;
  if (wanted !== undefined && known.includes(wanted)) return wanted;
  const instead = wanted === undefined ? "which is needed for several networks" : `found ${JSON.stringify(wanted)}`;
  throw new CommandError(`--network: expected one of ${known.join(", ")}, ${instead}`);
}

type Range = Pick<History, "api" | "start" | "minutes" | "network">;

/** The values of an expression, one column for each series of the network. */
async function columnsOf(query: string, { api, start, minutes, network }: Range): Promise<readonly Float64Array[]> {
  const columns = new Map<string, Float64Array>();
  for (let first = 0; first < minutes; first += MINUTES_PER_QUERY) {
    const last = Math.min(minutes, first + MINUTES_PER_QUERY) - 1;
    const found = await api.range(query, start + first * STEP, start + last * STEP, STEP);
    for (const { metric, values } of found) {
      if (metric.network !== network) continue;
      const key = JSON.stringify(Object.entries(metric).sort());
      const column = columns.get(key) ?? new Float64Array(minutes).fill(Number.NaN);
      columns.set(key, column);
      for (const [at, value] of values) column[Math.round((at - start) / STEP)] = numberIn(value);
    }
  }
  return [...columns.values()];
}

const numberIn = (text: string): number => Number(text.replace("Inf", "Infinity"));

/** The alarms of an alert in the history. */
interface Evaluated {
  readonly swept: Swept;
  /** Minutes in which everything was known that it needs. */
  readonly evaluatedMinutes: number;
  /** Other minutes in which the exporter was scraped. */
  readonly unknownMinutes: number;
}

async function evaluate({ alert, condition }: Calibrated, history: History): Promise<Evaluated> {
  const { minutes } = history;
  const known = await columnsOf(knownValueOf(condition), history);
  const isEvaluated = (minute: number) => known.some((column) => !Number.isNaN(column[minute]));
  const minutesWhere = (is: (minute: number) => boolean) => lengthOf(spansWhere(minutes, is));
  return {
    evaluatedMinutes: minutesWhere(isEvaluated),
    unknownMinutes: minutesWhere((minute) => history.isScraped(minute) && !isEvaluated(minute)),
    swept: {
      minutes,
      columns: await columnsOf(gatedValueOf(condition), history),
      firesAtLimit: condition.is === ">=",
      durations: {
        forMinutes: minutesOf(alert.for),
        keepMinutes: alert.keepFiringFor === undefined ? 0 : minutesOf(alert.keepFiringFor),
      },
    },
  };
}

const minutesOf = (duration: Duration): number => seconds(duration) / STEP;
const lengthOf = (spans: readonly Span[]): number => spans.reduce((total, { from, until }) => total + until - from, 0);

function durationOf(minutes: number): string {
  const days = Math.floor(minutes / DAY_MINUTES);
  const rest = minutes - days * DAY_MINUTES;
  return [days === 0 ? "" : `${days}d`, rest === 0 && days > 0 ? "" : formatDuration(rest * STEP * 1000)].join("");
}
const timeOf = ({ start }: Range, minute: number): string =>
  new Date((start + minute * STEP) * 1000).toISOString().slice(0, 16).replace("T", " ");
const numberText = (value: number): string =>
  Number.isFinite(value) ? String(Number(value.toPrecision(3))) : "infinite";
const alarmsText = (count: number): string => (count === 1 ? "1 alarm" : `${count} alarms`);

function formatHistory(history: History): string {
  const { minutes, network, isScraped } = history;
  const gaps = spansWhere(minutes, (minute) => !isScraped(minute));
  const covered = minutes - lengthOf(gaps);
  return [
    `network ${network}, ${timeOf(history, 0)} to ${timeOf(history, minutes - 1)} UTC, one value a minute`,
    `  history: ${durationOf(covered)} of ${durationOf(minutes)}`,
    ...(gaps.length === 0
      ? []
      : [`  not covered, because there are no samples of the exporter: ${durationOf(minutes - covered)}`]),
    ...gaps.map((gap) =>
      gap.from === 0
        ? `    until ${timeOf(history, gap.until)}: the history begins here`
        : `    ${timeOf(history, gap.from)} for ${durationOf(gap.until - gap.from)}`,
    ),
  ].join("\n");
}

function formatEvaluated(
  alert: Calibrated,
  { swept, evaluatedMinutes, unknownMinutes }: Evaluated,
  chosen: number,
  history: History,
): string {
  const { condition, of } = alert;
  const missing = namesOf(alert).filter((name) => !history.names.has(name));
  const lines = [
    `${alert.alert.alert}: ${of}, fires ${condition.is} ${condition.limit}`,
    ...(missing.length === 0 ? [] : [`  missing series: ${missing.join(", ")}`]),
  ];
  if (evaluatedMinutes === 0) return [...lines, "  cannot be evaluated on this history"].join("\n");
  const perMonth = (MONTH_DAYS * DAY_MINUTES) / evaluatedMinutes;
  const alarms = alarmsAt(condition.limit, swept);
  return [
    ...lines,
    `  evaluated: ${durationOf(evaluatedMinutes)}${unknownMinutes === 0 ? "" : `; for ${durationOf(unknownMinutes)} of the history a value that it needs is unknown`}`,
    `  ${alarmsText(alarms.length)}, ${numberText(alarms.length * perMonth)} in ${MONTH_DAYS} days${alarms.length === 0 ? "" : ":"}`,
    ...tableOf(alarms, swept, history),
    ...formatLimit(swept, chosen, perMonth),
  ].join("\n");
}

function tableOf(alarms: readonly Span[], { columns }: Swept, history: History): string[] {
  const rows = alarms.map((alarm) => [
    timeOf(history, alarm.from),
    durationOf(alarm.until - alarm.from),
    numberText(peakOf(columns, alarm)),
  ]);
  if (rows.length === 0) return [];
  return [["start (UTC)", "duration", "peak"], ...rows].map(
    ([start = "", duration = "", peak = ""]) => `    ${start.padEnd(16)}  ${duration.padEnd(8)}  ${peak}`,
  );
}

function formatLimit(swept: Swept, chosen: number, perMonth: number): string[] {
  const max = Math.floor(chosen / perMonth + 1e-9);
  const found = limitFor(max, swept);
  const wish = `  at most ${chosen} in ${MONTH_DAYS} days`;
  if (found === undefined) return [`${wish}: no limit can be calculated, because its other conditions held too rarely`];
  const note =
    max === 0 ? [`  (the history is short: one alarm in it is ${numberText(perMonth)} in ${MONTH_DAYS} days)`] : [];
  return [`${wish}: with the limit ${found.limit}, which gives ${alarmsText(found.alarms)}`, ...note];
}
