// npm run reload-loop [reloads] [seed]: reloads the built program with random configurations (default: 1,000), with and
// without a state file, and compares its counters with the expected totals.
import { execFileSync } from "node:child_process";
import { reloadLoop } from "../../test/support/reload-loop.ts";

const [reloads = "1000", seed = "1"] = process.argv.slice(2);
const path = (file: string) => new URL(file, import.meta.url).pathname;
execFileSync(process.execPath, [path("../build.ts")], { stdio: "inherit" });
for (const isKept of [true, false]) {
  const { faults, ...result } = await reloadLoop(path("../../dist/main.js"), Number(reloads), Number(seed), isKept);
  console.log(isKept ? "with a state file" : "without a state file", JSON.stringify(result));
  for (const fault of faults) console.log(fault);
  console.log(faults.length === 0 ? "no count was lost or doubled" : `${faults.length} faults`);
  if (faults.length > 0) process.exitCode = 1;
}
