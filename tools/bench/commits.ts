// The commits of polls that count, compared with bare commits of the same size by SQLite.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { startSimulator } from "../../simulator/server.ts";
import { encode, Store } from "../../src/store/store.ts";
import { createApp, onlyCollectors } from "../../test/support/app.ts";
import { median } from "./table.ts";

/** Times of the commits. */
export interface Commits {
  readonly count: number;
  /** Median size of what a poll saves. */
  readonly bytes: number;
  /** Medians. */
  readonly savedMs: number;
  readonly bareMs: number;
}

/** Polls addresses of a growing chain until there are `count` commits, each followed by a bare one of its size. */
export async function measureCommits(count: number): Promise<Commits> {
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-bench-"));
  let now = Date.now();
  await using simulator = await startSimulator({ seed: 1, history: 300, now: () => now, keepBlocks: 1_000_000 });
  try {
    const stateFile = new Store(join(folder, "state.db"));
    const bare = bareFile(folder);
    const [times, bareTimes, sizes]: [number[], number[], number[]] = [[], [], []];
    const commit = stateFile.commit.bind(stateFile);
    stateFile.commit = (key, before, after, changes, owner) => {
      const started = performance.now();
      commit(key, before, after, changes, owner);
      const [, collector] = key;
      if (collector !== "addresses" || changes?.counters.length === 0) return;
      times.push(performance.now() - started);
      const size = Buffer.byteLength(encode(after.values));
      sizes.push(size);
      bareTimes.push(bare(size));
    };
    const addresses = simulator.chain.accounts.users.map((address) => `{ address: ${address} }`);
    const app = await createApp(
      `networks:
  - name: m
    url: ${simulator.url}
    budget: { per_minute: 100000, per_month: unlimited }
    addresses: [${addresses.join(", ")}]
collectors: ${onlyCollectors({ blocks: {}, addresses: { backfill: "all" } })}`,
      undefined,
      { store: stateFile },
    );
    while (times.length < count) {
      now += 60_000;
      simulator.advance(0);
      await app.pollOnce();
    }
    await app.stop();
    return { count: times.length, bytes: median(sizes), savedMs: median(times), bareMs: median(bareTimes) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A file of its own with the settings of the state file. Replaces a row by another one of a size; returns the time. */
function bareFile(folder: string): (size: number) => number {
  const database = new DatabaseSync(join(folder, "bare.db"));
  database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec("CREATE TABLE bare (key INTEGER PRIMARY KEY, body TEXT)");
  const put = database.prepare("INSERT INTO bare VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body");
  let count = 0;
  return (size) => {
    count += 1;
    // SQLite writes nothing for the same content.
    const body = String(count).padStart(size, "x");
    const started = performance.now();
    put.run(count % 100, body);
    return performance.now() - started;
  };
}
