// How long a Prometheus takes for each query of a dashboard: the median of seven runs after one to warm up.
// Usage: node scripts/query-times.ts PROMETHEUS-URL [UID] [HOURS]        such as http://127.0.0.1:9090 stacks-fees 6

import { dashboardOf } from "../dashboards/board.ts";
import { boards } from "../dashboards/index.ts";

const RUNS = 7;
// A panel as wide as half a screen gets about so many points.
const POINTS = 760;
const SHOWN = 10;

interface Timed {
  readonly at: string;
  readonly milliseconds: number;
}

async function ask(url: string): Promise<number> {
  const start = performance.now();
  const answer = await fetch(url);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status} ${text}`);
  return performance.now() - start;
}

async function timed(at: string, url: string): Promise<Timed> {
  await ask(url);
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) times.push(await ask(url));
  return { at, milliseconds: times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN };
}

const seconds = (interval: string | null | undefined) => (interval ? Number(interval.slice(0, -1)) * 60 : 60);

/** What Grafana would put in for a variable: everything, or the first choice. */
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
    throw new Error(`there is no board ${uid}; there are ${boards.map(({ uid }) => uid).join(", ")}`);
  const range = hours * 3600;
  const end = Date.now() / 1000;
  const results: Timed[] = [];
  const { panels = [], annotations } = dashboardOf(board);
  const queries = panels
    .flatMap((panel) => ("panels" in panel && panel.panels !== undefined ? panel.panels : [panel]))
    .flatMap((panel) => {
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
        expr,
        instant,
        interval,
      }));
    });
  const marks = annotations?.list ?? [];
  for (const { at, expr, instant, interval } of [
    ...queries,
    ...marks.map(({ name, expr = "" }) => ({ at: `annotation ${name}`, expr, instant: false, interval: "1m" })),
  ]) {
    const step = Math.max(seconds(interval), Math.ceil(range / POINTS));
    const query = filled(expr, uid, step, range);
    const parameters = instant
      ? { query, time: String(end) }
      : { query, start: String(end - range), end: String(end), step: String(step) };
    results.push(
      await timed(at, `${base}/api/v1/${instant ? "query" : "query_range"}?${new URLSearchParams(parameters)}`),
    );
  }
  const slowest = results.sort((a, b) => b.milliseconds - a.milliseconds).slice(0, SHOWN);
  console.log(`${uid}, the last ${hours} h: ${results.length} queries, the slowest ${slowest.length} in milliseconds`);
  for (const { at, milliseconds } of slowest) console.log(`${milliseconds.toFixed(1).padStart(8)}  ${at}`);
}

const [base, uid = "stacks-fees", hours = "6"] = process.argv.slice(2);
if (base === undefined) {
  console.error("usage: node scripts/query-times.ts PROMETHEUS-URL [UID] [HOURS]");
  process.exitCode = 2;
} else await main(base.replace(/\/$/, ""), uid, Number(hours));
