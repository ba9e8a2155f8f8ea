// What outlives a poll: the rows and cursors of lists, counters, last values, used budgets, and facts of each network.
// One SQLite database, in a file or in memory; what one poll changes is one transaction.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type ZodType, z } from "zod";
import type { BudgetRecord } from "../api/budget.ts";
import type { Ledger, Row } from "../ledger/ledger.ts";
import { decode, encode } from "./codec.ts";
import { inMemory, MEMORY, openFile, type StateFileLog, TABLES } from "./open.ts";
import { type Shard, shardOf } from "./shard.ts";
import { StateFileError } from "./state-file-error.ts";
import type { CounterRow, PlaceRow, TotalsChanges } from "./totals.ts";

/** Identifies a target of a collector, or the owner of counters. */
export interface Key {
  readonly network: string;
  readonly collector: string;
  /** Key of the target; for counters also the name of a group with `GROUP` before it. */
  readonly target: string;
}

/** Begins the key of a group. No principal begins with it. */
export const GROUP = "group ";

/** What is kept of a target, besides its counters. */
export interface Kept {
  readonly values: unknown;
  readonly ledger: Ledger | undefined;
}

/** Counters of one owner, and what changes them. */
export interface OwnerChanges {
  readonly owner: Key;
  readonly changes: TotalsChanges;
}

/** Metrics of the store. Times are Unix time in milliseconds. */
export interface StoreFacts {
  /** Whether the file had values of targets when it was opened. */
  readonly isRestored: boolean;
  readonly lastWriteAt: number | undefined;
  readonly failures: number;
}

/** The part that keeps used budgets. */
export type BudgetStore = Pick<Store, "loadBudget" | "saveBudget">;

const networkBody = z.object({ firstBlock: z.string() });

const budgetRecord: ZodType<BudgetRecord> = z.object({
  minute: z.array(z.object({ at: z.number(), priority: z.number() })),
  month: z.object({ tokens: z.number(), at: z.number() }).optional(),
  pausedUntil: z.number().optional(),
  ahead: z.number().optional(),
});

const position = z.object({ height: z.number(), index: z.number() });
/** The members of a ledger that are not rows. */
const cursor = z.object({
  floor: position,
  isFar: z.boolean(),
  place: z.object({ below: z.number(), total: z.number() }).optional(),
  next: z.union([z.string(), position]).optional(),
  wanted: z.number().optional(),
  etag: z.string().optional(),
  operation: z.string().optional(),
});

const ROW_STATES = ["recent", "doubtful", "reverted"] as const;
const OF_TARGET = "network = ? AND collector = ? AND target = ?";
const DECIMAL = /^-?\d{1,60}$/;

/** An open database. One process at a time can have a file open. */
export class Store {
  /** `:memory:` for one that ends with the process. */
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #facts: StoreFacts;

  /** Opens the file, and creates it when it is missing. @throws StateFileError when it cannot be used. */
  constructor(path: string, log: StateFileLog) {
    this.path = path;
    this.#database = path === MEMORY ? inMemory() : openFile(path, log);
    try {
      const isRestored = this.#statement("SELECT 1 FROM last_values LIMIT 1").get() !== undefined;
      this.#facts = { isRestored, lastWriteAt: undefined, failures: 0 };
      // Later, a row that cannot be read would end a reload.
      this.budgets();
      for (const { network } of this.#statement("SELECT network FROM networks").all()) this.loadNetwork(`${network}`);
    } catch (error) {
      this.#database.close();
      throw StateFileError.from(path, error);
    }
  }

  /**
   * What is kept of a target; undefined if nothing is.
   * @throws StateFileError when it cannot be read. `isDamage` is set if it is not what was written.
   */
  load(key: Key): Kept | undefined {
    const found = this.#get(`SELECT body FROM last_values WHERE ${OF_TARGET}`, key)[0];
    if (found === undefined) return undefined;
    return { values: this.#parsed(key, () => decode(String(found.body))), ledger: this.#ledger(key) };
  }

  #ledger(key: Key): Ledger | undefined {
    const found = this.#get(`SELECT body FROM cursors WHERE ${OF_TARGET}`, key)[0];
    if (found === undefined) return undefined;
    const rows = this.#get(`SELECT * FROM rows WHERE ${OF_TARGET} ORDER BY height, position`, key);
    const inState = (state: string) => rows.filter((row) => row.state === state).map(toRow);
    return this.#parsed(key, () => ({
      ...cursor.parse(JSON.parse(String(found.body))),
      recent: inState("recent"),
      doubtful: inState("doubtful"),
      reverted: inState("reverted"),
    }));
  }

  /** The counters of an owner, and the label values that have a series. @throws StateFileError */
  totals(owner: Key): { readonly counters: readonly CounterRow[]; readonly places: readonly PlaceRow[] } {
    const counters = this.#get(`SELECT family, labels, value FROM counters WHERE ${OF_TARGET}`, owner);
    const places = this.#get(`SELECT name, value, day FROM places WHERE ${OF_TARGET}`, owner);
    return {
      counters: counters.map(({ family, labels, value }) => ({
        family: String(family),
        labels: String(labels),
        value: this.#parsed(owner, () => counterValue(String(value))),
      })),
      places: places.map(({ name, value, day }) => ({ name: String(name), value: String(value), day: Number(day) })),
    };
  }

  /**
   * Saves what a poll has changed in one transaction, which is on the disk when this returns.
   * @param before what `load` returned; what is the same is not written
   * @throws StateFileError when it cannot be written. Nothing is changed then.
   */
  commit(key: Key, before: Kept | undefined, after: Kept, totals: OwnerChanges | undefined, now: number): void {
    const body = encode(after.values);
    const isSame = before !== undefined && encode(before.values) === body && before.ledger === after.ledger;
    const { counters = [], places = [] } = totals?.changes ?? {};
    if (isSame && counters.length === 0 && places.length === 0) return;
    this.#write(now, () => {
      this.#run("INSERT OR REPLACE INTO last_values VALUES (?, ?, ?, ?)", key, body);
      if (before?.ledger !== after.ledger) this.#putLedger(key, before?.ledger, after.ledger);
      if (totals === undefined) return;
      for (const { family, labels, value } of counters) {
        const text = typeof value === "bigint" ? String(value) : encode(value);
        const id = [family, labels];
        if (value === undefined)
          this.#run(`DELETE FROM counters WHERE ${OF_TARGET} AND family = ? AND labels = ?`, totals.owner, ...id);
        else this.#run("INSERT OR REPLACE INTO counters VALUES (?, ?, ?, ?, ?, ?)", totals.owner, ...id, text);
      }
      for (const { name, value, day } of places) {
        if (day === undefined)
          this.#run(`DELETE FROM places WHERE ${OF_TARGET} AND name = ? AND value = ?`, totals.owner, name, value);
        else this.#run("INSERT OR REPLACE INTO places VALUES (?, ?, ?, ?, ?, ?)", totals.owner, name, value, day);
      }
    });
  }

  /** Writes the rows that differ. The key of a row refuses one that is counted twice. */
  #putLedger(key: Key, before: Ledger | undefined, after: Ledger | undefined): void {
    if (after === undefined) throw new Error("a ledger is never dropped");
    const { recent: _, doubtful: __, reverted: ___, ...rest } = after;
    this.#run("INSERT OR REPLACE INTO cursors VALUES (?, ?, ?, ?)", key, JSON.stringify(rest));
    const kept = new Set<Row>();
    const known = new Map(ROW_STATES.flatMap((state) => (before?.[state] ?? []).map((row) => [row, state] as const)));
    for (const state of ROW_STATES) for (const row of after[state]) if (known.get(row) === state) kept.add(row);
    for (const row of known.keys()) {
      if (!kept.has(row)) this.#run(`DELETE FROM rows WHERE ${OF_TARGET} AND id = ?`, key, row.id);
    }
    for (const state of ROW_STATES) {
      for (const row of after[state]) {
        if (kept.has(row)) continue;
        const { id, height, index, hash, isOld } = row;
        this.#run(
          "INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
          key,
          id,
          height,
          index,
          hash,
          state,
          isOld ? 1 : 0,
        );
      }
    }
  }

  /** Deletes what is kept of a target, except its counters. @throws StateFileError when it cannot be written. */
  forget(key: Key, now: number): void {
    this.#write(now, () => {
      for (const table of ["last_values", "cursors", "rows"]) this.#run(`DELETE FROM ${table} WHERE ${OF_TARGET}`, key);
    });
  }

  /** The use of a budget; undefined if unknown. @throws StateFileError */
  loadBudget(name: string): BudgetRecord | undefined {
    const found = this.#statement("SELECT body FROM budgets WHERE upstream = ?").get(name);
    return found && this.#parsed(name, () => budgetRecord.parse(JSON.parse(String(found.body))));
  }

  /** Saves how much of a budget is used. @throws StateFileError when it cannot be written. */
  saveBudget(name: string, record: BudgetRecord, now: number): void {
    const sql = "INSERT OR REPLACE INTO budgets VALUES (?, ?)";
    this.#write(now, () => this.#statement(sql).run(name, JSON.stringify(record)));
  }

  /** All saved budgets, by their name. @throws StateFileError */
  budgets(): ReadonlyMap<string, BudgetRecord> {
    const names = this.#statement("SELECT upstream FROM budgets").all();
    return new Map(names.map(({ upstream: name }) => [`${name}`, this.loadBudget(`${name}`) as BudgetRecord]));
  }

  /** The hash of block 1 of a network's chain; undefined if none is saved. @throws StateFileError */
  loadNetwork(network: string): string | undefined {
    const found = this.#statement("SELECT body FROM networks WHERE network = ?").get(network);
    return found && this.#parsed(network, () => networkBody.parse(decode(String(found.body))).firstBlock);
  }

  /** Saves the hash of block 1 of a network's chain. @throws StateFileError when it cannot be written. */
  saveNetwork(network: string, firstBlock: string, now: number): void {
    const sql = "INSERT OR REPLACE INTO networks VALUES (?, ?)";
    this.#write(now, () => this.#statement(sql).run(network, encode({ firstBlock })));
  }

  /**
   * Deletes what is kept of principals of other shards: one that returns starts like a new target, because another
   * shard has counted in the meantime. Targets of the whole chain and the counters of groups stay.
   * @returns the number of deleted targets
   * @throws StateFileError when it cannot be written.
   */
  keepOnly({ index, count }: Shard, now: number): number {
    const isForeign = (target: unknown) => Number(shardOf(String(target), count) !== index);
    this.#database.function("is_foreign", { deterministic: true }, isForeign);
    const foreign = `WHERE target <> '' AND target NOT LIKE '${GROUP}%' AND is_foreign(target)`;
    const deleted = Number(this.#statement(`SELECT count(*) AS rows FROM last_values ${foreign}`).get()?.rows);
    if (deleted > 0) this.#write(now, () => this.#deleteFrom(foreign));
    return deleted;
  }

  /** Metrics of the store. */
  facts(): StoreFacts {
    return this.#facts;
  }

  /** Closes the file, so that another process can open it. */
  close(): void {
    this.#database.close();
  }

  #deleteFrom(where: string, ...values: readonly string[]): void {
    for (const table of TABLES) this.#statement(`DELETE FROM ${table} ${where}`).run(...values);
  }

  #get(sql: string, { network, collector, target }: Key): readonly Record<string, unknown>[] {
    try {
      return this.#statement(sql).all(network, collector, target);
    } catch (error) {
      throw StateFileError.from(this.path, error);
    }
  }

  #run(sql: string, { network, collector, target }: Key, ...values: readonly (string | number)[]): void {
    this.#statement(sql).run(network, collector, target, ...values);
  }

  #parsed<Value>(what: Key | string, parse: () => Value): Value {
    try {
      return parse();
    } catch (error) {
      const name = typeof what === "string" ? what : `${what.network}/${what.collector}/${what.target}`;
      throw StateFileError.damaged(this.path, `${name}: ${error instanceof Error ? error.message : error}`);
    }
  }

  // Preparing a statement takes longer than running it.
  #statement(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #write(now: number, work: () => void): void {
    const database = this.#database;
    try {
      database.exec("BEGIN");
      work();
      database.exec("COMMIT");
      this.#facts = { ...this.#facts, lastWriteAt: now };
    } catch (error) {
      // Some errors of SQLite have ended the transaction already.
      if (database.isOpen && database.isTransaction) database.exec("ROLLBACK");
      this.#facts = { ...this.#facts, failures: this.#facts.failures + 1 };
      throw StateFileError.from(this.path, error);
    }
  }
}

function counterValue(text: string): CounterRow["value"] {
  if (DECIMAL.test(text)) return BigInt(text);
  return distribution.parse(decode(text));
}

const distribution = z.object({ counts: z.array(z.int()), sum: z.union([z.number(), z.bigint()]) });

const toRow = ({ id, height, position, hash, is_old: isOld }: Record<string, unknown>): Row => ({
  id: String(id),
  height: Number(height),
  index: Number(position),
  hash: String(hash),
  ...(isOld === 1 ? { isOld: true } : {}),
});
