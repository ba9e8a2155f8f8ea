// The cost of storing one poll: a commit of an observation of the simulated chain, in a file with many targets.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSimulator } from "../../simulator/server.ts";
import { createClient } from "../../src/api/client.ts";
import { addresses } from "../../src/collectors/addresses/addresses.ts";
import type { AnyCollector } from "../../src/collectors/collector.ts";
import type { Task } from "../../src/collectors/task.ts";
import { encode } from "../../src/storage/codec.ts";
import { StateFile } from "../../src/storage/state-file.ts";
import { median } from "./table.ts";

export interface Commits {
  readonly bytes: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  /** Opening the file and reading every observation. */
  readonly restoreMs: number;
  readonly fileMb: number;
}

async function observed(): Promise<unknown> {
  const simulator = await startSimulator({ seed: 1, history: 300 });
  const client = createClient({
    baseUrl: simulator.url,
    userAgent: "bench",
    budget: { perMinute: 100_000, perMonth: undefined },
  });
  const [principal = ""] = simulator.chain.accounts.users;
  const watched = { principal, name: "a", group: "", labels: {} };
  const target = { key: principal, watched, confirmations: 6 };
  const signal = AbortSignal.timeout(60_000);
  const api = client.forPoll({ priority: 0, signal });
  const poll = {
    api,
    target,
    chain: undefined,
    isFollowed: false,
    previous: undefined,
    now: Date.now(),
    spareSeries: 1e6,
  };
  const observation = await addresses.observe(poll, addresses.options.parse({ backfill: "all" }));
  await client.close();
  await simulator.close();
  return observation;
}

/** Commits of single polls to a file with this number of targets. */
export async function measureCommits(targets: number, commits: number): Promise<Commits> {
  const observation = await observed();
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-bench-"));
  const path = join(folder, "state.db");
  const options = { clock: { now: () => Date.now() }, log: { warn: (_: object, line: string) => console.warn(line) } };
  const collector = addresses as unknown as AnyCollector;
  const task = (index: number) => ({ network: "m", collector, target: { key: `target-${index}` } }) as unknown as Task;
  const stateFile = new StateFile(path, options);
  for (let index = 0; index < targets; index += 1) stateFile.save(task(index), encode(observation), 0);
  const times: number[] = [];
  for (let commit = 0; commit < commits; commit += 1) {
    const started = performance.now();
    // Spread over the file, as in round robin.
    stateFile.save(task((commit * 7919) % targets), encode(observation), commit);
    times.push(performance.now() - started);
  }
  stateFile.close();
  const started = performance.now();
  const again = new StateFile(path, options);
  for (let index = 0; index < targets; index += 1) again.load(task(index));
  const restoreMs = performance.now() - started;
  again.close();
  const fileMb = statSync(path).size / 1e6;
  rmSync(folder, { recursive: true });
  const sorted = times.sort((a, b) => a - b);
  return {
    bytes: Buffer.byteLength(encode(observation)),
    medianMs: median(times),
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    restoreMs,
    fileMb,
  };
}
