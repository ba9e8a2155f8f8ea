// What outlives a poll: the rows and cursors of lists, counters, last values, used budgets, and the chain of each
// network. One SQLite database, in a file or in memory; what one poll changes is one transaction.
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { type ZodType, z } from "zod";
import { type BudgetRecord, budgetRecord } from "../api/budget.ts";
import type { Ledger, Row } from "../ledger/ledger.ts";
import { inMemory, MEMORY, openFile, StateFileError, TABLES } from "./open.ts";
import { type Shard, shardOf } from "./shard.ts";
import type { TotalsRows } from "./totals.ts";

/**
 * Identifies a target of a collector by its key, or the owner of counters: that can also be a group, by its name with
 * `GROUP` before it.
 */
export type Key = readonly [network: string, collector: string, target: string];

/** Begins the key of a group. No principal begins with it. */
export const GROUP = "group ";

/** What is kept of a target, besides its counters. */
export interface Kept {
  readonly values: unknown;
  readonly ledger: Ledger | undefined;
}

/** Plain data as text: JSON, with bigints in full. Properties that are undefined are left out. */
export function encode(data: unknown): string {
  return JSON.stringify(data, (_, value: unknown) => (typeof value === "bigint" ? { $bigint: String(value) } : value));
}

/** The data of a text of `encode`. @throws SyntaxError when it is not one */
export function decode(text: string): unknown {
  return revive(JSON.parse(text));
}

// In place and without a reviver of JSON.parse, which takes ten times as long: it matters with 10,000 targets.
function revive(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (isBigint(value)) return BigInt(value.$bigint);
  const parts = value as Record<string, unknown>;
  for (const key of Object.keys(parts)) parts[key] = revive(parts[key]);
  return value;
}

function isBigint(value: object): value is { readonly $bigint: string } {
  // A label value of the API can also be called $bigint; then its value is a number, never a text.
  return "$bigint" in value && typeof value.$bigint === "string" && Object.keys(value).length === 1;
}

const position = z.object({ height: z.number(), index: z.number() });
/** The members of a ledger that are not rows. */
const cursor = z.object({
  floor: position,
  isFar: z.boolean(),
  place: z.object({ below: z.number(), total: z.number(), step: z.number().optional() }).optional(),
  next: z.union([z.string(), position]).optional(),
  etag: z.string().optional(),
  operation: z.string().optional(),
});

function amountOf(text: string): bigint {
  if (!/^-?\d{1,60}$/.test(text)) throw new Error("expected a whole number");
  return BigInt(text);
}

// The kind of the facts with times of successes.
const SUCCESS = "success";
const ROW_STATES = ["recent", "doubtful", "reverted"] as const;
const OF_TARGET = "network = ? AND collector = ? AND target = ?";
const NO_ROWS: TotalsRows = { counters: [], places: [] };

/** An open database. One process at a time can have a file open. */
export class Store {
  /** `:memory:` for one that ends with the process. */
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** Budgets, also those that a full disk has refused: a reload must not forget what is used. */
  readonly #budgets = new Map<string, BudgetRecord>();
  /** The hashes of block 1, by network. */
  readonly #chains = new Map<string, string>();
  /** What the next transaction writes. To lose a last value costs an older one, or none, after a restart. */
  readonly #unwritten = new Map<string, () => void>();

  /** Opens the file, and creates it when it is missing. @throws StateFileError when it cannot be used. */
  constructor(path: string) {
    this.path = path;
    this.#database = path === MEMORY ? inMemory() : openFile(path);
    try {
      // Kept: later, one that cannot be read would end a reload.
      for (const [name, record] of this.#facts("budget", budgetRecord)) this.#budgets.set(name, record);
      for (const [name, hash] of this.#facts("network", z.string())) this.#chains.set(name, hash);
    } catch (error) {
      this.#database.close();
      throw StateFileError.from(path, error);
    }
  }

  /**
   * What is kept of a target; undefined if nothing is.
   * @param part the values alone have no ledger: to read it takes half of the time
   * @throws StateFileError when it cannot be read. `isDamage` is set if it is not what was written.
   */
  load(key: Key, part: "all" | "values" = "all"): Kept | undefined {
    const [found] = this.#all(`SELECT body, cursor FROM targets WHERE ${OF_TARGET}`, ...key);
    if (found === undefined) return undefined;
    const values = this.#parsed(key.join("/"), () => decode(String(found.body)));
    if (found.cursor === null || part === "values") return { values, ledger: undefined };
    return { values, ledger: this.#ledger(key, String(found.cursor)) };
  }

  #ledger(key: Key, text: string): Ledger {
    const rows = this.#all(
      `SELECT id, height, position, hash, state, is_old FROM rows WHERE ${OF_TARGET} ORDER BY height, position`,
      ...key,
    );
    const { recent = [], doubtful = [], reverted = [] } = Object.groupBy(rows, ({ state }) => String(state));
    return this.#parsed(key.join("/"), () => ({
      ...cursor.parse(JSON.parse(text)),
      ...{ recent: recent.map(toRow), doubtful: doubtful.map(toRow), reverted: reverted.map(toRow) },
    }));
  }

  /** The counters of an owner, and the label values that have a series. @throws StateFileError */
  totals(owner: Key): TotalsRows {
    const sql = `SELECT family, labels, value FROM counters WHERE ${OF_TARGET} ORDER BY family, labels`;
    const counters = this.#all(sql, ...owner);
    const places = this.#all(`SELECT name, value, day FROM places WHERE ${OF_TARGET}`, ...owner);
    return {
      counters: this.#parsed(owner.join("/"), () =>
        counters.map(({ family, labels, value }) => ({
          family: String(family),
          labels: String(labels),
          value: amountOf(String(value)),
        })),
      ),
      places: places.map(({ name, value, day }) => ({ name: String(name), value: String(value), day: Number(day) })),
    };
  }

  /**
   * Saves what a poll has changed in one transaction, which is on the disk when this returns.
   * @param before what is saved of the target; what is the same is not written
   * @param changes those of the counters of `owner`
   * @throws StateFileError when it cannot be written. Nothing is changed then.
   */
  commit(key: Key, before: Kept | undefined, after: Kept, changes = NO_ROWS, owner = key): void {
    const body = encode(after.values);
    const { counters, places } = changes;
    const isSame = before !== undefined && before.ledger === after.ledger && encode(before.values) === body;
    if (isSame && counters.length === 0 && places.length === 0) return;
    this.#write(() => {
      this.#put("targets", ...key, body, cursorOf(after.ledger));
      this.#putRows(key, rowsOf(before?.ledger), rowsOf(after.ledger));
      for (const { family, labels, value } of counters) {
        if (value === undefined) this.#delete("counters", "AND family = ? AND labels = ?", ...owner, family, labels);
        else this.#put("counters", ...owner, family, labels, String(value));
      }
      for (const { name, value, day } of places) {
        if (day === undefined) this.#delete("places", "AND name = ? AND value = ?", ...owner, name, value);
        else this.#put("places", ...owner, name, value, day);
      }
    });
  }

  /** Writes the rows that differ. The key of a row refuses one that is counted twice. */
  #putRows(key: Key, before: readonly Columns[], after: readonly Columns[]): void {
    const left = new Map(before.map((columns) => [columns.join(), columns]));
    const added = after.filter((columns) => !left.delete(columns.join()));
    for (const [id] of left.values()) this.#delete("rows", "AND id = ?", ...key, id);
    const sql = "INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    for (const columns of added) this.#run(sql, ...key, ...columns);
  }

  /**
   * Keeps the time of the last success of a target, and its values unless a commit has them. The next transaction
   * writes them, which is that of a used budget at the latest: a poll without news costs no write of its own.
   */
  keepLast(key: Key, at: number, values?: string): void {
    const name = key.join("/");
    this.#unwritten.set(name, () => {
      if (values !== undefined) this.#put("targets", ...key, values, null);
      this.#put("facts", SUCCESS, name, String(at));
    });
  }

  /** The times of the last successes of the targets of a network whose values are written. @throws StateFileError */
  successes(network: string): ReadonlyMap<string, number> {
    const prefix = `${network}/`;
    const sql = "SELECT name, body FROM facts WHERE kind = ? AND substr(name, 1, ?) = ?";
    const found = this.#all(sql, SUCCESS, prefix.length, prefix);
    const written = found.filter(({ name }) => !this.#unwritten.has(String(name)));
    return new Map(written.map(({ name, body }) => [String(name), Number(body)]));
  }

  /** Deletes what is kept of a target, except its counters. @throws StateFileError when it cannot be written. */
  forget(key: Key): void {
    this.#write(() => {
      for (const table of ["targets", "rows"]) this.#delete(table, "", ...key);
    });
  }

  /** Saves how much of a budget is used. @throws StateFileError when it cannot be written. */
  saveBudget(name: string, record: BudgetRecord): void {
    this.#budgets.set(name, record);
    this.#write(() => this.#put("facts", "budget", name, JSON.stringify(record)));
  }

  /** All budgets, by their name. */
  budgets(): ReadonlyMap<string, BudgetRecord> {
    return this.#budgets;
  }

  /** The hash of block 1 of a network's chain; undefined if none is saved. */
  loadNetwork(network: string): string | undefined {
    return this.#chains.get(network);
  }

  /** Saves the hash of block 1 of a network's chain, with the next transaction: before anything is counted. */
  saveNetwork(network: string, firstBlock: string): void {
    this.#chains.set(network, firstBlock);
    this.#unwritten.set(`network ${network}`, () => this.#put("facts", "network", network, JSON.stringify(firstBlock)));
  }

  /**
   * Deletes what is kept of principals of other shards: one that returns starts like a new target, because another
   * shard has counted in the meantime. Targets of the whole chain and the counters of groups stay.
   * @returns the number of deleted targets
   * @throws StateFileError when it cannot be written.
   */
  keepOnly({ index, count }: Shard): number {
    const isForeign = (target: unknown) => Number(shardOf(String(target), count) !== index);
    this.#database.function("is_foreign", isForeign);
    const foreign = `WHERE target <> '' AND target NOT LIKE '${GROUP}%' AND is_foreign(target)`;
    const deleted = Number(this.#all(`SELECT count(*) AS found FROM targets ${foreign}`)[0]?.found);
    this.#write(() => {
      for (const table of TABLES) this.#database.exec(`DELETE FROM ${table} ${foreign}`);
    });
    return deleted;
  }

  /** Closes the file, so that another process can open it. */
  close(): void {
    this.#database.close();
  }

  #facts<Value>(kind: string, form: ZodType<Value>): readonly (readonly [string, Value])[] {
    const found = this.#all("SELECT name, body FROM facts WHERE kind = ?", kind);
    const parsed = (name: string, body: unknown) => this.#parsed(name, () => form.parse(JSON.parse(String(body))));
    return found.map(({ name, body }) => [String(name), parsed(String(name), body)]);
  }

  #all(sql: string, ...values: readonly SQLInputValue[]): readonly Record<string, unknown>[] {
    try {
      return this.#statement(sql).all(...values);
    } catch (error) {
      throw StateFileError.from(this.path, error);
    }
  }

  #run(sql: string, ...values: readonly SQLInputValue[]): void {
    this.#statement(sql).run(...values);
  }

  #put(table: string, ...values: readonly SQLInputValue[]): void {
    this.#run(`INSERT OR REPLACE INTO ${table} VALUES (${values.map(() => "?").join()})`, ...values);
  }

  #delete(table: string, which: string, ...values: readonly SQLInputValue[]): void {
    this.#run(`DELETE FROM ${table} WHERE ${OF_TARGET} ${which}`, ...values);
  }

  #parsed<Value>(what: string, parse: () => Value): Value {
    try {
      return parse();
    } catch (error) {
      throw StateFileError.damaged(this.path, `${what}: ${error}`);
    }
  }

  // Preparing a statement takes longer than running it.
  #statement(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #write(work: () => void): void {
    const database = this.#database;
    try {
      this.#run("BEGIN");
      work();
      for (const write of this.#unwritten.values()) write();
      this.#run("COMMIT");
      this.#unwritten.clear();
    } catch (error) {
      // Some errors of SQLite have ended the transaction already.
      if (database.isOpen && database.isTransaction) database.exec("ROLLBACK");
      throw StateFileError.from(this.path, error);
    }
  }
}

function cursorOf(ledger: Ledger | undefined): string | null {
  if (ledger === undefined) return null;
  const { recent: _, doubtful: __, reverted: ___, ...rest } = ledger;
  return JSON.stringify(rest);
}

/** The columns of a row, beginning with its id. */
type Columns = readonly [string, ...(string | number)[]];

const rowsOf = (ledger: Ledger | undefined): readonly Columns[] =>
  ROW_STATES.flatMap((state) =>
    (ledger?.[state] ?? []).map(
      ({ id, height, index, hash, isOld }): Columns => [id, height, index, hash, state, isOld ? 1 : 0],
    ),
  );

const toRow = ({ id, height, position, hash, is_old: isOld }: Record<string, unknown>): Row => ({
  id: String(id),
  height: Number(height),
  index: Number(position),
  hash: String(hash),
  ...(isOld === 1 ? { isOld: true } : {}),
});
