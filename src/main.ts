#!/usr/bin/env node
// Arguments, environment, streams and signals come in here; the exit code goes out. Nothing else touches the process.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Simulated } from "./commands/io.ts";

// Halves the start of every run but the first.
enableCompileCache();

const isSource = import.meta.url.endsWith(".ts");
const packageFile = new URL("../package.json", import.meta.url);
const simulator = new URL(isSource ? "../simulator/main.ts" : "./simulator.js", import.meta.url);

const stopped = new Promise<void>((resolve) => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
});

// Without a listener, Node.js opens a debugger.
process.on("SIGUSR1", () => undefined);
// Without a listener, it ends the process: an attempt to reload the configuration must not stop the exporter.
const hangUps = new Set<() => void>();
process.on("SIGHUP", () => {
  for (const listener of hangUps) listener();
});

// Output that cannot be written fails the command; a reader that has seen enough (`| head`) is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") process.stderr.write(`cannot write the output: ${error.message}\n`);
  process.exit(error.code === "EPIPE" ? 0 : 1);
});
// A log that cannot be written (a full disk, a collector of logs that went away) must not end the exporter, and there is
// nowhere left to say it.
process.stderr.on("error", () => undefined);

async function startSimulator(args: readonly string[]): Promise<Simulated> {
  // Its standard input is a lifeline: it ends when this process does, even by kill -9.
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
  onHangUp: (listener) => void hangUps.add(listener),
  startSimulator,
});
process.exitCode = code;
// Whatever is left (a keep-alive socket, a child on its way out) must not hold the process.
setTimeout(() => process.exit(code), 500).unref();
