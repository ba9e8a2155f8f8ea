// Runs the built program as a process, and reads its memory and CPU time.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const main = new URL("../../dist/main.js", import.meta.url).pathname;

/** The environment in which the image starts the program. */
export const AS_THE_IMAGE = {
  ...process.env,
  NODE_OPTIONS: "--max-semi-space-size=1",
  MALLOC_ARENA_MAX: "1",
  MALLOC_TRIM_THRESHOLD_: "131072",
};

export interface Program {
  readonly child: ChildProcess;
  readonly address: string;
  /** From starting the process to the log line with the address. */
  readonly listeningMs: number;
  readonly page: () => Promise<string>;
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

/**
 * Runs the built program with a configuration until `work` is done. `files` are written next to it. With `watchLoop`,
 * the program reports delays of its event loop over its channel.
 */
export async function withProgram<T>(
  config: string,
  work: (program: Program) => Promise<T>,
  { files = {}, watchLoop = false }: { files?: Readonly<Record<string, string>>; watchLoop?: boolean } = {},
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-bench-"));
  for (const [name, text] of Object.entries({ ...files, "config.yaml": config }))
    writeFileSync(join(folder, name), text);
  const watch = ["--import", new URL("loop-watch.ts", import.meta.url).href];
  const args = [main, "--config", join(folder, "config.yaml"), "--listen", "127.0.0.1:0", "--log-level", "info"];
  const before = performance.now();
  const child = spawn(process.execPath, watchLoop ? [...watch, ...args] : args, {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe", ...(watchLoop ? ["ipc" as const] : [])],
    env: AS_THE_IMAGE,
  });
  try {
    const address = await lineOf(child.stderr, /"address":"([^"]+)"/);
    const listeningMs = performance.now() - before;
    const page = async () => (await fetch(`http://${address}/metrics`)).text();
    return await work({ child, address, listeningMs, page });
  } finally {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true });
  }
}

/** Resident memory of a process, now or (`VmHWM`) at its maximum, MB. */
export function memoryMb({ pid }: ChildProcess, field: "VmRSS" | "VmHWM" = "VmRSS"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN) / 1000;
}

/** CPU time of a process. Fields 14 and 15 of /proc/PID/stat are ticks of a hundredth of a second. */
export function cpuSeconds({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
