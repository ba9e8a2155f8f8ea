// Why the state file cannot be used, in words for the operator.

/** The state file cannot be opened, read or written. */
export class StateFileError extends Error {
  override readonly name = "StateFileError";
  /** Another process has it open. */
  readonly isInUse: boolean;
  /** The disk or its permissions are the problem, not the content of the file. */
  readonly isOfPlace: boolean;

  constructor(path: string, problem: string, cause?: unknown) {
    super(`state file ${path}: ${problem}`, { cause });
    this.isInUse = problem === IN_USE;
    this.isOfPlace = PROBLEMS_OF_PLACE.has(problem);
  }

  /** The error for what SQLite or the file system threw. */
  static from(path: string, error: unknown): StateFileError {
    return error instanceof StateFileError ? error : new StateFileError(path, problemOf(error), error);
  }
}

const IN_USE = "is in use by another process";
/** The problem of a file that another program made. */
export const FOREIGN = "is not a state file of this program";

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
  26: FOREIGN,
};

const PROBLEMS_OF_PLACE: ReadonlySet<string | undefined> = new Set([3, 8, 10, 13, 14].map((code) => PROBLEMS[code]));

// Error codes of the file system with the same meaning.
const RESULT_CODES: Readonly<Record<string, number>> = { EACCES: 14, EROFS: 8, ENOSPC: 13, EDQUOT: 13 };

/** The meaning of an error of SQLite or of the file system. */
export function problemOf(error: unknown): string {
  const { errcode, code, message } = error as Partial<{ errcode: number; code: string; message: string }>;
  const result = errcode === undefined ? RESULT_CODES[code ?? ""] : errcode & 0xff;
  return (result === undefined ? undefined : PROBLEMS[result]) ?? message ?? String(error);
}
