// A state file in its own folder, and the log lines about it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
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
  readonly log = { warn: (fields: object, msg: string) => void this.lines.push({ msg, ...fields }) };
  readonly #open: StateFile[] = [];

  /** Opens the store. Only one can be open. */
  open(): StateFile {
    this.lines.length = 0;
    const opened = new StateFile(this.path, this.log);
    this.#open.push(opened);
    return opened;
  }

  /** Closes the store that is open. */
  close(): void {
    for (const opened of this.#open.splice(0)) opened.close();
  }

  reopen(): StateFile {
    this.close();
    return this.open();
  }

  /** Changes a closed file behind the back of the store. */
  edit(sql: string): void {
    const database = new DatabaseSync(this.path);
    database.exec(sql);
    database.close();
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

/** A task whose observation is kept. */
export function durableTask(key = ""): Task {
  const task = fakeTask(async () => 0);
  return { ...task, target: { key }, collector: { ...task.collector, isDurable: true } };
}
