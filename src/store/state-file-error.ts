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
    if (BUSY.includes(code)) return new StateFileError(path, "is in use by another process", { isInUse: true });
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
const BUSY = [5, 6];
const DAMAGED = [11, 26];
