// The budget file: what all processes with the same state file have used of their budgets. A running exporter and
// commands have it open at the same time, and each request is written before it is sent.
import { chownSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { BudgetChange, BudgetRecord, SharedBudget } from "../api/shared-budget.ts";
import { StateFileError } from "./state-file-error.ts";

/** The path of the budget file of a state file. */
export const budgetPathOf = (statePath: string): string => `${statePath}.budget`;

const MINUTE_MS = 60_000;
// Another process is done in a fraction of a millisecond, unless it is stopped. Waiting blocks everything else.
const BUSY_MS = 10;
const OPENING_MS = 1000;
// It reads all rows, of which there may be a hundred thousand.
const EXPIRE_MS = 10_000;
// Unix time is known in whole milliseconds: no other process may take a request for older than it is.
const CLOCK_MS = 1;
const NOTHING: BudgetRecord = { minute: [] };

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS requests (
    id INTEGER PRIMARY KEY AUTOINCREMENT, budget TEXT NOT NULL, at INTEGER NOT NULL, priority INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS budgets (
    budget TEXT PRIMARY KEY, tokens REAL, at INTEGER NOT NULL, paused_until REAL
  ) WITHOUT ROWID;`;

/** The operations on the file; `id` orders requests, and is never used twice. */
const STATEMENTS = {
  begin: "BEGIN IMMEDIATE",
  commit: "COMMIT",
  requests: "SELECT id, at, priority FROM requests WHERE budget = ? AND id > ? ORDER BY id",
  budget: "SELECT tokens, at, paused_until FROM budgets WHERE budget = ?",
  add: "INSERT INTO requests (budget, at, priority) VALUES (?, ?, ?)",
  remove: `DELETE FROM requests
           WHERE id = (SELECT min(id) FROM requests WHERE budget = ? AND at = ? AND priority = ?)`,
  expire: "DELETE FROM requests WHERE at <= ?",
  put: "INSERT OR REPLACE INTO budgets (budget, tokens, at, paused_until) VALUES (?, ?, ?, ?)",
} as const;

type Statements = Readonly<Record<keyof typeof STATEMENTS, StatementSync>>;

interface BudgetFileOptions {
  readonly clock: { now(): number };
  /**
   * Called when the file fails, and not again until it has worked. Returns whether this process continues with its own
   * copy of the budgets; otherwise it sends nothing while the file fails.
   */
  readonly onError: (error: StateFileError) => boolean;
}

/** An open budget file. */
export class BudgetFile {
  readonly path: string;
  readonly #options: BudgetFileOptions;
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  #goesOn: boolean | undefined;
  #expiredAt = 0;

  /** Opens the file, and creates it when it is missing. @throws StateFileError when it cannot be used. */
  constructor(path: string, options: BudgetFileOptions) {
    this.path = path;
    this.#options = options;
    let database: DatabaseSync | undefined;
    try {
      create(path);
      database = new DatabaseSync(path, { timeout: OPENING_MS });
      // Without waiting for the disk: what a crash of the machine loses of the month is in the state file.
      database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${SCHEMA}`);
      const prepare = (sql: string) => (database as DatabaseSync).prepare(sql);
      this.#statements = Object.fromEntries(
        Object.entries(STATEMENTS).map(([name, sql]) => [name, prepare(sql)]),
      ) as Statements;
    } catch (error) {
      if (database?.isOpen) database.close();
      throw StateFileError.from(path, error);
    }
    this.#database = database;
  }

  /**
   * A budget of the file.
   * @param key `network/upstream`
   * @param saved what the state file knows of it
   */
  of(key: string, saved?: BudgetRecord): SharedBudget {
    let seen = 0;
    const news = (): BudgetRecord => {
      const rest = this.#restOf(key);
      const rows = this.#statements.requests.all(key, seen);
      seen = Number(rows.at(-1)?.id ?? seen);
      const minute = rows.map(({ at, priority }) => ({ at: Number(at) + CLOCK_MS, priority: Number(priority) }));
      return { minute, ...rest };
    };
    const exclusively: SharedBudget["exclusively"] = (work) => {
      if (!this.#database.isOpen) return "failed";
      let isCalled = false;
      try {
        this.#statements.begin.run();
        const known = news();
        isCalled = true;
        const change = work(known);
        const last = change && this.#write(key, change);
        this.#statements.commit.run();
        seen = last ?? seen;
        this.#goesOn = undefined;
        return "done";
      } catch (error) {
        // Some errors of SQLite have ended the transaction already.
        if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
        if (isBusy(error)) return "busy";
        if (!this.#failed(error)) return "failed";
        if (!isCalled) work(NOTHING);
        return "done";
      }
    };
    this.#database.exec(`PRAGMA busy_timeout = ${OPENING_MS}`);
    exclusively((known) => (saved === undefined ? undefined : merged(known, saved)));
    this.#database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    seen = 0;
    return {
      news: () => {
        try {
          return news();
        } catch (error) {
          if (!isBusy(error)) this.#failed(error);
          return NOTHING;
        }
      },
      exclusively,
    };
  }

  /** Closes the file. Its budgets must no longer be used. */
  close(): void {
    this.#database.close();
  }

  #restOf(key: string): Omit<BudgetRecord, "minute"> {
    const row = this.#statements.budget.get(key);
    if (row === undefined) return {};
    const { tokens, at, paused_until } = row;
    return {
      month: tokens === null ? undefined : { tokens: Number(tokens), at: Number(at) },
      pausedUntil: paused_until === null ? undefined : Number(paused_until),
    };
  }

  // Returns the id of the last request that was added.
  #write(key: string, { added = [], removed, month, pausedUntil }: BudgetChange): number | undefined {
    const { add, remove, expire, put } = this.#statements;
    const now = this.#options.clock.now();
    let last: number | undefined;
    for (const { at, priority } of added) last = Number(add.run(key, at, priority).lastInsertRowid);
    if (removed !== undefined) remove.run(key, removed.at, removed.priority);
    if (Math.abs(now - this.#expiredAt) >= EXPIRE_MS) {
      expire.run(now - MINUTE_MS - CLOCK_MS);
      this.#expiredAt = now;
    }
    put.run(key, month?.tokens ?? null, month?.at ?? now, pausedUntil ?? null);
    return last;
  }

  #failed(error: unknown): boolean {
    this.#goesOn ??= this.#options.onError(StateFileError.from(this.path, error));
    return this.#goesOn;
  }
}

/**
 * Merges the record of a budget with that of the state file. Requests of the minute are taken from it only if the
 * budget file has none: otherwise they are in both.
 */
function merged(known: BudgetRecord, saved: BudgetRecord): BudgetChange {
  const months = [known.month, saved.month].filter((month) => month !== undefined);
  const pauses = [known.pausedUntil, saved.pausedUntil].filter((end) => end !== undefined);
  return {
    added: known.minute.length === 0 ? saved.minute : [],
    month:
      months.length === 0
        ? undefined
        : {
            tokens: Math.min(...months.map(({ tokens }) => tokens)),
            at: Math.max(...months.map(({ at }) => at)),
          },
    pausedUntil: pauses.length === 0 ? undefined : Math.max(...pauses),
  };
}

// SQLITE_BUSY and SQLITE_LOCKED.
const isBusy = (error: unknown): boolean => [5, 6].includes(Number((error as { errcode?: number }).errcode) & 0xff);

// Root creates it for the user of the folder, so that a command of root does not lock the exporter out.
function create(path: string): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return;
  closeSync(openSync(path, "a", 0o600));
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  chownSync(path, uid, gid);
}
