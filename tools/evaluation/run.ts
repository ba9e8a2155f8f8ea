// `npm run eval` evaluates the reporting seeds and writes docs/fee-alerts.md. `--check` compares instead of writing;
// `--tune` varies the thresholds on the tuning seeds.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { reportPage } from "./report.ts";
import { seedsOf } from "./seeds.ts";
import { tune } from "./tune.ts";
import { BASE, OTHERS } from "./worlds.ts";

const { values } = parseArgs({ options: { tune: { type: "boolean" }, check: { type: "boolean" } } });

if (values.tune === true) tune(seedsOf("tuning"), [BASE, ...OTHERS], console.log);
else {
  const file = new URL("../../docs/fee-alerts.md", import.meta.url);
  const page = await reportPage();
  if (values.check === true) {
    if (readFileSync(file, "utf8") !== page) {
      console.error('docs/fee-alerts.md is not what "npm run eval" writes');
      process.exitCode = 1;
    } else console.log("docs/fee-alerts.md is up to date");
  } else {
    writeFileSync(file, page);
    console.log(page);
  }
}
