// A table of the state file: rows with a key, a body and a checksum. A damaged row moves to the table `set_aside`.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { crc32 } from "node:zlib";

/** Names of a table and of its columns; every table also has the columns body and checksum. */
export interface TableSchema {
  readonly name: string;
  readonly key: readonly string[];
  /** Columns of numbers. */
  readonly facts: readonly string[];
  /** Note for the operator about a missing row. */
  readonly consequence: string;
}

/** Makes `checksum(table, column, …)` available in the SQL of a database. */
export function defineChecksum(database: DatabaseSync): void {
  // Damage can produce an integer of any size.
  const options = { deterministic: true, varargs: true, useBigIntArguments: true };
  database.function("checksum", options, (...columns: unknown[]) => checksumOf(columns));
}

/**
 * CRC-32 of the columns of a row; the last one is the body. Columns are converted to text first, so that damaged rows
 * have a checksum too. It finds every change of up to 32 bits, and misses one of 4 billion others; SHA-256 takes four
 * times as long.
 */
function checksumOf(columns: readonly unknown[]): number {
  const head = JSON.stringify(columns.slice(0, -1).map(String));
  return crc32(String(columns.at(-1)), crc32(head));
}

/** Reads and writes the rows of one table. Throws the errors of SQLite. */
export class Table {
  readonly schema: TableSchema;
  readonly #database: DatabaseSync;
  readonly #get: StatementSync;
  readonly #put: StatementSync;
  readonly #delete: StatementSync;
  readonly #columns: string;
  readonly #hasKey: string;
  readonly #isDamaged: string;

  constructor(database: DatabaseSync, schema: TableSchema) {
    const { name, key, facts } = schema;
    this.schema = schema;
    this.#database = database;
    const columns = [...key, ...facts, "body"];
    this.#columns = [...columns, "checksum"].join(", ");
    this.#hasKey = key.map((column) => `${column} = ?`).join(" AND ");
    this.#isDamaged = `checksum IS NOT checksum('${name}', ${columns.join(", ")})`;
    this.#get = database.prepare(`SELECT ${this.#columns} FROM ${name} WHERE ${this.#hasKey}`);
    this.#get.setReadBigInts(true);
    const values = [...columns, "checksum"].map(() => "?").join(", ");
    this.#put = database.prepare(`INSERT OR REPLACE INTO ${name} (${this.#columns}) VALUES (${values})`);
    this.#delete = database.prepare(`DELETE FROM ${name} WHERE ${this.#hasKey}`);
  }

  /**
   * The row of a key; undefined when there is none. Nothing else of a row may be used unless it is intact: its checksum
   * is right.
   */
  get(key: readonly string[]) {
    const row = this.#get.get(...key);
    if (row === undefined) return undefined;
    const facts = this.schema.facts.map((fact) => row[fact]);
    return {
      facts: facts.map(Number),
      body: String(row.body),
      isIntact: Number(row.checksum) === checksumOf([this.schema.name, ...key, ...facts, row.body]),
    };
  }

  /** Writes a row in place of the one with that key. */
  put(key: readonly string[], facts: readonly number[], body: string): void {
    this.#put.run(...key, ...facts, body, checksumOf([this.schema.name, ...key, ...facts, body]));
  }

  /** Deletes a row. */
  delete(key: readonly string[]): void {
    this.#delete.run(...key);
  }

  /** Deletes every row of a network. */
  deleteNetwork(network: string): void {
    this.#database.prepare(`DELETE FROM ${this.schema.name} WHERE network = ?`).run(network);
  }

  /** Moves a row to `set_aside`, unchanged. `at` is Unix time in milliseconds. */
  setAside(key: readonly string[], at: number, reason: string): void {
    this.#move(this.#hasKey, key, at, reason);
  }

  /** Moves every damaged row to `set_aside`; returns their keys, as far as they are readable. Reads the whole table. */
  setDamagedAside(at: number, reason: string): readonly (readonly string[])[] {
    const { key } = this.schema;
    const select = this.#database.prepare(`SELECT ${key.join(", ")} FROM ${this.schema.name} WHERE ${this.#isDamaged}`);
    select.setReadBigInts(true);
    const found = select.all().map((row) => key.map((column) => String(row[column])));
    if (found.length > 0) this.#move(this.#isDamaged, [], at, reason);
    return found;
  }

  // In SQL, because text that is not UTF-8 would change on its way through JavaScript.
  #move(condition: string, values: readonly string[], at: number, reason: string): void {
    const database = this.#database;
    const rows = `FROM ${this.schema.name} WHERE ${condition}`;
    database.exec("BEGIN");
    try {
      database
        .prepare(
          `INSERT INTO set_aside (at, reason, source, ${this.#columns})
           SELECT ?, ?, '${this.schema.name}', ${this.#columns} ${rows}`,
        )
        .run(at, reason, ...values);
      database.prepare(`DELETE ${rows}`).run(...values);
      database.exec("COMMIT");
    } catch (error) {
      // Some errors of SQLite have ended the transaction already.
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  }
}
