// The commits of polls that count, compared with bare commits of the same size by SQLite.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { startSimulator } from "../../simulator/server.ts";
import { Store } from "../../src/store/store.ts";
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

/** Polls addresses of a growing chain until there are `count` commits, then makes as many of the same sizes. */
export async function measureCommits(count: number): Promise<Commits> {
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-bench-"));
  let now = Date.now();
  const simulator = await startSimulator({ seed: 1, history: 300, now: () => now, keepBlocks: 1_000_000 });
  try {
    const stateFile = new Store(join(folder, "state.db"));
    const [times, sizes]: [number[], number[]] = [[], []];
    const commit = stateFile.commit.bind(stateFile);
    stateFile.commit = (key, before, after, ...rest) => {
      const started = performance.now();
      const loaded = commit(key, before, after, ...rest);
      if (key.collector === "addresses" && loaded !== before) {
        times.push(performance.now() - started);
        sizes.push(Buffer.byteLength(loaded.body));
      }
      return loaded;
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
    return { count: times.length, bytes: median(sizes), savedMs: median(times), bareMs: bareCommit(folder, sizes) };
  } finally {
    await simulator.close();
    rmSync(folder, { recursive: true });
  }
}

/** Median time of replacing a row of each size in a file of its own, with the settings of the state file. */
function bareCommit(folder: string, sizes: readonly number[]): number {
  const database = new DatabaseSync(join(folder, "bare.db"));
  database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec("CREATE TABLE bare (key INTEGER PRIMARY KEY, body TEXT)");
  const put = database.prepare("INSERT INTO bare VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body");
  const times = sizes.map((size, index) => {
    const body = "x".repeat(size);
    const started = performance.now();
    put.run(index % 100, body);
    return performance.now() - started;
  });
  database.close();
  return median(times);
}
