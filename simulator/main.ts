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
  --history <blocks>       blocks that exist at the start (default: 200)
  --network <name>         mainnet or testnet (default: mainnet)
  --upstreams <number>     listen addresses of the same chain; the others use any free port (default: 1)
  --rate-limit <number>    requests per minute before 429 (default: none)
  --random-events          spikes, floods and stuck transactions come by themselves
  --exit-with-parent       exit when standard input closes
  --help
`;

function fail(message: string): never {
  process.stderr.write(`${message}\n${USAGE}`);
  process.exit(1);
}

function readFlags() {
  try {
    return parseArgs({
      options: {
        port: { type: "string", default: "0" },
        host: { type: "string", default: "127.0.0.1" },
        seed: { type: "string", default: "1" },
        "time-scale": { type: "string", default: "1" },
        history: { type: "string", default: "200" },
        network: { type: "string", default: "mainnet" },
        upstreams: { type: "string", default: "1" },
        "rate-limit": { type: "string" },
        "random-events": { type: "boolean", default: false },
        "exit-with-parent": { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

const flags = readFlags();
if (flags.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

function count(
  name: "port" | "history" | "time-scale" | "rate-limit" | "upstreams",
  least: number,
  isWhole = true,
): number {
  const number = Number(flags[name]);
  if (flags[name] !== "" && number >= least && (isWhole ? Number.isInteger(number) : Number.isFinite(number))) {
    return number;
  }
  return fail(`--${name} must be a ${isWhole ? "whole " : ""}number of at least ${least}, got ${flags[name]}`);
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
  network,
  randomEvents: flags["random-events"],
  gateway,
}).catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)));
const { url, fastestBlockSeconds } = simulator;
const others = await Promise.all(Array.from({ length: more }, () => simulator.listen({ host: flags.host, gateway })));
const upstreams = [url, ...others.map((upstream) => upstream.url)];
const watch = watchListOf(simulator.chain.accounts);
process.stdout.write(`${JSON.stringify({ url, upstreams, watch, fastestBlockSeconds })}\n`);

let isStopping = false;
async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  await simulator.close();
  process.exit(0);
}

process.on("SIGTERM", () => void stop());
process.on("SIGINT", () => void stop());
if (flags["exit-with-parent"])
  process.stdin
    .on("end", () => void stop())
    .on("error", () => void stop())
    .resume();
