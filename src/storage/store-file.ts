// The state file as a file: opened for one process, for its owner only, with the schema of today.
import { chmodSync, closeSync, mkdirSync, openSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { NOT_OURS, problemOf, StoreError } from "./store-error.ts";
import { APPLICATION_ID, CHECKSUMS_SINCE, MIGRATIONS } from "./store-schema.ts";
import { defineChecksum } from "./table.ts";

/** The part of a logger that the state file needs. */
export interface StoreLog {
  warn(fields: object, message: string): void;
}

/** An open state file. */
export interface StoreFile {
  readonly database: DatabaseSync;
  /** Whether an index did not match its table and was built again: then a key may be damaged. */
  readonly isReindexed: boolean;
}

// SQLite keeps the last writes beside the file.
const SUFFIXES = ["", "-wal", "-shm", "-journal"];

/**
 * Opens the state file, creates it when there is none, and upgrades its schema.
 * @throws StoreError when it cannot be used.
 */
export function openFile(path: string, log: StoreLog, migrations: readonly string[] = MIGRATIONS): StoreFile {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    create(path);
    database = new DatabaseSync(path, { timeout: 0 });
    defineChecksum(database);
    // Exclusive: a second exporter on the same file would count everything twice.
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    const isReindexed = prepare(database, path, log, migrations);
    return { database, isReindexed };
  } catch (error) {
    if (database?.isOpen) database.close();
    throw error instanceof StoreError ? error : new StoreError(path, problemOf(error), error);
  }
}

/**
 * Renames a state file, so that counting starts again; returns its new path, undefined when there was none.
 * @throws StoreError when another process uses it, or it cannot be moved.
 */
export function setAside(path: string, now: number, log: StoreLog): string | undefined {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  try {
    openFile(path, log).database.close();
  } catch (error) {
    // Damaged, foreign or too new: reasons to set it aside. In use is not.
    if (!(error instanceof StoreError) || error.isInUse) throw error;
  }
  const kept = `${path}.${new Date(now).toISOString().replaceAll(/[:.]/g, "-")}`;
  narrow(path, log);
  try {
    for (const suffix of SUFFIXES) {
      if (statSync(path + suffix, { throwIfNoEntry: false }) !== undefined) renameSync(path + suffix, kept + suffix);
    }
  } catch (error) {
    throw new StoreError(path, `cannot be put aside: ${error instanceof Error ? error.message : error}`, error);
  }
  return kept;
}

// SQLite would create it as the umask says, and gives the files beside it the mode of this one.
function create(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) closeSync(openSync(path, "a", 0o600));
}

// The file has the watch list in it. Where the mode cannot be changed (another owner, a file system without modes), the
// exporter still runs.
function narrow(path: string, log: StoreLog): void {
  for (const file of SUFFIXES.map((suffix) => path + suffix)) {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & 0o077) === 0) continue;
    try {
      chmodSync(file, mode & 0o700);
    } catch (error) {
      const fields = { file, mode: (mode & 0o777).toString(8).padStart(4, "0"), error: problemOf(error) };
      log.warn(fields, "other users can read the state file, and its mode cannot be changed");
    }
  }
}

// Returns whether an index was built again.
function prepare(database: DatabaseSync, path: string, log: StoreLog, migrations: readonly string[]): boolean {
  const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  const tables = Number(database.prepare("SELECT count(*) AS count FROM sqlite_schema").get()?.count);
  // Empty also when the process that created it was killed before its first write.
  const isEmpty = tables === 0 && pragma("application_id") === 0;
  if (!isEmpty && pragma("application_id") !== APPLICATION_ID) throw new StoreError(path, NOT_OURS);
  narrow(path, log);
  const version = Number(pragma("user_version"));
  if (version > migrations.length) {
    const known = `its schema has version ${version}, this one knows up to ${migrations.length}`;
    throw new StoreError(path, `was written by a newer version of stacks-exporter (${known})`);
  }
  const isReindexed = !isEmpty && repairIndexes(database, path, version);
  database.exec("BEGIN EXCLUSIVE");
  for (const step of migrations.slice(version)) database.exec(step);
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.length}; COMMIT`);
  // A poll is on the disk before anybody sees its numbers: not even a power cut may take them back.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -1024");
  return isReindexed;
}

// A key is in its row and in the index. When the two differ, the row counts, because its checksum shows whether it is right.
function repairIndexes(database: DatabaseSync, path: string, version: number): boolean {
  const check = (name: string) => String(Object.values(database.prepare(`PRAGMA ${name}(1)`).get() ?? {})[0]);
  const damage = check("integrity_check");
  if (damage === "ok") return false;
  if (check("quick_check") !== "ok" || version < CHECKSUMS_SINCE) throw new StoreError(path, `is damaged (${damage})`);
  try {
    database.exec("REINDEX");
  } catch (error) {
    throw new StoreError(path, `is damaged (${damage})`, error);
  }
  return true;
}
