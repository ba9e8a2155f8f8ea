// What has to outlive the process: observations whose counters go on after a restart, and how much of the budget was used.
// One SQLite file, one transaction per poll. The only file that knows node:sqlite.
import { mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { BudgetRecord } from "../api/budget.ts";
import { decode, encode } from "./codec.ts";
import { NOT_OURS, problemOf, StoreError } from "./store-error.ts";
import { keyOf, type Task } from "./task.ts";

/** How the file stands. Times are Unix time in milliseconds. */
export interface StoreFacts {
  /** Whether there was anything in the file when it was opened. */
  readonly isRestored: boolean;
  readonly lastWriteAt: number | undefined;
  readonly failures: number;
}

// "STXE": tells our files from those of other programs.
const APPLICATION_ID = 0x53545845;

/** Each step brings the schema one version further; the file knows how many it has had. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE observations (
     network TEXT NOT NULL, collector TEXT NOT NULL, target TEXT NOT NULL,
     version INTEGER NOT NULL, saved_at INTEGER NOT NULL, body TEXT NOT NULL,
     PRIMARY KEY (network, collector, target)
   );
   CREATE TABLE budgets (network TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;`,
];

/** The state file. Belongs to one process at a time. */
export class Store {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #isRestored: boolean;
  readonly #load: StatementSync;
  readonly #save: StatementSync;
  readonly #forget: StatementSync;
  readonly #loadBudget: StatementSync;
  readonly #saveBudget: StatementSync;
  #lastWriteAt: number | undefined;
  #failures = 0;

  /**
   * Opens the file, and makes it when there is none.
   * @throws StoreError when it cannot be used, with what to do about it.
   */
  constructor(path: string, migrations: readonly string[] = MIGRATIONS) {
    this.path = path;
    let database: DatabaseSync | undefined;
    try {
      mkdirSync(dirname(path), { recursive: true });
      database = new DatabaseSync(path, { timeout: 0 });
      // Exclusive: a second exporter on the same file would count everything twice.
      database.exec("PRAGMA locking_mode = EXCLUSIVE");
      prepare(database, path, migrations);
      this.#isRestored = count(database, "observations") > 0;
      this.#load = database.prepare(
        "SELECT version, body FROM observations WHERE network = ? AND collector = ? AND target = ?",
      );
      this.#save = database.prepare(
        "INSERT OR REPLACE INTO observations (network, collector, target, version, saved_at, body) VALUES (?, ?, ?, ?, ?, ?)",
      );
      this.#forget = database.prepare("DELETE FROM observations WHERE network = ? AND collector = ? AND target = ?");
      this.#loadBudget = database.prepare("SELECT body FROM budgets WHERE network = ?");
      this.#saveBudget = database.prepare("INSERT OR REPLACE INTO budgets (network, body) VALUES (?, ?)");
      this.#database = database;
    } catch (error) {
      if (database?.isOpen) database.close();
      throw error instanceof StoreError ? error : new StoreError(path, problemOf(error), error);
    }
  }

  /** The observation of a task as it was last saved; undefined when it never was, or its collector does not ask for it. */
  load(task: Task): unknown {
    const { network, collector, target } = task;
    if (collector.durable === undefined) return undefined;
    const row = this.#load.get(network, collector.name, target.key);
    if (row === undefined) return undefined;
    try {
      const observation = decode(String(row.body));
      const version = Number(row.version);
      if (version === collector.durable.version) return observation;
      if (version > collector.durable.version || collector.durable.upgrade === undefined) {
        throw new Error(`it has version ${version}, this one knows version ${collector.durable.version}`);
      }
      return collector.durable.upgrade(observation, version);
    } catch (error) {
      throw this.unreadable(task, error);
    }
  }

  /** The error that says what was saved of a task is of no use. */
  unreadable(task: Task, error: unknown): StoreError {
    return new StoreError(this.path, `what was saved of ${keyOf(task)} cannot be read: ${messageOf(error)}`, error);
  }

  /**
   * Saves an observation in one transaction, which is on the disk when this returns; undefined forgets it.
   * @throws StoreError when it cannot be written.
   */
  save({ network, collector, target }: Task, observation: unknown, now: number): void {
    if (collector.durable === undefined) return;
    const { version } = collector.durable;
    const key = [network, collector.name, target.key];
    this.#write(now, () =>
      observation === undefined ? this.#forget.run(...key) : this.#save.run(...key, version, now, encode(observation)),
    );
  }

  /** What was used of the budget of a network; undefined when nothing is known. */
  loadBudget(network: string): BudgetRecord | undefined {
    const row = this.#loadBudget.get(network);
    if (row === undefined) return undefined;
    try {
      return JSON.parse(String(row.body)) as BudgetRecord;
    } catch (error) {
      throw new StoreError(this.path, `the saved budget of ${network} cannot be read (${messageOf(error)})`, error);
    }
  }

  /** Saves what was used of the budget of a network. @throws StoreError */
  saveBudget(network: string, record: BudgetRecord, now: number): void {
    this.#write(now, () => this.#saveBudget.run(network, JSON.stringify(record)));
  }

  /** How the file stands. */
  facts(): StoreFacts {
    return { isRestored: this.#isRestored, lastWriteAt: this.#lastWriteAt, failures: this.#failures };
  }

  /** Closes the file; the next process may have it. */
  close(): void {
    this.#database.close();
  }

  #write(now: number, work: () => unknown): void {
    try {
      work();
      this.#lastWriteAt = now;
    } catch (error) {
      this.#failures += 1;
      throw new StoreError(this.path, problemOf(error), error);
    }
  }
}

/**
 * Puts a state file aside, so that counting begins anew; returns where it is now, undefined when there was none.
 * @throws StoreError when another process uses it, or it cannot be moved.
 */
export function setAside(path: string, now: number): string | undefined {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  try {
    new Store(path).close();
  } catch (error) {
    // Damaged, foreign or too new: reasons to put it aside. In use is not.
    if (!(error instanceof StoreError) || error.isInUse) throw error;
  }
  const kept = `${path}.${new Date(now).toISOString().replaceAll(/[:.]/g, "-")}`;
  try {
    for (const suffix of ["", "-wal", "-shm"]) {
      if (statSync(path + suffix, { throwIfNoEntry: false }) !== undefined) renameSync(path + suffix, kept + suffix);
    }
  } catch (error) {
    throw new StoreError(path, `cannot be put aside: ${messageOf(error)}`, error);
  }
  return kept;
}

function prepare(database: DatabaseSync, path: string, migrations: readonly string[]): void {
  const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  // Empty also when the process that made it was killed before it had written anything.
  if (count(database, "sqlite_schema") > 0 || pragma("application_id") !== 0) {
    if (pragma("application_id") !== APPLICATION_ID) throw new StoreError(path, NOT_OURS);
    const damage = pragma("quick_check(1)");
    if (damage !== "ok") throw new StoreError(path, `is damaged (${damage})`);
  }
  const version = Number(pragma("user_version"));
  if (version > migrations.length) {
    const known = `its schema has version ${version}, this one knows up to ${migrations.length}`;
    throw new StoreError(path, `was written by a newer version of stacks-exporter (${known})`);
  }
  database.exec("BEGIN EXCLUSIVE");
  for (const step of migrations.slice(version)) database.exec(step);
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.length}; COMMIT`);
  // A poll is on the disk before anybody sees its numbers: not even a power cut may take them back.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -1024");
}

const count = (database: DatabaseSync, table: string): number =>
  Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
