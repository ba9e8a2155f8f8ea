// What has to outlive the process: observations whose counters go on after a restart, how much of the budget is used, and
// facts of each network. One SQLite file, one transaction per write. Only `src/storage/store-file.ts` and `table.ts` know SQLite too.
import type { DatabaseSync } from "node:sqlite";
import { type ZodType, z } from "zod";
import type { BudgetRecord } from "../api/budget.ts";
import { keyOf, type Task } from "../collectors/task.ts";
import { decode, encode } from "./codec.ts";
import { problemOf, StoreError } from "./store-error.ts";
import { openFile, type StoreLog } from "./store-file.ts";
import { BUDGETS, NETWORKS, OBSERVATIONS } from "./store-schema.ts";
import { type Row, Table } from "./table.ts";

/** How the file stands. Times are Unix time in milliseconds. */
export interface StoreFacts {
  /** Whether there was anything in the file when it was opened. */
  readonly isRestored: boolean;
  readonly lastWriteAt: number | undefined;
  readonly failures: number;
  /** Rows in the table set_aside, and when the last one was set aside. */
  readonly setAside: number;
  readonly lastSetAsideAt: number | undefined;
}

/** What a store is made with. */
export interface StoreOptions {
  readonly log: StoreLog;
  readonly clock: { now(): number };
  /** Steps of the schema. @default those of this version */
  readonly migrations?: readonly string[];
}

const WRONG_CHECKSUM = "its checksum is wrong";

const budgetRecord: ZodType<BudgetRecord> = z.object({
  minute: z.array(z.object({ at: z.number(), priority: z.number() })),
  month: z.object({ tokens: z.number(), at: z.number() }).optional(),
});

/** The state file. Belongs to one process at a time. */
export class Store {
  readonly path: string;
  readonly #options: StoreOptions;
  readonly #database: DatabaseSync;
  readonly #observations: Table;
  readonly #budgets: Table;
  readonly #networks: Table;
  readonly #isRestored: boolean;
  #lastWriteAt: number | undefined;
  #failures = 0;
  #setAside: number;
  #lastSetAsideAt: number | undefined;

  /**
   * Opens the file, and creates it when there is none.
   * @throws StoreError when it cannot be used, with what to do about it.
   */
  constructor(path: string, options: StoreOptions) {
    this.path = path;
    this.#options = options;
    const { database, isReindexed } = openFile(path, options.log, options.migrations);
    this.#database = database;
    try {
      this.#observations = new Table(database, OBSERVATIONS);
      this.#budgets = new Table(database, BUDGETS);
      this.#networks = new Table(database, NETWORKS);
      const kept = database.prepare("SELECT count(*) AS rows, max(at) AS last FROM set_aside").get();
      this.#setAside = Number(kept?.rows);
      this.#lastSetAsideAt = kept?.last === null ? undefined : Number(kept?.last);
      this.#isRestored = database.prepare("SELECT 1 FROM observations LIMIT 1").get() !== undefined;
      // A row with a damaged key is not found by its key. These tables are small enough to check every row; observations have
      // an index to compare with.
      const suspects = [this.#budgets, this.#networks, ...(isReindexed ? [this.#observations] : [])];
      for (const table of suspects) this.#setDamagedAside(table);
    } catch (error) {
      database.close();
      throw error instanceof StoreError ? error : new StoreError(path, problemOf(error), error);
    }
  }

  /**
   * The last saved observation of a task; undefined when there is none, when its collector keeps none, or when what is
   * there cannot be used: then it is set aside.
   * @throws StoreError when a newer version wrote it, or the file cannot be read or written.
   */
  load(task: Task): unknown {
    const { durable } = task.collector;
    const row = durable === undefined ? undefined : this.#read(this.#observations, keyIn(task));
    if (durable === undefined || row === undefined) return undefined;
    if (!row.isIntact) return this.setAside(task, WRONG_CHECKSUM);
    const [version = 0] = row.facts;
    if (version > durable.version) {
      const problem = `a newer version of stacks-exporter wrote what is saved of ${keyOf(task)}`;
      throw new StoreError(this.path, `${problem} (version ${version}, this one knows up to ${durable.version})`);
    }
    try {
      const observation = decode(row.body);
      if (version === durable.version) return observation;
      if (durable.upgrade === undefined) throw new Error(`it has version ${version}, which nothing can upgrade`);
      return durable.upgrade(observation, version);
    } catch (error) {
      return this.setAside(task, messageOf(error));
    }
  }

  /**
   * Sets aside what is saved of a task, because it cannot be used: it is kept with the time and the reason, and the task
   * starts again without it.
   * @throws StoreError when it cannot be written.
   */
  setAside(task: Task, reason: string): undefined {
    this.#moveAside(this.#observations, keyIn(task), reason, { name: task.target.watched?.name });
  }

  /**
   * Saves an observation in one transaction, which is on the disk when this returns; undefined deletes it.
   * @throws StoreError when it cannot be written.
   */
  save(task: Task, observation: unknown, now: number): void {
    const { durable } = task.collector;
    if (durable === undefined) return;
    this.#write(now, () => {
      if (observation === undefined) this.#observations.delete(keyIn(task));
      else this.#observations.put(keyIn(task), [durable.version, now], encode(observation));
    });
  }

  /** How much of the budget of a network is used; undefined when nothing is known. @throws StoreError */
  loadBudget(network: string): BudgetRecord | undefined {
    return this.#loadOf(this.#budgets, network, (body) => budgetRecord.parse(JSON.parse(body)));
  }

  /** Saves how much of the budget of a network is used. @throws StoreError when it cannot be written. */
  saveBudget(network: string, record: BudgetRecord, now: number): void {
    this.#write(now, () => this.#budgets.put([network], [], JSON.stringify(record)));
  }

  /** What `saveNetwork` last saved of a network; undefined when nothing is known. @throws StoreError */
  loadNetwork(network: string): unknown {
    return this.#loadOf(this.#networks, network, decode);
  }

  /** Saves facts of a network: plain data, amounts as bigints. @throws StoreError when it cannot be written. */
  saveNetwork(network: string, body: unknown, now: number): void {
    this.#write(now, () => this.#networks.put([network], [now], encode(body)));
  }

  /** Deletes every observation of a network, also of targets that are watched no more. @throws StoreError */
  forgetNetwork(network: string, now: number): void {
    this.#write(now, () => this.#observations.deleteOf(network));
  }

  /** How the file stands. */
  facts(): StoreFacts {
    return {
      isRestored: this.#isRestored,
      lastWriteAt: this.#lastWriteAt,
      failures: this.#failures,
      setAside: this.#setAside,
      lastSetAsideAt: this.#lastSetAsideAt,
    };
  }

  /** Closes the file; the next process may open it. */
  close(): void {
    this.#database.close();
  }

  #loadOf<Body>(table: Table, network: string, parse: (body: string) => Body): Body | undefined {
    const row = this.#read(table, [network]);
    if (row === undefined) return undefined;
    try {
      if (!row.isIntact) throw new Error(WRONG_CHECKSUM);
      return parse(row.body);
    } catch (error) {
      this.#moveAside(table, [network], messageOf(error), {});
      return undefined;
    }
  }

  #moveAside(table: Table, key: readonly string[], reason: string, known: object): void {
    const { clock, log } = this.#options;
    const at = clock.now();
    this.#write(at, () => table.setAside(key, at, reason));
    this.#noteSetAside(at, 1);
    log.warn({ ...fieldsOf(key), ...known, reason }, `a saved row cannot be used and is set aside: ${nextOf(table)}`);
  }

  #setDamagedAside(table: Table): void {
    const { clock, log } = this.#options;
    const at = clock.now();
    const keys = table.setDamagedAside(at, WRONG_CHECKSUM);
    this.#noteSetAside(at, keys.length);
    const message = `a saved row is damaged and is set aside, its key may be wrong: ${nextOf(table)}`;
    for (const key of keys) log.warn({ ...fieldsOf(key), reason: WRONG_CHECKSUM }, message);
  }

  #noteSetAside(at: number, rows: number): void {
    this.#setAside += rows;
    if (rows > 0) this.#lastSetAsideAt = at;
  }

  #read(table: Table, key: readonly string[]): Row | undefined {
    try {
      return table.get(key);
    } catch (error) {
      throw new StoreError(this.path, problemOf(error), error);
    }
  }

  #write(now: number, work: () => void): void {
    try {
      work();
      this.#lastWriteAt = now;
    } catch (error) {
      this.#failures += 1;
      throw new StoreError(this.path, problemOf(error), error);
    }
  }
}

const keyIn = ({ network, collector, target }: Task): readonly string[] => [network, collector.name, target.key];

// The fields that other lines of the log have, too.
function fieldsOf([key = "", collector, target]: readonly string[]): object {
  // The row of a budget belongs to an upstream of a network.
  const [network, upstream] = key.split("/");
  return { network, ...(upstream === undefined ? {} : { upstream }), collector, ...(target === "" ? {} : { target }) };
}

// What happens now that a row is missing.
function nextOf({ name }: Table): string {
  if (name === OBSERVATIONS.name) return "counting of this target starts again";
  if (name === BUDGETS.name) return "the request budget of this upstream starts as if no request was made";
  return "facts of this network are read from the API again";
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
