// Prometheus or Alertmanager in its own process.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { until } from "./program.ts";

export interface Daemon {
  /** Without a slash at the end. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Those of the programs that are not on the PATH. */
export const missing = (programs: readonly string[]): string[] =>
  programs.filter((name) => spawnSync(name, [name === "openssl" ? "version" : "--version"]).status !== 0);

/** `127.0.0.1:port` with a port that was free a moment ago. */
export async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return `127.0.0.1:${port}`;
}

/** Starts a program on a free port and waits for `/-/ready`. Throws with its log when that fails. */
export async function startDaemon(program: string, args: readonly string[]): Promise<Daemon> {
  const address = await freeAddress();
  const child = spawn(program, [...args, `--web.listen-address=${address}`], { stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (log += text));
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const stop = async () => {
    child.kill("SIGTERM");
    await closed;
  };
  const url = `http://${address}`;
  try {
    await until(() => fetch(`${url}/-/ready`).then(({ ok }) => ok || undefined), program);
  } catch (error) {
    await stop();
    throw new Error(`${program} is not ready:\n${log}`, { cause: error });
  }
  return { url, stop };
}
