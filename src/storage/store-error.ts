// Why the state file cannot be used, in words for the operator.

/** The state file cannot be opened, read or written. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  /** Another process has it. */
  readonly isInUse: boolean;

  constructor(path: string, problem: string, cause?: unknown) {
    super(`state file ${path}: ${problem}`, { cause });
    this.isInUse = problem === IN_USE;
  }
}

const IN_USE = "is in use by another process";
/** Said of a file that some other program made. */
export const NOT_OURS = "is not a state file of this program";

// Primary result codes of SQLite.
const PROBLEMS: Readonly<Record<number, string>> = {
  3: "may not be opened (permission denied)",
  5: IN_USE,
  6: IN_USE,
  8: "cannot be written (it is read-only)",
  10: "cannot be read or written (may its folder be written? or else the disk reports an error)",
  11: "is damaged",
  13: "cannot be written (the disk is full)",
  14: "cannot be opened (is its folder there, and may it be written?)",
  26: NOT_OURS,
};

// The same, as the file system says it.
const RESULT_CODES: Readonly<Record<string, number>> = { EACCES: 14, EROFS: 8, ENOSPC: 13, EDQUOT: 13 };

/** What an error of SQLite or of the file system means. */
export function problemOf(error: unknown): string {
  const { errcode, code, message } = error as Partial<{ errcode: number; code: string; message: string }>;
  const result = errcode === undefined ? RESULT_CODES[code ?? ""] : errcode & 0xff;
  return (result === undefined ? undefined : PROBLEMS[result]) ?? message ?? String(error);
}
