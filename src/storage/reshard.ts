// Distributes the state of all shards to a new number of shards.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sum } from "../api/budget-limits.ts";
import type { Clock } from "../api/clock.ts";
import type { BudgetRecord } from "../api/shared-budget.ts";
import { addedBodies } from "./group-total.ts";
import type { StateFileLog } from "./open.ts";
import { ALONE, type Shard, shardOf } from "./shard.ts";
import { OF_GROUPS, type SavedTotal, StateFile } from "./state-file.ts";
import { StateFileError } from "./state-file-error.ts";

interface Options {
  readonly log: StateFileLog;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Writes the state files of `count` shards to a folder, as `shard-N.db`. Each has the rows of its principals, and its
 * part of the remaining budgets. The first one also has the state of the whole chain and the counters of groups. The
 * old files are not changed.
 * @param paths the state files of all shards, in any order
 * @returns the written files
 * @throws StateFileError if an old file is missing or of other shards, or a new one exists or cannot be written.
 */
export function reshard(paths: readonly string[], count: number, folder: string, options: Options): readonly string[] {
  const sources = inOrder(paths, options);
  const { budgets, totals } = sharedRows(sources, options);
  return Array.from({ length: count }, (_, index) => {
    const path = join(folder, `shard-${index}.db`);
    if (existsSync(path)) throw new StateFileError(path, "exists, and is not overwritten");
    const file = new StateFile(path, options);
    file.claim({ index, count }, options.clock.now());
    for (const [key, records] of budgets) file.saveBudget(key, partOf(records, count), options.clock.now());
    // The first shard continues the sums, and the others start at 0. Without a saved total, they would start with the
    // earlier counts of their members.
    for (const { of, body } of totals) file.saveTotal({ of, body: index === 0 ? body : {} }, options.clock.now());
    file.close();
    for (const [from, source] of sources.entries()) {
      copyRows(source, path, { index: from, count: sources.length }, { index, count });
    }
    return path;
  });
}

// The paths in the order of their shards.
function inOrder(paths: readonly string[], options: Options): readonly string[] {
  const ordered: string[] = [];
  for (const path of paths) {
    const file = new StateFile(path, options);
    const { index, count } = file.shard ?? ALONE;
    file.close();
    if (count !== paths.length) {
      throw new StateFileError(
        path,
        `is the state of one of ${count} shards, and the number of files is ${paths.length}`,
      );
    }
    if (ordered[index] !== undefined)
      throw new StateFileError(path, `is the state of the same shard as ${ordered[index]}`);
    ordered[index] = path;
  }
  return ordered;
}

// The state of which each shard has a part: the used budgets by their keys, and the counters of each group.
function sharedRows(sources: readonly string[], options: Options) {
  const budgets = new Map<string, BudgetRecord[]>();
  const totals: SavedTotal[] = [];
  for (const source of sources) {
    const file = new StateFile(source, options);
    for (const key of file.budgetKeys()) {
      const record = file.loadBudget(key);
      if (record !== undefined) budgets.set(key, [...(budgets.get(key) ?? []), record]);
    }
    totals.push(...file.totals());
    file.close();
  }
  const byGroup = Map.groupBy(totals, ({ of }) => JSON.stringify([of.network, of.collector, of.group]));
  const sumOf = (parts: readonly SavedTotal[]): SavedTotal => ({
    of: (parts[0] as SavedTotal).of,
    body: addedBodies(parts.map(({ body }) => body)),
  });
  return { budgets, totals: [...byGroup.values()].map(sumOf) };
}

// The remaining month of all shards, divided by their new number. The minute has passed before the shards start.
function partOf(records: readonly BudgetRecord[], count: number): BudgetRecord {
  const months = records.flatMap(({ month }) => month ?? []);
  const pauses = records.flatMap(({ pausedUntil }) => pausedUntil ?? []);
  return {
    minute: records[0]?.minute ?? [],
    month:
      months.length === 0
        ? undefined
        : { tokens: sum(months.map(({ tokens }) => tokens)) / count, at: Math.max(...months.map(({ at }) => at)) },
    pausedUntil: pauses.length === 0 ? undefined : Math.max(...pauses),
  };
}

// Excludes the counters of groups, which are not rows of principals.
function copyRows(source: string, path: string, from: Shard, to: Shard): void {
  const database = new DatabaseSync(path);
  try {
    const isOf = { deterministic: true };
    database.function("shard_of", isOf, (principal, count) => shardOf(String(principal), Number(count)));
    database.prepare("ATTACH ? AS source").run(source);
    const chain = from.index === 0 ? "target = ''" : "FALSE";
    const columns = "network, collector, target, version, saved_at, body, checksum";
    database.exec("BEGIN");
    database.exec(
      `INSERT INTO observations (${columns}) SELECT ${columns} FROM source.observations
         WHERE ${chain} OR target <> '' AND collector NOT LIKE '%${OF_GROUPS}' AND shard_of(target, ${from.count}) = ${from.index}
           AND shard_of(target, ${to.count}) = ${to.index}`,
    );
    if (from.index === 0) database.exec("INSERT OR IGNORE INTO networks SELECT * FROM source.networks");
    database.exec("COMMIT");
  } catch (error) {
    throw StateFileError.from(path, error);
  } finally {
    database.close();
  }
}
