// Lists the dashboards that show each metric, for `check`, because the program does not contain the dashboards.
import { familyOf } from "../../alerts/series.ts";
import { dashboardOf } from "../../dashboards/board.ts";
import { boards } from "../../dashboards/index.ts";
import type { Output } from "./output.ts";

function boardsByMetric(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const board of boards) {
    const text = JSON.stringify(dashboardOf(board));
    const names = new Set((text.match(/\bstacks_\w+/g) ?? []).map((name) => familyOf(name)?.name ?? ""));
    names.delete("");
    for (const name of names) found.set(name, [...(found.get(name) ?? []), board.title.replace("Stacks / ", "")]);
  }
  return new Map([...found].sort(([a], [b]) => a.localeCompare(b, "en")));
}

/** The list as a TypeScript module. */
export const boardsOfMetricsOutput: Output = {
  path: "src/commands/boards-of-metrics.ts",
  render() {
    const rows = [...boardsByMetric()].map(([name, titles]) => `  ${name}: ${JSON.stringify(titles.join(", "))},\n`);
    return `// Written by "npm run generate". Do not edit.

/** Titles of the dashboards that show a metric. */
export const BOARDS_OF_METRICS: Readonly<Record<string, string>> = {
${rows.join("")}};
`;
  },
};
