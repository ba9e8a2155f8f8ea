// A state file in its own folder, and the log lines about it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import type { Durable } from "../../src/collectors/collector.ts";
import type { Task } from "../../src/collectors/task.ts";
import { StateFile } from "../../src/storage/state-file.ts";
import { fakeTask } from "./fake-task.ts";

/** A line of the log: its message and its fields. */
export type Line = Readonly<Record<string, unknown>>;

export class TestStateFile {
  readonly folder = mkdtempSync(join(tmpdir(), "stacks-exporter-store-"));
  path = join(this.folder, "state.db");
  /** Warnings since the file was opened. */
  readonly lines: Line[] = [];
  /** Time of the clock of the store. Unix time, milliseconds. */
  now = 0;
  readonly log = { warn: (fields: object, msg: string) => void this.lines.push({ msg, ...fields }) };
  readonly #open: StateFile[] = [];

  /** Opens the store. Only one can be open. */
  open(migrations?: readonly string[]): StateFile {
    this.lines.length = 0;
    const clock = { now: () => this.now };
    const opened = new StateFile(this.path, { log: this.log, clock, ...(migrations && { migrations }) });
    this.#open.push(opened);
    return opened;
  }

  /** Closes the store that is open. */
  close(): void {
    for (const opened of this.#open.splice(0)) opened.close();
  }

  reopen(migrations?: readonly string[]): StateFile {
    this.close();
    return this.open(migrations);
  }

  /** Changes a closed file behind the back of the store. */
  edit(sql: string): void {
    const database = new DatabaseSync(this.path);
    database.exec(sql);
    database.close();
  }

  /** Rows of a closed file; integers beyond 2^53 are bigints. */
  rows(sql: string): Record<string, SQLOutputValue>[] {
    const database = new DatabaseSync(this.path);
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    const rows = statement.all().map((row) => Object.entries(row).map(([name, value]) => [name, small(value)]));
    database.close();
    return rows.map((row) => Object.fromEntries(row));
  }

  /** Overwrites text in a closed file where it stands for the `nth` time. */
  overwrite(text: string, by: string, nth: number): void {
    const bytes = readFileSync(this.path);
    let at = bytes.indexOf(text);
    for (let place = 1; place < nth; place += 1) at = bytes.indexOf(text, at + 1);
    if (at < 0 || text.length !== by.length) throw new Error(`${text} cannot be overwritten`);
    bytes.write(by, at);
    writeFileSync(this.path, bytes);
  }

  remove(): void {
    this.close();
    rmSync(this.folder, { recursive: true });
  }
}

const small = (value: SQLOutputValue) =>
  typeof value === "bigint" && BigInt(Number(value)) === value && Number.isSafeInteger(Number(value))
    ? Number(value)
    : value;

/** A task whose observation is kept. */
export function durableTask(durable: Durable = { version: 1 }, key = ""): Task {
  const task = fakeTask(async () => 0);
  return { ...task, target: { key }, collector: { ...task.collector, durable } };
}
