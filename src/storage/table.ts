// One table of the state file: rows with a key, a body and a checksum. A damaged row moves to the table `set_aside`.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { checksumOf } from "./checksum.ts";

/** Names of a table and of its columns; those in `facts` are numbers. Every table also has the columns body and checksum. */
export interface TableShape {
  readonly name: string;
  readonly key: readonly string[];
  readonly facts: readonly string[];
}

/** A row as it was read. */
export interface Row {
  readonly facts: readonly number[];
  readonly body: string;
  /** Whether the row has its checksum. Nothing else of a damaged row is to be used. */
  readonly isIntact: boolean;
}

/** Makes `checksum(table, column, …)` known to the SQL of a database. */
export function defineChecksum(database: DatabaseSync): void {
  // Damage can make an integer of any size.
  const options = { deterministic: true, varargs: true, useBigIntArguments: true };
  database.function("checksum", options, (...columns: unknown[]) => checksumOf(columns));
}

/** Reads and writes the rows of one table. Throws the errors of SQLite. */
export class Table {
  readonly name: string;
  readonly #shape: TableShape;
  readonly #database: DatabaseSync;
  readonly #get: StatementSync;
  readonly #put: StatementSync;
  readonly #delete: StatementSync;
  readonly #isKey: string;
  readonly #isDamaged: string;

  constructor(database: DatabaseSync, shape: TableShape) {
    const { name, key, facts } = shape;
    this.name = name;
    this.#shape = shape;
    this.#database = database;
    this.#isKey = key.map((column) => `${column} = ?`).join(" AND ");
    this.#isDamaged = `checksum IS NOT checksum('${name}', ${[...key, ...facts, "body"].join(", ")})`;
    const columns = this.#columns();
    this.#get = database.prepare(`SELECT ${columns.join(", ")} FROM ${name} WHERE ${this.#isKey}`);
    this.#get.setReadBigInts(true);
    const places = columns.map(() => "?").join(", ");
    this.#put = database.prepare(`INSERT OR REPLACE INTO ${name} (${columns.join(", ")}) VALUES (${places})`);
    this.#delete = database.prepare(`DELETE FROM ${name} WHERE ${this.#isKey}`);
  }

  /** The row of a key; undefined when there is none. */
  get(key: readonly string[]): Row | undefined {
    const row = this.#get.get(...key);
    if (row === undefined) return undefined;
    const facts = this.#shape.facts.map((fact) => row[fact]);
    return {
      facts: facts.map(Number),
      body: String(row.body),
      isIntact: Number(row.checksum) === checksumOf([this.name, ...key, ...facts, row.body]),
    };
  }

  /** Writes a row in place of the one with that key. */
  put(key: readonly string[], facts: readonly number[], body: string): void {
    this.#put.run(...key, ...facts, body, checksumOf([this.name, ...key, ...facts, body]));
  }

  /** Deletes a row. */
  delete(key: readonly string[]): void {
    this.#delete.run(...key);
  }

  /** Deletes every row of a network. */
  deleteOf(network: string): void {
    this.#database.prepare(`DELETE FROM ${this.name} WHERE network = ?`).run(network);
  }

  /** Moves a row to `set_aside`, byte by byte as it is. `at` is Unix time in milliseconds. */
  setAside(key: readonly string[], at: number, reason: string): void {
    this.#move(this.#isKey, key, at, reason);
  }

  /** Moves every damaged row to `set_aside`, and gives their keys as far as they can be read. Reads the whole table. */
  setDamagedAside(at: number, reason: string): readonly (readonly string[])[] {
    const { name, key } = this.#shape;
    const select = this.#database.prepare(`SELECT ${key.join(", ")} FROM ${name} WHERE ${this.#isDamaged}`);
    select.setReadBigInts(true);
    const found = select.all().map((row) => key.map((column) => String(row[column])));
    if (found.length > 0) this.#move(this.#isDamaged, [], at, reason);
    return found;
  }

  #columns(): readonly string[] {
    return [...this.#shape.key, ...this.#shape.facts, "body", "checksum"];
  }

  // In SQL, because text that is no UTF-8 would change on its way through JavaScript.
  #move(which: string, values: readonly string[], at: number, reason: string): void {
    const columns = this.#columns().join(", ");
    const database = this.#database;
    database.exec("BEGIN");
    try {
      database
        .prepare(
          `INSERT INTO set_aside (at, reason, source, ${columns})
           SELECT ?, ?, '${this.name}', ${columns} FROM ${this.name} WHERE ${which}`,
        )
        .run(at, reason, ...values);
      database.prepare(`DELETE FROM ${this.name} WHERE ${which}`).run(...values);
      database.exec("COMMIT");
    } catch (error) {
      // Some errors of SQLite have ended the transaction already.
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  }
}
