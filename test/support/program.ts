// The real program in its own process.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const running = new Set<ChildProcess>();

/** Kills the programs of a failed test that are still running. */
export function killAll(): void {
  for (const child of running) child.kill("SIGKILL");
}

const SOURCE = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly child: ChildProcess;
  /** Standard output and error so far. */
  readonly text: () => { readonly out: string; readonly err: string };
  /** Resolves with the first match in either stream; rejects if the program ends first. */
  readonly says: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly finished: Promise<Finished>;
}

/**
 * Starts the program in its own folder, with only the given environment and the PATH. It can run as another user,
 * and with a limit on the size of files (KiB), which simulates a full disk.
 */
export function start(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  options: { readonly uid?: number | undefined; readonly largestFile?: number; readonly main?: string } = {},
): Running {
  const { uid, largestFile, main = SOURCE } = options;
  const cwd = mkdtempSync(join(tmpdir(), "stacks-exporter-run-"));
  const command = [process.execPath, main, ...args];
  const limited = ["sh", "-c", `ulimit -f ${(largestFile ?? 0) * 2}; exec "$@"`, "sh", ...command];
  const [program = "", ...rest] = largestFile === undefined ? command : limited;
  const child = spawn(program, rest, {
    cwd,
    ...(uid === undefined ? {} : { uid }),
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  const text = { out: "", err: "" };
  const heard = new Set<() => void>();
  for (const [name, stream] of [
    ["out", child.stdout],
    ["err", child.stderr],
  ] as const) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text[name] += chunk;
      for (const listener of heard) listener();
    });
  }
  const finished = once(child, "close").then(([code, signal]): Finished => {
    running.delete(child);
    rmSync(cwd, { recursive: true });
    for (const listener of heard) listener();
    return { code: code as number | null, signal: signal as string | null, ...text };
  });
  return {
    child,
    text: () => ({ ...text }),
    finished,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(text.out) ?? pattern.exec(text.err);
          if (match === null && child.exitCode === null && child.signalCode === null) return;
          heard.delete(look);
          if (match === null)
            reject(new Error(`ended with ${child.exitCode} before it printed ${pattern}:\n${text.out}${text.err}`));
          else resolve(match);
        };
        heard.add(look);
        look();
      }),
  };
}

/** Runs the program to its end. */
export const run = (args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Finished> =>
  start(args, env).finished;

/** For a request to a program that does not listen yet, or no longer: undefined. Other errors are thrown. */
export function ifNotListening(error: unknown): undefined {
  if (!/^(fetch failed|terminated)$/.test((error as Error).message)) throw error;
}

/**
 * Polls another process until there is a result. The limit is far above what a busy machine needs.
 * @throws Error when a call fails, and after the limit, with the reason why the program did not listen if it did not.
 */
export async function until<T>(ask: () => Promise<T | undefined>, what: string, milliseconds = 300_000): Promise<T> {
  const end = Date.now() + milliseconds;
  for (;;) {
    let cause: unknown;
    const response = await ask().catch((error: unknown) => {
      cause = error;
      return ifNotListening(error);
    });
    if (response !== undefined) return response;
    if (Date.now() > end) throw new Error(`timed out waiting for ${what}`, { cause });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A program that serves. */
export interface Serving extends Running {
  /** `127.0.0.1:port` */
  readonly address: string;
  readonly url: string;
  /** A page, that of the metrics by default. */
  readonly page: (path?: string) => Promise<string>;
  readonly ready: () => Promise<unknown>;
  /** Ends it as a service manager does. */
  readonly stop: () => Promise<Finished>;
}

/** Starts the program on a free port; resolves when it listens. */
export async function serve(...[args, ...rest]: Parameters<typeof start>): Promise<Serving> {
  const program = start([...args, "--listen", "127.0.0.1:0"], ...rest);
  const [, address = ""] = await program.says(/"address":"([^"]+)"/);
  const url = `http://${address}`;
  return {
    ...program,
    address,
    url,
    page: async (path = "/metrics") => (await fetch(url + path)).text(),
    ready: () => until(() => fetch(`${url}/-/ready`).then(({ ok }) => ok || undefined), "readiness"),
    stop: () => {
      program.child.kill("SIGTERM");
      return program.finished;
    },
  };
}
