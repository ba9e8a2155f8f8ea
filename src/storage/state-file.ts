// The state file: observations whose counters continue after a restart, how much of the budgets is used, and facts of
// each network. One SQLite file, one transaction per write.
import type { DatabaseSync } from "node:sqlite";
import { type ZodType, z } from "zod";
import type { BudgetRecord } from "../api/budget.ts";
import { keyOf, type Task } from "../collectors/task.ts";
import { decode, encode } from "./codec.ts";
import { type GroupKey, savedTotal } from "./group-total.ts";
import { openFile, type StateFileLog } from "./open.ts";
import { type Shard, shardOf } from "./shard.ts";
import { StateFileError } from "./state-file-error.ts";
import { Table, type TableSchema } from "./table.ts";

/** Metrics of the file. Times are Unix time in milliseconds. */
export interface StateFileFacts {
  /** Whether the file had observations when it was opened. */
  readonly isRestored: boolean;
  readonly lastWriteAt: number | undefined;
  readonly failures: number;
  /** Rows in the table set_aside, and when the last one was set aside. */
  readonly setAside: number;
  readonly lastSetAsideAt: number | undefined;
}

/** Ends the collector in the rows with the counters of its groups. */
const OF_GROUPS = " of groups";

/** The counters of a group, as plain data. */
interface SavedTotal {
  readonly of: GroupKey;
  readonly body: unknown;
}

const WRONG_CHECKSUM = "its checksum is wrong";

// The last observation of each task.
const OBSERVATIONS: TableSchema = {
  name: "observations",
  key: ["network", "collector", "target"],
  facts: ["version", "saved_at"],
  consequence: "counting of this target starts again",
};
// The used request budget of each upstream; the key is `network/upstream`.
const BUDGETS: TableSchema = {
  name: "budgets",
  key: ["network"],
  facts: [],
  consequence: "the request budget of this upstream starts as if no request was made",
};
const NETWORKS: TableSchema = {
  name: "networks",
  key: ["network"],
  facts: ["saved_at"],
  consequence: "facts of this network are read from the API again",
};

const budgetRecord: ZodType<BudgetRecord> = z.object({
  minute: z.array(z.object({ at: z.number(), priority: z.number() })),
  month: z.object({ tokens: z.number(), at: z.number() }).optional(),
  pausedUntil: z.number().optional(),
  ahead: z.number().optional(),
});

/** An open state file. One process at a time can have it open. */
export class StateFile {
  readonly path: string;
  readonly #log: StateFileLog;
  readonly #clock: { now(): number };
  readonly #database: DatabaseSync;
  readonly #observations: Table;
  readonly #budgets: Table;
  readonly #networks: Table;
  #facts: StateFileFacts;

  /**
   * Opens the file, and creates it when it is missing.
   * @param options `migrations`: steps of the schema, other than those of this version
   * @throws StateFileError when it cannot be used.
   */
  constructor(
    path: string,
    options: { readonly log: StateFileLog; clock: { now(): number }; readonly migrations?: readonly string[] },
  ) {
    this.path = path;
    this.#log = options.log;
    this.#clock = options.clock;
    const { database, isReindexed } = openFile(path, options.log, options.migrations);
    this.#database = database;
    try {
      this.#observations = new Table(database, OBSERVATIONS);
      this.#budgets = new Table(database, BUDGETS);
      this.#networks = new Table(database, NETWORKS);
      const kept = database.prepare("SELECT count(*) AS rows, max(at) AS last FROM set_aside").get();
      this.#facts = {
        isRestored: database.prepare("SELECT 1 FROM observations LIMIT 1").get() !== undefined,
        lastWriteAt: undefined,
        failures: 0,
        setAside: Number(kept?.rows),
        lastSetAsideAt: kept?.last === null ? undefined : Number(kept?.last),
      };
      // No read finds a row whose key is damaged. Observations have an index that shows it; the other tables are small
      // enough to check every row.
      const suspects = [this.#budgets, this.#networks, ...(isReindexed ? [this.#observations] : [])];
      for (const table of suspects) this.#setDamagedAside(table);
    } catch (error) {
      database.close();
      throw StateFileError.from(path, error);
    }
  }

  /**
   * The last saved observation of a task; undefined when there is none, when its collector keeps none, or when the row
   * cannot be used: then it is set aside.
   * @throws StateFileError when a newer version wrote it, or the file cannot be read or written.
   */
  load(task: Task): unknown {
    const { durable } = task.collector;
    if (durable === undefined) return undefined;
    return this.#read(
      this.#observations,
      keyIn(task),
      (body, [version = 0]) => {
        if (version > durable.version) {
          const problem = `a newer version of stacks-exporter wrote the state of ${keyOf(task)}`;
          const versions = `version ${version}; this one supports up to ${durable.version}`;
          throw new StateFileError(this.path, `${problem} (${versions})`);
        }
        const observation = decode(body);
        if (version === durable.version) return observation;
        if (durable.upgrade === undefined) throw new Error(`it has version ${version}, which cannot be upgraded`);
        return durable.upgrade(observation, version);
      },
      task,
    );
  }

  /**
   * Sets the row of a task aside, because it cannot be used: it is kept with the time and the reason, and the task
   * starts without it.
   * @throws StateFileError when it cannot be written.
   */
  setAside(task: Task, reason: string): void {
    this.#moveAside(this.#observations, keyIn(task), reason, task);
  }

  /**
   * Saves an observation in one transaction, which is on the disk when this returns.
   * @param body the observation as `encode` returns it; undefined deletes it
   * @param total the counters of its group, which are saved with it
   * @throws StateFileError when it cannot be written.
   */
  save(task: Task, body: string | undefined, now: number, total?: SavedTotal): void {
    const { durable } = task.collector;
    if (durable === undefined) return;
    const put = () => {
      if (body === undefined) this.#observations.delete(keyIn(task));
      else this.#observations.put(keyIn(task), [durable.version, now], body);
      if (total !== undefined) this.#putTotal(total, now);
    };
    this.#write(now, () => (total === undefined ? put() : inTransaction(this.#database, put)));
  }

  /** The saved counters of a group; undefined when there are none. @throws StateFileError */
  loadTotal(of: GroupKey): unknown {
    return this.#read(this.#observations, keyOfTotal(of), parseTotal);
  }

  #putTotal({ of, body }: SavedTotal, now: number): void {
    this.#observations.put(keyOfTotal(of), [TOTAL_VERSION, now], encode(body));
  }

  /** The use of a budget; undefined if unknown. @throws StateFileError */
  loadBudget(key: string): BudgetRecord | undefined {
    return this.#read(this.#budgets, [key], (body) => budgetRecord.parse(JSON.parse(body)));
  }

  /** Saves how much of a budget is used. @throws StateFileError when it cannot be written. */
  saveBudget(key: string, record: BudgetRecord, now: number): void {
    this.#write(now, () => this.#budgets.put([key], [], JSON.stringify(record)));
  }

  /** The last value of `saveNetwork`; undefined if there is none. @throws StateFileError */
  loadNetwork(network: string): unknown {
    return this.#read(this.#networks, [network], decode);
  }

  /** Saves facts of a network: plain data, amounts as bigints. @throws StateFileError when it cannot be written. */
  saveNetwork(network: string, body: unknown, now: number): void {
    this.#write(now, () => this.#networks.put([network], [now], encode(body)));
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
    this.#write(now, () => this.#observations.deleteNetwork(network));
  }

  /** Metrics of the file. */
  facts(): StateFileFacts {
    return this.#facts;
  }

  /** Closes the file, so that another process can open it. */
  close(): void {
    this.#database.close();
  }

  // Sets a row aside that is damaged, or that cannot be parsed.
  #read<Value>(
    table: Table,
    key: readonly string[],
    parse: (body: string, facts: readonly number[]) => Value,
    task?: Task,
  ): Value | undefined {
    let row: ReturnType<Table["get"]>;
    try {
      row = table.get(key);
    } catch (error) {
      throw StateFileError.from(this.path, error);
    }
    if (row === undefined) return undefined;
    try {
      if (!row.isIntact) throw new Error(WRONG_CHECKSUM);
      return parse(row.body, row.facts);
    } catch (error) {
      if (error instanceof StateFileError) throw error;
      this.#moveAside(table, key, error instanceof Error ? error.message : String(error), task);
      return undefined;
    }
  }

  #moveAside(table: Table, key: readonly string[], reason: string, task?: Task): void {
    const at = this.#clock.now();
    this.#write(at, () => table.setAside(key, at, reason));
    this.#countSetAside(at, 1);
    const fields = { ...fieldsOf(key), name: task?.target.watched?.name, reason };
    this.#log.warn(fields, `a saved row cannot be used and is set aside: ${table.schema.consequence}`);
  }

  #setDamagedAside(table: Table): void {
    const at = this.#clock.now();
    const keys = table.setDamagedAside(at, WRONG_CHECKSUM);
    this.#countSetAside(at, keys.length);
    const message = `a saved row is damaged and is set aside, its key may be wrong: ${table.schema.consequence}`;
    for (const key of keys) this.#log.warn({ ...fieldsOf(key), reason: WRONG_CHECKSUM }, message);
  }

  #countSetAside(at: number, rows: number): void {
    if (rows > 0) this.#facts = { ...this.#facts, setAside: this.#facts.setAside + rows, lastSetAsideAt: at };
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

const TOTAL_VERSION = 1;

// Checked here, so that a body of another form is set aside.
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

// The same fields as in other log lines.
function fieldsOf([key = "", collector, target]: readonly string[]): object {
  // The key of a budget is `network/upstream`.
  const [network, upstream] = key.split("/");
  return { network, ...(upstream === undefined ? {} : { upstream }), collector, ...(target === "" ? {} : { target }) };
}
