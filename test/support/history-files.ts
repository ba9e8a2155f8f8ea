// The files of a history, as a strict reader reads them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Point {
  /** Unix time, seconds. */
  readonly at: number;
  readonly value: number;
}

/** The names of the files in a folder, oldest first. */
export const historyFiles = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".om"))
    .sort();

/** The bytes of all files. */
export const historyBytes = (folder: string): string =>
  historyFiles(folder)
    .map((name) => `${name}\n${readFileSync(join(folder, name), "utf8")}`)
    .join("");

/**
 * The samples of all files by series, oldest first. Throws where OpenMetrics forbids something: families or series that
 * are interleaved, times that do not ascend, a missing end.
 */
export function readHistory(folder: string): Map<string, Point[]> {
  const all = new Map<string, Point[]>();
  for (const name of historyFiles(folder)) {
    for (const [series, points] of readFile(readFileSync(join(folder, name), "utf8"))) {
      all.set(series, [...(all.get(series) ?? []), ...points]);
    }
  }
  for (const [series, points] of all) checkAscending(series, points);
  return all;
}

function readFile(text: string): Map<string, Point[]> {
  if (!text.endsWith("\n# EOF\n")) throw new Error("the file does not end with # EOF");
  const series = new Map<string, Point[]>();
  const families = new Set<string>();
  let [family, metric] = ["", ""];
  const metrics = new Set<string>();
  for (const line of text.slice(0, -"# EOF\n".length).split("\n").slice(0, -1)) {
    const type = /^# TYPE (\S+) (gauge|counter|histogram)$/.exec(line)?.[1];
    if (type !== undefined) {
      if (families.has(type)) throw new Error(`family ${type} is repeated`);
      families.add(type);
      family = type;
      continue;
    }
    if (line.startsWith("# ")) continue;
    const match = /^((\w+)\{(.*)\}) (\S+) (\d+)$/.exec(line);
    const [, name = "", short = "", labels = "", value = "", at = ""] = match ?? [];
    if (match === null || !short.startsWith(family)) throw new Error(`bad line: ${line}`);
    // A histogram is one metric with several series.
    const own = `${family} ${labels.replace(/,?le="[^"]*"/, "")}`;
    if (own !== metric && metrics.has(own)) throw new Error(`series are interleaved: ${line}`);
    metrics.add(own);
    metric = own;
    const points = series.get(name) ?? [];
    points.push({ at: Number(at), value: Number(value) });
    series.set(name, points);
  }
  for (const [name, points] of series) checkAscending(name, points);
  return series;
}

function checkAscending(series: string, points: readonly Point[]): void {
  for (const [index, { at }] of points.entries()) {
    if (index > 0 && at <= (points[index - 1]?.at ?? 0)) throw new Error(`times of ${series} do not ascend at ${at}`);
  }
}
