// Opens the state file for one process, readable by its owner only.
import { chmodSync, chownSync, closeSync, mkdirSync, openSync, readSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { problemOf, StateFileError } from "./state-file-error.ts";

/** The part of a logger that the state file needs. */
export interface StateFileLog {
  warn(fields: object, message: string): void;
}

// The first bytes of every SQLite file.
const MAGIC = "SQLite format 3\0";

// "STXE": identifies the files of this exporter.
const APPLICATION_ID = 0x53545845;

// `user_version` of the file. Earlier formats were never released; a later version upgrades files from this one on.
const FORMAT = 5;

const TARGET = "network TEXT NOT NULL, collector TEXT NOT NULL, target TEXT NOT NULL";

/** The tables of targets. */
export const TABLES = ["last_values", "cursors", "rows", "counters", "places"] as const;

const SCHEMA = `
  CREATE TABLE last_values (${TARGET}, body TEXT NOT NULL, PRIMARY KEY (network, collector, target));
  CREATE TABLE cursors (${TARGET}, body TEXT NOT NULL, PRIMARY KEY (network, collector, target));
  CREATE TABLE rows (
    ${TARGET}, id TEXT NOT NULL, height INTEGER NOT NULL, position INTEGER NOT NULL, hash TEXT NOT NULL,
    state TEXT NOT NULL, is_old INTEGER NOT NULL, PRIMARY KEY (network, collector, target, id)
  );
  CREATE TABLE counters (
    ${TARGET}, family TEXT NOT NULL, labels TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (network, collector, target, family, labels)
  );
  CREATE TABLE places (
    ${TARGET}, name TEXT NOT NULL, value TEXT NOT NULL, day INTEGER NOT NULL,
    PRIMARY KEY (network, collector, target, name, value)
  );
  -- The integrity check compares an index with its table: a flipped byte of what counts is found.
  CREATE INDEX cursors_copy ON cursors (network, collector, target, body);
  CREATE INDEX rows_copy ON rows (network, collector, target, id, height, position, hash, state, is_old);
  CREATE INDEX counters_copy ON counters (network, collector, target, family, labels, value);
  CREATE TABLE budgets (upstream TEXT PRIMARY KEY, body TEXT NOT NULL);
  CREATE TABLE networks (network TEXT PRIMARY KEY, body TEXT NOT NULL);`;

/** The path of a database in memory. */
export const MEMORY = ":memory:";

/** A database that ends with the process. */
export function inMemory(): DatabaseSync {
  const database = new DatabaseSync(MEMORY);
  database.exec(SCHEMA);
  return database;
}

// SQLite keeps the last writes in files next to the state file.
const SUFFIXES = ["", "-wal", "-shm", "-journal"];

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

/**
 * Opens the state file, and creates it when it is missing. A file of another format stays untouched.
 * @throws StateFileError when it cannot be used.
 */
export function openFile(path: string, log: StateFileLog): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    if (exists(path)) checkHeader(path);
    else create(path);
    database = new DatabaseSync(path, { timeout: 0 });
    // Exclusive: a second exporter on the same file would count everything twice.
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    prepare(database, path, log);
    return database;
  } catch (error) {
    if (database?.isOpen) database.close();
    throw StateFileError.from(path, error);
  }
}

function create(path: string): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // SQLite would create it with the mode of the umask. It gives the files next to it the same mode.
  closeSync(openSync(path, "a", 0o600));
  if (process.getuid?.() !== 0) return;
  // A command of root does not lock out the exporter, which runs as another user.
  const { uid, gid } = statSync(folder);
  chownSync(path, uid, gid);
}

// By its bytes: SQLite writes to a file that it opens, and takes a few bytes for an empty file.
function checkHeader(path: string): void {
  const header = Buffer.alloc(72);
  const file = openSync(path, "r");
  try {
    if (readSync(file, header) === 0) return;
  } finally {
    closeSync(file);
  }
  if (header.toString("latin1", 0, MAGIC.length) !== MAGIC) throw StateFileError.damaged(path, "it is not a database");
  const [format, application] = [header.readUInt32BE(60), header.readUInt32BE(68)];
  if (application !== APPLICATION_ID || format === FORMAT) return;
  const whose = format > FORMAT ? "a newer version of stacks-exporter" : "a version before the first release";
  throw new StateFileError(path, `was written by ${whose} (its format is ${format}; this one reads ${FORMAT})`);
}

/**
 * Renames a state file, so that counters start from zero; returns its new path, undefined when there is no file.
 * @throws StateFileError when another process uses it, or it cannot be moved.
 */
export function renameFile(path: string, now: number, log: StateFileLog): string | undefined {
  if (!exists(path)) return undefined;
  try {
    openFile(path, log).close();
  } catch (error) {
    // A file that is damaged, foreign or of another format is renamed as well.
    if (!(error instanceof StateFileError) || error.isInUse) throw error;
  }
  const kept = `${path}.${new Date(now).toISOString().replaceAll(/[:.]/g, "-")}`;
  restrictModes(path, log);
  try {
    for (const suffix of SUFFIXES) if (exists(path + suffix)) renameSync(path + suffix, kept + suffix);
  } catch (error) {
    throw new StateFileError(path, `cannot be renamed: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
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

function prepare(database: DatabaseSync, path: string, log: StateFileLog): void {
  const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  const application = Number(pragma("application_id"));
  const tables = Number(database.prepare("SELECT count(*) AS count FROM sqlite_schema").get()?.count);
  // Empty also when the process that created it was killed before its first write.
  const isEmpty = tables === 0 && application === 0;
  if (!isEmpty && application !== APPLICATION_ID) throw new StateFileError(path, "is a database of another program");
  restrictModes(path, log);
  // Not quick_check: it does not compare an index with its table, and a row that its index lacks would start from zero.
  const check = isEmpty ? "ok" : String(pragma("integrity_check(1)"));
  if (check !== "ok") throw StateFileError.damaged(path, check);
  database.exec("BEGIN EXCLUSIVE");
  // A restart on a full disk writes nothing.
  if (isEmpty) {
    database.exec(`${SCHEMA} PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT}`);
  }
  database.exec("COMMIT");
  // A poll is on the disk before its counters are scraped: even a power cut must not take them back.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -1024");
}
