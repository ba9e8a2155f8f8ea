// The process: arguments, environment, streams, signals and the exit code. No other file uses them, but for proxies.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Simulated } from "./commands/io.ts";

// Halves the start time of later runs.
enableCompileCache();

const isSource = import.meta.url.endsWith(".ts");
const packageFile = new URL("../package.json", import.meta.url);
const simulator = new URL(isSource ? "../simulator/main.ts" : "./simulator.js", import.meta.url);

// Node.js writes its warnings as plain text, which a log of JSON lines must not contain.
const onWarning = (listener: (warning: Error) => void) =>
  void process.removeAllListeners("warning").on("warning", listener);
onWarning(({ name, message }) => void process.stderr.write(`${name}: ${message}\n`));

const stopped = new Promise<void>((resolve) => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
});

// Without a listener, Node.js opens a debugger.
process.on("SIGUSR1", () => undefined);
// Reloads the configuration of `serve`, also if it arrives during the start. Without a listener, it ends the process.
let isHungUp = false;
process.on("SIGHUP", () => {
  isHungUp = true;
});

// Output that cannot be written fails the command, except when its reader has ended (`| head`).
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") process.stderr.write(`cannot write the output: ${error.message}\n`);
  process.exit(error.code === "EPIPE" ? 0 : 1);
});
// A log that cannot be written (a full disk, a log collector that has ended) must not end the exporter.
process.stderr.on("error", () => undefined);

async function startSimulator(args: readonly string[]): Promise<Simulated> {
  // It ends when its standard input closes, which happens even when this process is killed.
  const child = spawn(process.execPath, [fileURLToPath(simulator), ...args, "--exit-with-parent"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  for await (const line of createInterface(child.stdout)) {
    return { ...(JSON.parse(line) as Omit<Simulated, "stop">), stop: () => child.kill() };
  }
  throw new Error("the simulator ended before it listened");
}

const { run } = await import("./cli.ts");
const { version } = JSON.parse(readFileSync(packageFile, "utf8")) as { version: string };
const code = await run(process.argv.slice(2), {
  env: process.env,
  version,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  stopped,
  onHangUp: (listener) => {
    process.on("SIGHUP", listener);
    if (isHungUp) listener();
  },
  onWarning,
  startSimulator,
});
process.exitCode = code;
// A keep-alive socket or a child that is ending must not delay the exit.
setTimeout(() => process.exit(code), 500).unref();
