// Opens the state file for one process, readable by its owner only, and upgrades its schema.
import { chmodSync, closeSync, mkdirSync, openSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { FOREIGN, problemOf, StateFileError } from "./state-file-error.ts";
import { defineChecksum } from "./table.ts";

/** The part of a logger that the state file needs. */
export interface StateFileLog {
  warn(fields: object, message: string): void;
}

// "STXE": identifies the files of this exporter.
const APPLICATION_ID = 0x53545845;

// The first version whose rows have checksums.
const CHECKSUMS_SINCE = 2;

/** Each step leads to the next version of the schema; `user_version` of the file is the number of steps it has had. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE observations (
     network TEXT NOT NULL, collector TEXT NOT NULL, target TEXT NOT NULL,
     version INTEGER NOT NULL, saved_at INTEGER NOT NULL, body TEXT NOT NULL,
     PRIMARY KEY (network, collector, target)
   );
   CREATE TABLE budgets (network TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;`,
  // Rows without a checksum get theirs here, once: later, a row without one is damaged.
  `ALTER TABLE observations ADD COLUMN checksum INTEGER;
   UPDATE observations
     SET checksum = checksum('observations', network, collector, target, version, saved_at, body);
   ALTER TABLE budgets ADD COLUMN checksum INTEGER;
   UPDATE budgets SET checksum = checksum('budgets', network, body);
   CREATE TABLE networks (
     network TEXT PRIMARY KEY, saved_at INTEGER NOT NULL, body TEXT NOT NULL, checksum INTEGER
   ) WITHOUT ROWID;
   CREATE TABLE set_aside (
     id INTEGER PRIMARY KEY, at INTEGER NOT NULL, reason TEXT NOT NULL, source TEXT NOT NULL,
     network, collector, target, version, saved_at, body, checksum
   );`,
];

// SQLite keeps the last writes in files next to the state file.
const SUFFIXES = ["", "-wal", "-shm", "-journal"];

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

/**
 * Opens the state file, creates it when it is missing, and upgrades its schema. `isReindexed`: an index did not match
 * its table and was rebuilt, so a key may be damaged.
 * @throws StateFileError when it cannot be used.
 */
export function openFile(path: string, log: StateFileLog, migrations: readonly string[] = MIGRATIONS) {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // SQLite would create it with the mode of the umask. It gives the files next to it the same mode.
    if (!exists(path)) closeSync(openSync(path, "a", 0o600));
    database = new DatabaseSync(path, { timeout: 0 });
    defineChecksum(database);
    // Exclusive: a second exporter on the same file would count everything twice.
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    return { database, isReindexed: prepare(database, path, log, migrations) };
  } catch (error) {
    if (database?.isOpen) database.close();
    throw StateFileError.from(path, error);
  }
}

/**
 * Renames a state file, so that counters start from zero; returns its new path, undefined when there is no file.
 * @throws StateFileError when another process uses it, or it cannot be moved.
 */
export function renameFile(path: string, now: number, log: StateFileLog): string | undefined {
  if (!exists(path)) return undefined;
  try {
    openFile(path, log).database.close();
  } catch (error) {
    // A file that is damaged, foreign or too new is renamed as well.
    if (!(error instanceof StateFileError) || error.isInUse) throw error;
  }
  const kept = `${path}.${new Date(now).toISOString().replaceAll(/[:.]/g, "-")}`;
  restrictModes(path, log);
  try {
    for (const suffix of SUFFIXES) if (exists(path + suffix)) renameSync(path + suffix, kept + suffix);
  } catch (error) {
    throw new StateFileError(path, `cannot be renamed: ${error instanceof Error ? error.message : error}`, error);
  }
  return kept;
}

// The file contains the watch list. Where the mode cannot be changed (another owner, a file system without modes), the
// exporter still runs.
function restrictModes(path: string, log: StateFileLog): void {
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

// Returns whether an index was rebuilt.
function prepare(database: DatabaseSync, path: string, log: StateFileLog, migrations: readonly string[]): boolean {
  const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  const tables = Number(database.prepare("SELECT count(*) AS count FROM sqlite_schema").get()?.count);
  // Empty also when the process that created it was killed before its first write.
  const isEmpty = tables === 0 && pragma("application_id") === 0;
  if (!isEmpty && pragma("application_id") !== APPLICATION_ID) throw new StateFileError(path, FOREIGN);
  restrictModes(path, log);
  const version = Number(pragma("user_version"));
  if (version > migrations.length) {
    const known = `its schema has version ${version}; this one supports up to ${migrations.length}`;
    throw new StateFileError(path, `was written by a newer version of stacks-exporter (${known})`);
  }
  const isReindexed = !isEmpty && repairIndexes(database, path, version);
  database.exec("BEGIN EXCLUSIVE");
  // A restart on a full disk writes nothing.
  if (version < migrations.length) {
    for (const step of migrations.slice(version)) database.exec(step);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.length}`);
  }
  database.exec("COMMIT");
  // A poll is on the disk before its counters are scraped: even a power cut must not take them back.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -1024");
  return isReindexed;
}

// A key is in its row and in the index. When the two differ, the row counts, because it has a checksum.
function repairIndexes(database: DatabaseSync, path: string, version: number): boolean {
  const check = (name: string) => String(Object.values(database.prepare(`PRAGMA ${name}(1)`).get() ?? {})[0]);
  const damage = check("integrity_check");
  if (damage === "ok") return false;
  const problem = `is damaged (${damage})`;
  if (check("quick_check") !== "ok" || version < CHECKSUMS_SINCE) throw new StateFileError(path, problem);
  try {
    database.exec("REINDEX");
  } catch (error) {
    throw new StateFileError(path, problem, error);
  }
  return true;
}
