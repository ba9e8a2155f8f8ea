// npm run kill-loop [kills] [seed]: kills the built program at that many random moments (1,000) and holds its counters to the books.
import { execFileSync } from "node:child_process";
import { killLoop } from "../../test/support/kill-loop.ts";

const [kills = "1000", seed = "1"] = process.argv.slice(2);
const path = (file: string) => new URL(file, import.meta.url).pathname;
execFileSync(process.execPath, [path("../build.ts")], { stdio: "inherit" });
const { faults, ...result } = await killLoop(path("../../dist/main.js"), Number(kills), Number(seed));
console.log(JSON.stringify(result));
for (const fault of faults) console.log(fault);
console.log(faults.length === 0 ? "nothing was lost, nothing was doubled" : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
