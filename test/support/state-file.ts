// A state file in its own folder.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Task } from "../../src/collectors/collector.ts";
import type { Counted } from "../../src/collectors/counted.ts";
import { type Key, Store } from "../../src/store/store.ts";
import { fakeTask, level, total } from "./fake-task.ts";

export class TestStateFile {
  readonly folder = mkdtempSync(join(tmpdir(), "stacks-exporter-store-"));
  path = join(this.folder, "state.db");
  readonly #open: Store[] = [];

  /** Opens the store. Only one can be open. */
  open(): Store {
    const opened = new Store(this.path);
    this.#open.push(opened);
    return opened;
  }

  /** Closes the store that is open. */
  close(): void {
    for (const opened of this.#open.splice(0)) opened.close();
  }

  reopen(): Store {
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

/** The key of a target of a collector called `fake`. */
export const keyOf = (target = "", network = "mainnet"): Key => [network, "fake", target];

/** Saves a value of a target. */
export const save = (store: Store, value: unknown, key = keyOf()): void =>
  store.commit(key, store.load(key), { values: value, ledger: undefined });

/** A task whose observation is kept: its value is a gauge, and counts. */
export function durableTask(key = ""): Task {
  const task = fakeTask(async () => 0);
  return {
    ...task,
    target: { key, confirmations: 6 },
    collector: {
      ...task.collector,
      counts: { identity: (network) => ({ network }) },
      *samples(observation, network) {
        yield level.at({ network }, (observation as Counted<number>).values);
      },
    },
  };
}

/** The observation of a durable task after another one. */
export const countedAfter = (previous: unknown, value: number): Counted<number> => {
  const { values: before } = (previous ?? {}) as Partial<Counted<number>>;
  const additions = value === before ? [] : [{ family: total, labels: {}, value: value - (before ?? 0) }];
  return { values: value, ledger: undefined, additions };
};
