// Opens the state file for one process, readable by its owner only, or says why it cannot be used.
import { closeSync, mkdirSync, openSync, readSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The state file cannot be opened, read or written. */
export class StateFileError extends Error {
  override readonly name = "StateFileError";
  readonly isInUse: boolean;
  /** The content of the file is damaged: nothing can be counted. */
  readonly isDamage: boolean;

  constructor(
    path: string,
    problem: string,
    { cause, isInUse = false, isDamage = false }: { cause?: unknown; isInUse?: boolean; isDamage?: boolean } = {},
  ) {
    super(`state file ${path}: ${problem}${isDamage ? WAY_OUT : ""}`, { cause });
    this.isInUse = isInUse;
    this.isDamage = isDamage;
  }

  /** The error for what SQLite or the file system threw. */
  static from(path: string, error: unknown): StateFileError {
    if (error instanceof StateFileError) return error;
    const { errcode = 0, message = String(error) } = error as Partial<{ errcode: number; message: string }>;
    const code = errcode & 0xff;
    if (code === BUSY) return new StateFileError(path, "is in use by another process", { isInUse: true });
    if (DAMAGED.includes(code)) return StateFileError.damaged(path, message);
    return new StateFileError(path, message, { cause: error });
  }

  /** The error for content that cannot be right. */
  static damaged(path: string, what: string): StateFileError {
    return new StateFileError(path, `is damaged (${what})`, { isDamage: true });
  }
}

const WAY_OUT =
  ". Nothing is counted, because counters could be wrong: stop the exporter and restore a copy of the file, or start " +
  "once with --reset-state, which keeps the file and counts from zero";

// Primary result codes of SQLite.
const BUSY = 5;
const DAMAGED = [11, 26];

// The first bytes of every SQLite file.
const MAGIC = "SQLite format 3\0";

// "STXE": identifies the files of this exporter.
const APPLICATION_ID = 0x53545845;

// `user_version` of the file. Earlier formats were never released; a later version upgrades files from this one on.
const FORMAT = 6;

const TARGET = "network TEXT NOT NULL, collector TEXT NOT NULL, target TEXT NOT NULL";

/** The tables of targets. */
export const TABLES = ["targets", "rows", "counters", "places"] as const;

// The integrity check compares an index with its table: a flipped byte of what counts is found in the copies. They
// begin with the target, so that a commit writes few pages.
const SCHEMA = `
  CREATE TABLE targets (
    ${TARGET}, body TEXT NOT NULL, cursor TEXT, PRIMARY KEY (network, collector, target)
  ) WITHOUT ROWID;
  CREATE INDEX targets_copy ON targets (network, collector, target, cursor);
  CREATE TABLE rows (
    ${TARGET}, id TEXT NOT NULL, height INTEGER NOT NULL, position INTEGER NOT NULL, hash TEXT NOT NULL,
    state TEXT NOT NULL, is_old INTEGER NOT NULL, PRIMARY KEY (network, collector, target, id)
  ) WITHOUT ROWID;
  CREATE INDEX rows_copy ON rows (network, collector, target, height, position, hash, state, is_old);
  CREATE TABLE counters (
    ${TARGET}, family TEXT NOT NULL, labels TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (network, collector, target, family, labels)
  ) WITHOUT ROWID;
  CREATE INDEX counters_copy ON counters (network, collector, target, value);
  CREATE TABLE places (
    ${TARGET}, name TEXT NOT NULL, value TEXT NOT NULL, day INTEGER NOT NULL,
    PRIMARY KEY (network, collector, target, name, value)
  ) WITHOUT ROWID;
  CREATE TABLE facts (kind TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kind, name));`;

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
export function openFile(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    if (exists(path)) checkHeader(path);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // SQLite would create it with the mode of the umask. It gives the files next to it the same mode.
    closeSync(openSync(path, "a", 0o600));
    database = new DatabaseSync(path);
    // Exclusive: a second exporter on the same file would count everything twice.
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    prepare(database, path);
    return database;
  } catch (error) {
    database?.close();
    throw StateFileError.from(path, error);
  }
}

// By its bytes: SQLite writes to a file that it opens, and takes a few bytes for an empty file.
function checkHeader(path: string): void {
  // To open a FIFO would block.
  if (!statSync(path).isFile()) throw new StateFileError(path, "is not a regular file");
  const header = Buffer.alloc(72);
  const file = openSync(path, "r");
  try {
    // Empty: the process that created it was killed before its first write.
    if (readSync(file, header) === 0) return;
  } finally {
    closeSync(file);
  }
  if (header.toString("latin1", 0, MAGIC.length) !== MAGIC) throw StateFileError.damaged(path, "it is not a database");
  const [format, application] = [header.readUInt32BE(60), header.readUInt32BE(68)];
  if (application !== APPLICATION_ID) throw new StateFileError(path, "is a database of another program");
  if (format === FORMAT) return;
  const whose = format > FORMAT ? "a newer version of stacks-exporter" : "a version before the first release";
  throw new StateFileError(path, `was written by ${whose} (its format is ${format}; this one reads ${FORMAT})`);
}

function prepare(database: DatabaseSync, path: string): void {
  const isEmpty = database.prepare("SELECT 1 FROM sqlite_schema").get() === undefined;
  // Not quick_check: it does not compare an index with its table, and a row that its index lacks would start from zero.
  const [found] = Object.values(database.prepare("PRAGMA integrity_check(1)").get() ?? {});
  if (found !== "ok") throw StateFileError.damaged(path, String(found));
  database.exec("BEGIN EXCLUSIVE");
  // A restart on a full disk writes nothing.
  if (isEmpty) {
    database.exec(`${SCHEMA} PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT}`);
  }
  database.exec("COMMIT");
  // A poll is on the disk before its counters are scraped: even a power cut must not take them back.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -1024");
}

/**
 * Renames a state file, so that counters start from zero; returns its new path, undefined when there is no file.
 * @throws StateFileError when another process uses it, or it cannot be moved.
 */
export function renameFile(path: string, now: number): string | undefined {
  if (!exists(path)) return undefined;
  try {
    openFile(path).close();
  } catch (error) {
    // A file that is damaged, foreign or of another format is renamed as well.
    if (error instanceof StateFileError && error.isInUse) throw error;
  }
  const kept = `${path}.${new Date(now).toISOString().replaceAll(/[:.]/g, "-")}`;
  try {
    for (const suffix of SUFFIXES) if (exists(path + suffix)) renameSync(path + suffix, kept + suffix);
  } catch (error) {
    throw StateFileError.from(path, error);
  }
  return kept;
}
