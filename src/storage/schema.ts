// The schema of the state file, and its migrations.
import type { TableSchema } from "./table.ts";

/** "STXE": identifies the files of this exporter. */
export const APPLICATION_ID = 0x53545845;

/** The last observation of each task. */
export const OBSERVATIONS: TableSchema = {
  name: "observations",
  key: ["network", "collector", "target"],
  facts: ["version", "saved_at"],
};
/** How much of the request budget of each upstream is used; the key is `network/upstream`. */
export const BUDGETS: TableSchema = { name: "budgets", key: ["network"], facts: [] };
/** Facts of each network. */
export const NETWORKS: TableSchema = { name: "networks", key: ["network"], facts: ["saved_at"] };

/** The first version whose rows have checksums. */
export const CHECKSUMS_SINCE = 2;

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
