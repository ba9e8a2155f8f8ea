// The cost of polls: CPU of one poll, and requests and bytes of an hour with the default configuration.
import { readFileSync } from "node:fs";
import { pino } from "pino";
import { startSimulator } from "../../simulator/server.ts";
import type { Clock } from "../../src/api/clock.ts";
import { App } from "../../src/app.ts";
import { collectors } from "../../src/collectors/index.ts";
import { configLoader } from "../../src/config/load.ts";
import { redactorOf } from "../../src/config/secret.ts";

async function appOf(text: string, clock: Clock): Promise<App> {
  const loaded = await configLoader({ text, file: "bench", env: {}, readFile: () => "", collectors })();
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return new App({
    config: loaded.config,
    version: "0.0.0",
    log: pino({ level: "silent" }),
    clock,
    redactor: redactorOf([]),
  });
}

export interface PollCost {
  /** CPU of one poll of each collector of the whole chain except `blocks`. */
  readonly cpuMs: number;
  /** CPU for parsing the JSON of `fees` and `mempool`. */
  readonly parseMs: number;
}

/** Mean over many polls of a server in a separate process. */
export async function measurePoll(url: string, clock: Clock): Promise<PollCost> {
  const app = await appOf(
    `networks: [{ name: m, url: "${url}", budget: { per_minute: 100000, per_month: unlimited } }]\n` +
      "collectors: { blocks: { enabled: false } }",
    clock,
  );
  const rounds = 1500;
  for (let round = 0; round < 300; round += 1) await app.pollOnce();
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) await app.pollOnce();
  const { user, system } = process.cpuUsage(before);
  await app.stop();

  const bodies = ["mempool-stats.ok", "mempool-fees.ok"].map((name) => {
    const text = readFileSync(new URL(`../../test/responses/captured/${name}.http`, import.meta.url), "utf8");
    return text.slice(text.indexOf("{"));
  });
  const parse = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) for (const body of bodies) JSON.parse(body);
  const parsed = process.cpuUsage(parse);
  return { cpuMs: (user + system) / 1000 / rounds, parseMs: (parsed.user + parsed.system) / 1000 / rounds };
}

export interface Hour {
  readonly requests: number;
  readonly notModified: number;
  readonly bytes: number;
}

/** A clock that is set by hand. Its sleeps never end; polls without retries need none. */
class SetClock implements Clock {
  at = 1_795_000_000_000;
  now = (): number => this.at;
  elapsed = this.now;
  sleep = (_: number, signal?: AbortSignal): Promise<void> =>
    new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true }));
}

/** An hour of the default configuration; `isStill` stops the chain, so every response can be a 304. */
export async function measureHour(isStill: boolean): Promise<Hour> {
  const clock = new SetClock();
  const start = clock.at;
  const simulator = await startSimulator({ seed: 1, now: isStill ? () => start : clock.now });
  const app = await appOf(`networks: [{ name: m, url: "${simulator.url}" }]`, clock);
  for (let second = 0; second < 3600; second += 1) {
    clock.at = start + second * 1000;
    for (const task of app.tasks) if ((second * 1000) % task.intervalMs === 0) await app.poll(task);
  }
  const text = (await app.page.body("classic", false)).toString();
  const sum = (pattern: RegExp) => [...text.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);
  await app.stop();
  await simulator.close();
  return {
    requests: sum(/^stacks_exporter_upstream_requests_total\{.*\} (\d+)$/gm),
    notModified: sum(/^stacks_exporter_upstream_requests_total\{.*code="304"\} (\d+)$/gm),
    bytes: sum(/^stacks_exporter_upstream_received_bytes_total\{.*\} (\d+)$/gm),
  };
}
