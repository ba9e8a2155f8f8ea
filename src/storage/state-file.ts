// The state file: observations whose counters continue after a restart, how much of the budgets is used, and facts of
// each network. One SQLite file, one transaction per write.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type ZodType, z } from "zod";
import type { BudgetRecord } from "../api/budget.ts";
import type { Task } from "../collectors/task.ts";
import { decode, encode } from "./codec.ts";
import { type GroupKey, savedTotal } from "./group-total.ts";
import { openFile, type StateFileLog } from "./open.ts";
import { type Shard, shardOf } from "./shard.ts";
import { StateFileError } from "./state-file-error.ts";

/** Metrics of the file. Times are Unix time in milliseconds. */
export interface StateFileFacts {
  /** Whether the file had observations when it was opened. */
  readonly isRestored: boolean;
  readonly lastWriteAt: number | undefined;
  readonly failures: number;
}

/** Ends the collector in the rows with the counters of its groups. */
const OF_GROUPS = " of groups";

/** The counters of a group, as plain data. */
interface SavedTotal {
  readonly of: GroupKey;
  readonly body: unknown;
}

const budgetRecord: ZodType<BudgetRecord> = z.object({
  minute: z.array(z.object({ at: z.number(), priority: z.number() })),
  month: z.object({ tokens: z.number(), at: z.number() }).optional(),
  pausedUntil: z.number().optional(),
  ahead: z.number().optional(),
});

/** The tables, and the columns of their keys. The column `body` of each has the value as text. */
const TABLES = {
  observations: ["network", "collector", "target"],
  budgets: ["upstream"],
  networks: ["network"],
} as const;
type Table = keyof typeof TABLES;

/** An open state file. One process at a time can have it open. */
export class StateFile {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #facts: StateFileFacts;

  /** Opens the file, and creates it when it is missing. @throws StateFileError when it cannot be used. */
  constructor(path: string, log: StateFileLog) {
    this.path = path;
    this.#database = openFile(path, log);
    try {
      const isRestored = this.#prepared("SELECT 1 FROM observations LIMIT 1").get() !== undefined;
      this.#facts = { isRestored, lastWriteAt: undefined, failures: 0 };
      // Later, a row that cannot be read would end a reload.
      this.budgets();
      for (const { network } of this.#prepared("SELECT network FROM networks").all()) this.loadNetwork(String(network));
    } catch (error) {
      this.#database.close();
      throw StateFileError.from(path, error);
    }
  }

  /**
   * The last saved observation of a task; undefined when there is none, or when its collector keeps none.
   * @throws StateFileError when it cannot be read.
   */
  load(task: Task): unknown {
    return task.collector.isDurable ? this.#read("observations", keyIn(task), decode) : undefined;
  }

  /**
   * Saves an observation in one transaction, which is on the disk when this returns.
   * @param body the observation as `encode` returns it; undefined deletes it
   * @param total the counters of its group, which are saved with it
   * @throws StateFileError when it cannot be written.
   */
  save(task: Task, body: string | undefined, now: number, total?: SavedTotal): void {
    if (!task.collector.isDurable) return;
    const put = () => {
      if (body === undefined) {
        this.#prepared(`DELETE FROM observations WHERE ${hasKey("observations")}`).run(...keyIn(task));
      } else this.#put("observations", keyIn(task), body);
      if (total !== undefined) this.#put("observations", keyOfTotal(total.of), encode(total.body));
    };
    this.#write(now, () => (total === undefined ? put() : inTransaction(this.#database, put)));
  }

  /** The saved counters of a group; undefined when there are none. @throws StateFileError */
  loadTotal(of: GroupKey): unknown {
    return this.#read("observations", keyOfTotal(of), parseTotal);
  }

  /** The use of a budget; undefined if unknown. @throws StateFileError */
  loadBudget(key: string): BudgetRecord | undefined {
    return this.#read("budgets", [key], (body) => budgetRecord.parse(JSON.parse(body)));
  }

  /** Saves how much of a budget is used. @throws StateFileError when it cannot be written. */
  saveBudget(key: string, record: BudgetRecord, now: number): void {
    this.#write(now, () => this.#put("budgets", [key], JSON.stringify(record)));
  }

  /** All saved budgets, by their key. @throws StateFileError */
  budgets(): ReadonlyMap<string, BudgetRecord> {
    const keys = this.#prepared("SELECT upstream FROM budgets").all();
    return new Map(keys.map(({ upstream: key }) => [String(key), this.loadBudget(String(key)) as BudgetRecord]));
  }

  /** The last value of `saveNetwork`; undefined if there is none. @throws StateFileError */
  loadNetwork(network: string): unknown {
    return this.#read("networks", [network], decode);
  }

  /** Saves facts of a network: plain data, amounts as bigints. @throws StateFileError when it cannot be written. */
  saveNetwork(network: string, body: unknown, now: number): void {
    this.#write(now, () => this.#put("networks", [network], encode(body)));
  }

  /**
   * Deletes the observations of principals of other shards: one that returns starts like a new target, because another
   * shard has counted in the meantime. Those of the whole chain and the counters of groups stay. Writes nothing if
   * there are none.
   * @returns the number of deleted observations
   * @throws StateFileError when it cannot be written.
   */
  keepOnly({ index, count }: Shard, now: number): number {
    const database = this.#database;
    const isForeign = (principal: unknown) => Number(shardOf(String(principal), count) !== index);
    database.function("is_foreign", { deterministic: true }, isForeign);
    const rows = `FROM observations WHERE target <> '' AND collector NOT LIKE '%${OF_GROUPS}' AND is_foreign(target)`;
    try {
      const deleted = Number(database.prepare(`SELECT count(*) AS rows ${rows}`).get()?.rows);
      if (deleted > 0) this.#write(now, () => database.exec(`DELETE ${rows}`));
      return deleted;
    } catch (error) {
      throw StateFileError.from(this.path, error);
    }
  }

  /** Deletes every observation of a network, also of targets that are not watched now. @throws StateFileError */
  deleteNetwork(network: string, now: number): void {
    this.#write(now, () => this.#prepared("DELETE FROM observations WHERE network = ?").run(network));
  }

  /** Metrics of the file. */
  facts(): StateFileFacts {
    return this.#facts;
  }

  /** Closes the file, so that another process can open it. */
  close(): void {
    this.#database.close();
  }

  #read<Value>(table: Table, key: readonly string[], parse: (body: string) => Value): Value | undefined {
    let row: Record<string, unknown> | undefined;
    try {
      row = this.#prepared(`SELECT body FROM ${table} WHERE ${hasKey(table)}`).get(...key);
    } catch (error) {
      throw StateFileError.from(this.path, error);
    }
    if (row === undefined) return undefined;
    try {
      return parse(String(row.body));
    } catch (error) {
      const problem = error instanceof Error ? error.message : error;
      throw StateFileError.damaged(this.path, `row ${key.join("/")} of ${table}: ${problem}`);
    }
  }

  #put(table: Table, key: readonly string[], body: string): void {
    const places = [...key, body].map(() => "?").join(", ");
    this.#prepared(`INSERT OR REPLACE INTO ${table} VALUES (${places})`).run(...key, body);
  }

  // Preparing a statement takes longer than running it.
  #prepared(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #write(now: number, write: () => void): void {
    try {
      write();
      this.#facts = { ...this.#facts, lastWriteAt: now };
    } catch (error) {
      this.#facts = { ...this.#facts, failures: this.#facts.failures + 1 };
      throw StateFileError.from(this.path, error);
    }
  }
}

// In the table of the observations of its members, so that it is deleted with them.
const keyOfTotal = ({ network, collector, group }: GroupKey) => [network, collector + OF_GROUPS, group];

// Checked here, so that a body of another form counts as damaged.
const parseTotal = (body: string): unknown => savedTotal.parse(decode(body));

function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec("BEGIN");
  try {
    work();
    database.exec("COMMIT");
  } catch (error) {
    // Some errors of SQLite have ended the transaction already.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

const keyIn = ({ network, collector, target }: Task): readonly string[] => [network, collector.name, target.key];

const hasKey = (table: Table): string => TABLES[table].map((column) => `${column} = ?`).join(" AND ");
