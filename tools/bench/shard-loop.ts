// npm run shard-loop [addresses] [blocks of history] [seconds between polls] [allow]: runs the built program in 4
// shards and then in 6, kills each, and compares the sums of a Prometheus with the expected totals. With `allow`, an
// allow list exposes five families.
import { execFileSync } from "node:child_process";
import { shardLoop } from "../../test/support/shard-loop.ts";

const [addresses = "8000", history = "300", every = "10", allow] = process.argv.slice(2);
const path = (file: string) => new URL(file, import.meta.url).pathname;
execFileSync(process.execPath, [path("../build.ts")], { stdio: "inherit" });
const { faults, ...result } = await shardLoop(path("../../dist/main.js"), {
  addresses: Number(addresses),
  history: Number(history),
  everySeconds: Number(every),
  isAllowed: allow === "allow",
  // A page of some megabytes takes longer than two seconds on a busy machine.
  scrapeSeconds: Number(addresses) > 20_000 ? 15 : 2,
});
console.log(JSON.stringify(result));
for (const fault of faults) console.log(fault);
console.log(faults.length === 0 ? "no count was lost or doubled" : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
