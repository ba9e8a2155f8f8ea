// Evaluates queries of the committed dashboards on series that a real chain rarely shows.
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { dashboards, type Panel, panelsOf, queriesOf } from "../support/dashboards.ts";
import { dataOf } from "../support/data.ts";
import { describeWith } from "../support/installed.ts";
import { run } from "../support/promtool.ts";

/** Times are minutes since the first sample; there is one each minute, and of `every`, one each so many seconds. */
interface Case {
  /** `uid/panel/query`, or the end of the name of an annotation. */
  readonly query: string;
  /** Values of variables. @default any */
  readonly variables?: Readonly<Record<string, string>>;
  readonly every?: number;
  /** The range of the dashboard, and the interval of rates. @default 1h, 5m */
  readonly range?: string;
  readonly rate?: string;
  readonly at: number;
  readonly series: Readonly<Record<string, string | number>>;
  /** Values by labels, rounded to hundredths. */
  readonly expect: Readonly<Record<string, number>>;
}

const { cases, tiles } = dataOf<{
  readonly cases: Readonly<Record<string, Case>>;
  readonly tiles: Readonly<Record<string, number>>;
}>("results.yaml", import.meta.url);

const all = dashboards.flatMap(queriesOf);

function queryOf({ query, range = "1h", rate = "5m", variables = {} }: Case): string {
  const found = all.find(({ at }) => at.startsWith(`${query} `) || at.endsWith(query));
  if (found === undefined) throw new Error(`there is no query ${query}`);
  const values: Readonly<Record<string, string>> = { __range: range, __rate_interval: rate, ...variables };
  return found.expr.replace(/\$(_*[a-z]\w*)/g, (_, name: string) => values[name] ?? ".*");
}

/** A test file of promtool; `TARGET` stands for the labels of an exporter, `OTHER` for those of another one. */
function testFile(one: Case): object {
  const labels = (text: string) =>
    text
      .replace("TARGET", 'network="mainnet", job="stacks", instance="a"')
      .replace("OTHER", 'network="mainnet", job="stacks", instance="b"');
  const input_series = Object.entries(one.series).map(([series, values]) => ({
    series: labels(series),
    values: String(values),
  }));
  const exp_samples = Object.entries(one.expect).map(([labels, value]) => ({ labels, value }));
  const expr = `round(${queryOf(one)}, 0.01)`;
  const promql_expr_test = [{ expr, eval_time: `${one.at}m`, exp_samples }];
  return { tests: [{ interval: `${one.every ?? 60}s`, input_series, promql_expr_test }] };
}

describeWith("promtool")("with promtool (Debian: apt-get install prometheus)", () => {
  test.each(Object.entries(cases))("%s", async (_, one) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), "stacks-exporter-results-"));
    const file = join(folder.path, "test.json");
    await writeFile(file, JSON.stringify(testFile(one)));

    const { output } = await run("promtool", ["test", "rules", file]);
    expect(output.trim()).toMatch(/SUCCESS$/);
  });
});

describe("a tile of a healthy installation with a free key is not red", () => {
  const panels = new Map<string, Panel>(
    dashboards.flatMap((board) => panelsOf(board).map((panel) => [`${board.uid}/${panel.id}`, panel] as const)),
  );

  test.each(Object.entries(tiles))("%s at %d", (id, value) => {
    const steps = panels.get(id)?.fieldConfig.defaults.thresholds?.steps as { value: number | null; color: string }[];
    const colour = steps.findLast((step) => step.value === null || step.value <= value)?.color;

    expect(["green", "yellow", "text"]).toContain(colour);
  });
});
