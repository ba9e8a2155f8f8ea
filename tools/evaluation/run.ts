// `npm run eval` evaluates the fee alert and the fee estimates, and writes the generated part of docs/fee-alerts.md.
// `npm run eval -- --tuning` prints the figures on the seeds that thresholds are chosen with.
import { readFileSync, writeFileSync } from "node:fs";
import { report } from "./report.ts";

const START = "<!-- Written by npm run eval: -->";
const END = "<!-- End of the written part. -->";

if (process.argv.includes("--tuning")) console.log(await report("tuning", "tuning"));
else {
  const file = new URL("../../docs/fee-alerts.md", import.meta.url);
  const page = readFileSync(file, "utf8");
  const [before, after] = [page.indexOf(START), page.indexOf(END)];
  if (before < 0 || after < before) throw new Error(`docs/fee-alerts.md has no "${START}" and "${END}"`);
  const tables = await report("reporting", "worlds");
  writeFileSync(file, `${page.slice(0, before)}${START}\n\n${tables}\n\n${page.slice(after)}`);
}
