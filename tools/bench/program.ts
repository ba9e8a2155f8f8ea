// Runs the built program as a process, and reads its memory and CPU time.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const main = new URL("../../dist/main.js", import.meta.url).pathname;

// The environment in which the image starts the program.
const AS_THE_IMAGE = {
  ...process.env,
  NODE_OPTIONS: "--max-semi-space-size=1",
  MALLOC_ARENA_MAX: "1",
  MALLOC_TRIM_THRESHOLD_: "131072",
};

/** A running exporter. */
export interface Program {
  readonly page: () => Promise<string>;
  /** Resident memory, now or (`VmHWM`) at its maximum. MB. */
  readonly memoryMb: (field: "VmRSS" | "VmHWM") => number;
  readonly cpuSeconds: () => number;
}

export const sleep = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Resolves with the first group of the first line that matches. The rest of the stream is discarded. */
export async function lineOf(stream: NodeJS.ReadableStream | null, pattern: RegExp): Promise<string> {
  if (stream === null) throw new Error("the process has no such stream");
  let found: string | undefined;
  for await (const line of createInterface(stream)) {
    found = pattern.exec(line)?.[1];
    if (found !== undefined) break;
  }
  stream.resume();
  if (found === undefined) throw new Error(`the process ended without a line that matches ${pattern}`);
  return found;
}

/** Runs the built program in a folder, which has its `config.yaml` and keeps its state, until `work` is done. */
export async function withProgram<T>(folder: string, work: (program: Program) => Promise<T>): Promise<T> {
  const args = [main, "--config", "config.yaml", "--listen", "127.0.0.1:0", "--log-level", "info"];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"], env: AS_THE_IMAGE });
  try {
    const address = await lineOf(child.stderr, /"address":"([^"]+)"/);
    return await work({
      page: async () => (await fetch(`http://${address}/metrics`)).text(),
      memoryMb: (field) => memoryMb(child, field),
      cpuSeconds: () => cpuSeconds(child),
    });
  } finally {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  }
}

function memoryMb({ pid }: ChildProcess, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN) / 1000;
}

// Fields 14 and 15 of /proc/PID/stat are ticks of a hundredth of a second.
function cpuSeconds({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
