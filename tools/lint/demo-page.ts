// The metrics page of a demo in which all collectors have been polled.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

async function responseOf(url: string, accept: string): Promise<string | undefined> {
  const response = await fetch(url, { headers: { accept } });
  const body = await response.text();
  return response.ok ? body : undefined;
}

/** Starts the demo on a free port, waits until it is ready, and resolves with its page in the classic format. */
export async function demoPage(): Promise<string> {
  const demo = spawn(process.execPath, [main, "demo", "--listen", "127.0.0.1:0", "--log-format", "json"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    for await (const line of createInterface(demo.stdout)) {
      const [, url] = /serves +(http:\S+)\/metrics/.exec(line) ?? [];
      if (url === undefined) continue;
      for (let tries = 0; tries < 300; tries++) {
        if ((await responseOf(`${url}/-/ready`, "*/*")) !== undefined)
          return (await responseOf(`${url}/metrics`, "text/plain")) ?? "";
        await delay(100);
      }
    }
    throw new Error("the demo did not become ready");
  } finally {
    demo.kill("SIGTERM");
    if (demo.exitCode === null) await once(demo, "close");
  }
}
