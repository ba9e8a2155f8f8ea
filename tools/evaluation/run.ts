// `npm run eval` evaluates the fee alert and the fee estimates, and writes the tables of docs/fee-alerts-worlds.md.
// `npm run eval -- --check NUMBER` compares the page with the rows of a twentieth of the markets, in some minutes.
// `npm run eval -- --tuning` prints the figures on the seeds that thresholds are chosen with.
import { readFileSync, writeFileSync } from "node:fs";
import { report } from "./report.ts";

const [option, number] = process.argv.slice(2);
if (option === "--tuning") console.log(await report("tuning", "tuning"));
else {
  const file = new URL("../../docs/fee-alerts-worlds.md", import.meta.url);
  const written = readFileSync(file, "utf8");
  const [introduction] = written.split("Traces of ");
  const part = option === "--check" ? Number(number ?? 0) : undefined;
  const tables = `${await report("reporting", "worlds", part)}\n`;
  if (part === undefined) writeFileSync(file, `${introduction}${tables}`);
  else {
    const lines = written.split("\n");
    const missing = tables.split("\n").filter((line) => !lines.includes(line));
    if (missing.length > 0 || Number.isNaN(part)) throw new Error(`expected in ${file}: ${missing.join("\n")}`);
  }
}
