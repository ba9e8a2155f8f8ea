// npm run kill-loop [kills] [seed]: kills the built program at random moments (default: 1,000) and compares its
// counters with the expected totals.
import { execFileSync } from "node:child_process";
import { killLoop } from "../test/support/kill-loop.ts";

const [kills = "1000", seed = "1"] = process.argv.slice(2);
const path = (file: string) => new URL(file, import.meta.url).pathname;
execFileSync(process.execPath, [path("./build.ts")], { stdio: "inherit" });
const { faults, ...result } = await killLoop(path("../dist/main.js"), Number(kills), Number(seed));
console.log(JSON.stringify(result));
for (const fault of faults) console.log(fault);
console.log(faults.length === 0 ? "no count was lost or doubled" : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
