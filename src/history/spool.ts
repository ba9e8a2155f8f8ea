// The spool: what was read of the API, in a file of the output folder. A page and the position after it are written in
// one transaction, so that reading continues after it whenever the process ends.
import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { decode, encode } from "../storage/codec.ts";
import { openFile, type StateFileLog } from "../storage/open.ts";
import { StateFileError } from "../storage/state-file-error.ts";

/** A row of a list. */
export interface StoredRow {
  /** Time of its block. Unix time, seconds. */
  readonly time: number;
  /** Height of its block. */
  readonly height: number;
  /** Its position in the block; unique there. */
  readonly place: number;
  /** Id of its transaction, if other lists look for it. */
  readonly id?: string | undefined;
  readonly body: unknown;
}

/** A row as it is replayed. */
export interface ReplayedRow extends Omit<StoredRow, "id"> {
  /** The body of the row at the same place of a list that belongs to it; undefined if there is none. */
  readonly addition: unknown;
}

/** Progress of reading a list. */
export interface Progress {
  /** Position at which reading continues; undefined at the start. */
  readonly position: unknown;
  readonly isComplete: boolean;
  /** Time of the oldest row that was read; undefined before the first. Unix time, seconds. */
  readonly oldest: number | undefined;
}

/** Rows and position that one step of reading adds to a list. */
export interface Read extends Progress {
  readonly rows: readonly StoredRow[];
}

const FILE = "spool.db";

// Rows arrive newest first, which fills the pages of an index of the same order.
const SCHEMA = [
  `CREATE TABLE facts (name TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE lists (
     list INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
     position TEXT, is_complete INTEGER NOT NULL, oldest INTEGER
   );
   CREATE TABLE rows (
     list INTEGER NOT NULL, time INTEGER NOT NULL, height INTEGER NOT NULL, place INTEGER NOT NULL,
     id TEXT, body TEXT NOT NULL,
     PRIMARY KEY (list, time DESC, height DESC, place DESC)
   ) WITHOUT ROWID;
   CREATE INDEX rows_by_id ON rows (id) WHERE id IS NOT NULL;`,
];

/** The file of what was read. Throws StateFileError when it cannot be used. */
export class Spool {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #lists = new Map<string, number>();

  /** Opens the file, for this process only, and creates it when it is missing. */
  constructor(folder: string, log: StateFileLog) {
    this.path = join(folder, FILE);
    this.#database = openFile(this.path, log, SCHEMA).database;
  }

  /** A fact about the whole history. */
  fact(name: string): unknown {
    return this.#run(() => {
      const row = this.#sql("SELECT body FROM facts WHERE name = ?").get(name);
      return row === undefined ? undefined : decode(String(row.body));
    });
  }

  /** Saves a fact. */
  setFact(name: string, body: unknown): void {
    this.#run(() => this.#sql("INSERT OR REPLACE INTO facts VALUES (?, ?)").run(name, encode(body)));
  }

  /** Progress of reading a list. */
  progress(name: string): Progress {
    return this.#run(() => {
      const row = this.#sql("SELECT position, is_complete, oldest FROM lists WHERE name = ?").get(name);
      return {
        position: typeof row?.position === "string" ? decode(row.position) : undefined,
        isComplete: row?.is_complete === 1,
        oldest: typeof row?.oldest === "number" ? row.oldest : undefined,
      };
    });
  }

  /** Saves what one step has read, and the position after it, both or neither. Rows that are known stay. */
  save(name: string, { rows, position, isComplete, oldest }: Read): void {
    this.#run(() => {
      this.#database.exec("BEGIN IMMEDIATE");
      try {
        const list = this.#listOf(name);
        const insert = this.#sql("INSERT OR IGNORE INTO rows VALUES (?, ?, ?, ?, ?, ?)");
        for (const { time, height, place, id, body } of rows) {
          insert.run(list, time, height, place, id ?? null, encode(body));
        }
        this.#sql("UPDATE lists SET position = ?, is_complete = ?, oldest = ? WHERE list = ?").run(
          position === undefined ? null : encode(position),
          isComplete ? 1 : 0,
          oldest ?? null,
          list,
        );
        this.#database.exec("COMMIT");
      } catch (error) {
        this.#lists.delete(name);
        // Some errors of SQLite have ended the transaction already.
        if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
        throw error;
      }
    });
  }

  /**
   * Rows of a list in chain order, after one time and up to another.
   * @param additions names of lists to join; at most one of them has a row at the same place
   */
  rows(name: string, after: number, to: number, additions: readonly string[] = []): readonly ReplayedRow[] {
    // SQLite would search the whole table for an empty list of additions.
    const join = `LEFT JOIN rows AS other ON other.list IN (${additions.map(() => "?").join()})
       AND other.time = rows.time AND other.height = rows.height AND other.place = rows.place`;
    const [joined, addition] = additions.length === 0 ? ["", "NULL"] : [join, "other.body"];
    return this.#run(() =>
      this.#sql(
        `SELECT rows.time, rows.height, rows.place, rows.body, ${addition} AS addition FROM rows ${joined}
         WHERE rows.list = ? AND rows.time > ? AND rows.time <= ? ORDER BY rows.time, rows.height, rows.place`,
      )
        .all(...additions.map((one) => this.#known(one)), this.#known(name), after, to)
        .map(({ time, height, place, body, addition: other }) => ({
          time: Number(time),
          height: Number(height),
          place: Number(place),
          body: decode(String(body)),
          addition: typeof other === "string" ? decode(other) : undefined,
        })),
    );
  }

  /** Time of the newest row of a list; undefined without one. Unix time, seconds. */
  newest(name: string): number | undefined {
    return this.#run(() => {
      const row = this.#sql("SELECT max(time) AS time FROM rows WHERE list = ?").get(this.#known(name));
      return typeof row?.time === "number" ? row.time : undefined;
    });
  }

  /** Position of a transaction; undefined if no list has it. */
  placeOf(id: string): Pick<StoredRow, "time" | "height" | "place"> | undefined {
    return this.#run(() => {
      const row = this.#sql("SELECT time, height, place FROM rows WHERE id = ?").get(id);
      return row && { time: Number(row.time), height: Number(row.height), place: Number(row.place) };
    });
  }

  /** Closes the file. */
  close(): void {
    this.#database.close();
  }

  #known(name: string): number {
    const known = this.#lists.get(name) ?? this.#sql("SELECT list FROM lists WHERE name = ?").get(name)?.list;
    return typeof known === "number" ? known : -1;
  }

  #listOf(name: string): number {
    const known = this.#lists.get(name);
    if (known !== undefined) return known;
    this.#sql("INSERT OR IGNORE INTO lists (name, is_complete) VALUES (?, 0)").run(name);
    const list = this.#known(name);
    this.#lists.set(name, list);
    return list;
  }

  #sql(text: string): StatementSync {
    const known = this.#statements.get(text) ?? this.#database.prepare(text);
    this.#statements.set(text, known);
    return known;
  }

  #run<Result>(action: () => Result): Result {
    try {
      return action();
    } catch (error) {
      throw StateFileError.from(this.path, error);
    }
  }
}
