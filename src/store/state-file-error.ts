// Why the state file cannot be used, in words for the operator.

/** The state file cannot be opened, read or written. */
export class StateFileError extends Error {
  override readonly name = "StateFileError";
  /** Another process has it open. */
  readonly isInUse: boolean;
  /** The content of the file is damaged: nothing can be counted. */
  readonly isDamage: boolean;

  constructor(
    path: string,
    problem: string,
    { cause, isDamage = false }: { cause?: unknown; isDamage?: boolean } = {},
  ) {
    super(`state file ${path}: ${problem}${isDamage ? WAY_OUT : ""}`, { cause });
    this.isInUse = problem === IN_USE;
    this.isDamage = isDamage;
  }

  /** The error for what SQLite or the file system threw. */
  static from(path: string, error: unknown): StateFileError {
    if (error instanceof StateFileError) return error;
    const problem = problemOf(error);
    return new StateFileError(path, problem, { cause: error, isDamage: DAMAGE.includes(problem) });
  }

  /** The error for content that cannot be right. */
  static damaged(path: string, what: string): StateFileError {
    return new StateFileError(path, `is damaged (${what})`, { isDamage: true });
  }
}

const WAY_OUT =
  ". Nothing is counted, because counters could be wrong: stop the exporter and restore a copy of the file, or start " +
  "once with --reset-state, which keeps the file and counts from zero";

const IN_USE = "is in use by another process";

// Primary result codes of SQLite.
const PROBLEMS: Readonly<Record<number, string>> = {
  3: "may not be opened (permission denied)",
  5: IN_USE,
  6: IN_USE,
  8: "cannot be written (it is read-only)",
  10: "cannot be read or written (is its folder writable? or else the disk reports an error)",
  11: "is damaged",
  13: "cannot be written (the disk is full)",
  14: "cannot be opened (does its folder exist, and is it writable?)",
  26: "is damaged (it is not a database)",
};

const DAMAGE = [PROBLEMS[11], PROBLEMS[26]];

// Error codes of the file system with the same meaning.
const RESULT_CODES: Readonly<Record<string, number>> = { EACCES: 14, EISDIR: 14, EROFS: 8, ENOSPC: 13, EDQUOT: 13 };

// The meaning of an error of SQLite or of the file system.
function problemOf(error: unknown): string {
  const { errcode, code, message } = error as Partial<{ errcode: number; code: string; message: string }>;
  const result = errcode === undefined ? RESULT_CODES[code ?? ""] : errcode & 0xff;
  return (result === undefined ? undefined : PROBLEMS[result]) ?? message ?? String(error);
}
