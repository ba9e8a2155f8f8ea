// The simulator as a program, for the demo. Once it listens it prints one line of JSON: {"url": …, "watch": {…}}.
// `watch` is an example watch list.
import { parseArgs } from "node:util";
import { startSimulator } from "./server.ts";
import { watchListOf } from "./watch-list.ts";

const { values } = parseArgs({
  options: {
    /** The same seed gives the same chain. */
    seed: { type: "string" },
    /** Hours before the history, with a block every half an hour. */
    "slow-hours": { type: "string", default: "0" },
    /** Spikes, floods and stuck transactions start at random. */
    "random-events": { type: "boolean", default: false },
    /** Exits when standard input closes. */
    "exit-with-parent": { type: "boolean", default: false },
  },
});
const simulator = await startSimulator({
  ...(values.seed !== undefined && { seed: values.seed }),
  slowHours: Number(values["slow-hours"]),
  randomEvents: values["random-events"],
});
const watch = watchListOf(simulator.chain.accounts);
process.stdout.write(`${JSON.stringify({ url: simulator.url, watch })}\n`);

async function stop(): Promise<void> {
  await simulator.close();
  process.exit(0);
}

process.once("SIGTERM", () => void stop());
process.once("SIGINT", () => void stop());
if (values["exit-with-parent"])
  process.stdin
    .once("end", () => void stop())
    .once("error", () => void stop())
    .resume();
