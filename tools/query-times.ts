// Measures how long Prometheus takes for each query of a dashboard: the median of seven runs after one warm-up.
// Queries of open and of collapsed rows are listed separately.
// Usage: npm run query-times -- PROMETHEUS-URL [UID] [HOURS]        such as http://127.0.0.1:9090 stacks-fees 6

import { dashboardOf } from "../dashboards/board.ts";
import { boards } from "../dashboards/index.ts";

const RUNS = 7;
// Approximate number of points in a panel with half the width of a screen.
const POINTS = 760;
const SHOWN = 10;

interface Timed {
  readonly at: string;
  readonly isOpen: boolean;
  readonly milliseconds: number;
}

async function ask(url: string): Promise<number> {
  const start = performance.now();
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return performance.now() - start;
}

async function timed(url: string): Promise<number> {
  await ask(url);
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) times.push(await ask(url));
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN;
}

const seconds = (interval: string | null | undefined) => (interval ? Number(interval.slice(0, -1)) * 60 : 60);

/** The value of a variable in Grafana: all values, or the first choice. */
function filled(expr: string, uid: string, stepSeconds: number, rangeSeconds: number): string {
  const board = boards.find((board) => board.uid === uid);
  const values: Record<string, string> = {
    __rate_interval: `${Math.max(4 * 60, stepSeconds + 60)}s`,
    __range: `${rangeSeconds}s`,
  };
  for (const variable of board?.variables ?? []) {
    if (variable.kind === "choice") values[variable.name] = variable.values[0] ?? "";
    if (variable.kind === "number") values[variable.name] = String(variable.value);
  }
  return expr.replace(/\$(\w+)/g, (_, name: string) => values[name] ?? ".+");
}

async function main(base: string, uid: string, hours: number): Promise<void> {
  const board = boards.find((board) => board.uid === uid);
  if (board === undefined)
    throw new Error(`there is no dashboard ${uid}; there are ${boards.map(({ uid }) => uid).join(", ")}`);
  const range = hours * 3600;
  const end = Date.now() / 1000;
  const results: Timed[] = [];
  const { panels = [], annotations } = dashboardOf(board);
  const queries = panels
    .flatMap((panel) =>
      "panels" in panel && panel.panels !== undefined
        ? panel.panels.map((panel) => ({ panel, isOpen: false }))
        : [{ panel, isOpen: true }],
    )
    .flatMap(({ panel, isOpen }) => {
      const {
        id,
        title,
        interval,
        targets = [],
      } = panel as {
        id?: number;
        title?: string;
        interval?: string;
        targets?: readonly { refId?: string; expr?: string; instant?: boolean }[];
      };
      return targets.map(({ refId, expr = "", instant = false }) => ({
        at: `${id}/${refId} ${title}`,
        isOpen,
        expr,
        instant,
        interval,
      }));
    });
  const marks = annotations?.list ?? [];
  for (const { at, isOpen, expr, instant, interval } of [
    ...queries,
    ...marks.map(({ name, expr = "" }) => ({
      at: `annotation ${name}`,
      isOpen: true,
      expr,
      instant: false,
      interval: "1m",
    })),
  ]) {
    const step = Math.max(seconds(interval), Math.ceil(range / POINTS));
    const query = filled(expr, uid, step, range);
    const parameters = instant
      ? { query, time: String(end) }
      : { query, start: String(end - range), end: String(end), step: String(step) };
    const url = `${base}/api/v1/${instant ? "query" : "query_range"}?${new URLSearchParams(parameters)}`;
    results.push({ at, isOpen, milliseconds: await timed(url) });
  }
  results.sort((a, b) => b.milliseconds - a.milliseconds);
  for (const isOpen of [true, false]) {
    const those = results.filter((result) => result.isOpen === isOpen);
    if (those.length === 0) continue;
    const where = isOpen ? "when it opens" : "in closed rows";
    console.log(`${uid}, the last ${hours} h: ${those.length} queries ${where}, the slowest in milliseconds`);
    for (const { at, milliseconds } of those.slice(0, SHOWN))
      console.log(`${milliseconds.toFixed(1).padStart(8)}  ${at}`);
  }
}

const [base, uid = "stacks-fees", hours = "6"] = process.argv.slice(2);
if (base === undefined) {
  console.error("usage: npm run query-times -- PROMETHEUS-URL [UID] [HOURS]");
  process.exitCode = 2;
} else await main(base.replace(/\/$/, ""), uid, Number(hours));
