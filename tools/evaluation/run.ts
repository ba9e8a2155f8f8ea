// `npm run eval` evaluates the fee alerts and writes the generated part of docs/fee-alerts.md. `--check` compares
// instead of writing. `--try spike.feeRatio=2.5` prints the figures with another threshold, on other seeds; repeatable.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { FEES } from "../../alerts/thresholds.ts";
import { report } from "./report.ts";
import type { FeeThresholds } from "./signals.ts";

const START = "<!-- Written by npm run eval: -->";
const END = "<!-- End of the written part. -->";

/** The thresholds with one of them changed, given as `group.name=value`. */
function changed(fees: FeeThresholds, change: string): FeeThresholds {
  const [, group = "", name = "", value = ""] = /^(\w+)\.(\w+)=(.+)$/.exec(change) ?? [];
  const before = fees[group as keyof FeeThresholds] as Readonly<Record<string, unknown>> | undefined;
  if (before?.[name] === undefined)
    throw new Error(`expected --try GROUP.NAME=VALUE of alerts/thresholds.ts: ${change}`);
  return { ...fees, [group]: { ...before, [name]: Number.isNaN(Number(value)) ? value : Number(value) } };
}

const { values } = parseArgs({ options: { try: { type: "string", multiple: true }, check: { type: "boolean" } } });
if (values.try !== undefined) console.log(await report("tuning", "tuning", values.try.reduce(changed, FEES)));
else {
  const file = new URL("../../docs/fee-alerts.md", import.meta.url);
  const page = readFileSync(file, "utf8");
  const [before, after] = [page.indexOf(START), page.indexOf(END)];
  if (before < 0 || after < before) throw new Error(`docs/fee-alerts.md has no "${START}" and "${END}"`);
  const written = `${page.slice(0, before)}${START}\n\n${await report("reporting", "worlds")}\n\n${page.slice(after)}`;
  if (values.check !== true) writeFileSync(file, written);
  else if (page !== written) {
    console.error('docs/fee-alerts.md is not what "npm run eval" writes');
    process.exitCode = 1;
  } else console.log("docs/fee-alerts.md is up to date");
}
