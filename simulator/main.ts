// The simulator as a program. Once it listens it prints one line of JSON:
// {"url": …, "upstreams": […], "watch": {…}, "fastestBlockSeconds": …}
// `upstreams` are all listen addresses, `watch` is an example watch list.
import { parseArgs } from "node:util";
import { startSimulator } from "./server.ts";
import { watchListOf } from "./watch-list.ts";

const USAGE = `Usage: simulator [options]
  --port <number>          port to listen on (default: any free port)
  --host <address>         address to listen on (default: 127.0.0.1)
  --seed <text>            same seed, same chain (default: 1)
  --time-scale <number>    virtual seconds per real second (default: 1)
  --history <blocks>       number of blocks at the start (default: 200)
  --slow-hours <hours>     hours before those, with a block every half an hour (default: 0)
  --renewal <seconds>      least time between two renewals of a budget, such as 600, 144 or 36 (default: 144)
  --network <name>         mainnet or testnet (default: mainnet)
  --upstreams <number>     listen addresses of the same chain; the others use any free port (default: 1)
  --rate-limit <number>    requests per minute before 429 (default: none)
  --random-events          start spikes, floods and stuck transactions at random
  --exit-with-parent       exit when standard input closes
  --help
`;

function fail(message: string): never {
  process.stderr.write(`${message}\n${USAGE}`);
  process.exit(1);
}

const text = (initial: string) => ({ type: "string", default: initial }) as const;
const toggle = { type: "boolean", default: false } as const;

function readFlags() {
  try {
    const options = {
      port: text("0"),
      host: text("127.0.0.1"),
      seed: text("1"),
      "time-scale": text("1"),
      history: text("200"),
      "slow-hours": text("0"),
      renewal: text("144"),
      network: text("mainnet"),
      upstreams: text("1"),
      "rate-limit": { type: "string" },
      "random-events": toggle,
      "exit-with-parent": toggle,
      help: toggle,
    } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

const flags = readFlags();
if (flags.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

type NumberFlag = "port" | "history" | "slow-hours" | "renewal" | "time-scale" | "rate-limit" | "upstreams";

function count(name: NumberFlag, min: number, isWhole = true): number {
  const number = Number(flags[name]);
  const isValid = flags[name] !== "" && number >= min && Number.isFinite(number);
  if (isValid && (!isWhole || Number.isInteger(number))) return number;
  return fail(`--${name} must be a ${isWhole ? "whole " : ""}number of at least ${min}, got ${flags[name]}`);
}

const { network } = flags;
if (network !== "mainnet" && network !== "testnet") fail(`--network must be mainnet or testnet, got ${network}`);

const gateway = flags["rate-limit"] === undefined ? {} : { perMinute: count("rate-limit", 1) };
const more = count("upstreams", 1) - 1;
const simulator = await startSimulator({
  port: count("port", 0),
  host: flags.host,
  seed: flags.seed,
  timeScale: count("time-scale", 0, false),
  history: count("history", 0),
  slowHours: count("slow-hours", 0),
  renewal: count("renewal", 1),
  network,
  randomEvents: flags["random-events"],
  gateway,
}).catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)));
const { url, fastestBlockSeconds } = simulator;
const others = await Promise.all(Array.from({ length: more }, () => simulator.listen({ host: flags.host, gateway })));
const upstreams = [url, ...others.map((upstream) => upstream.url)];
const watch = watchListOf(simulator.chain.accounts);
process.stdout.write(`${JSON.stringify({ url, upstreams, watch, fastestBlockSeconds })}\n`);

async function stop(): Promise<void> {
  await simulator.close();
  process.exit(0);
}

process.once("SIGTERM", () => void stop());
process.once("SIGINT", () => void stop());
if (flags["exit-with-parent"])
  process.stdin
    .once("end", () => void stop())
    .once("error", () => void stop())
    .resume();
