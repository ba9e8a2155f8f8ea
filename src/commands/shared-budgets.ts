// The budgets of a command: it shares them with a running exporter of the same configuration, and with other commands.
import { statSync } from "node:fs";
import { systemClock } from "../api/clock.ts";
import type { Config } from "../config/config.ts";
import type { BudgetFile } from "../storage/budget-file.ts";
import { StateFileError } from "../storage/state-file-error.ts";
import { CommandError, type Io } from "./io.ts";

/** The budgets of a command. */
export interface SharedBudgets {
  /** Undefined: the command cannot know what other processes use. */
  readonly file: BudgetFile | undefined;
  /** Aborted when they can no longer be used. */
  readonly failed: AbortSignal;
}

/**
 * Opens the budget file next to the state file; the command closes it. Writes to stderr if the command cannot share it.
 * @throws CommandError if the file exists but cannot be used: the requests could exceed the budget.
 */
export async function openSharedBudgets({ statePath }: Config, io: Pick<Io, "err">): Promise<SharedBudgets> {
  const failed = new AbortController();
  const alone = (reason: string): SharedBudgets => {
    io.err(`${reason}: requests of a running exporter do not count in the budget of this command\n`);
    return { file: undefined, failed: failed.signal };
  };
  if (statePath === undefined) return alone("state: memory");
  // Loads SQLite, which `state: memory` does not need.
  const { BudgetFile, budgetPathOf } = await import("../storage/budget-file.ts");
  const path = budgetPathOf(statePath);
  const onError = (error: Error) => {
    // Not at once: the budget is in the middle of a decision.
    queueMicrotask(() => failed.abort(new DOMException(error.message, "AbortError")));
    return false;
  };
  try {
    return { file: new BudgetFile(path, { clock: systemClock, onError }), failed: failed.signal };
  } catch (error) {
    if (!(error instanceof StateFileError)) throw error;
    // An exporter could not have its state here either.
    if (isAbsent(path)) return alone(error.message);
    throw new CommandError(`the budget cannot be shared with a running exporter: ${error.message}`);
  }
}

// A file in a folder that may not be read can be there.
function isAbsent(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
  }
}

/** Runs `work` with the budgets of a command. Settles as it does. @throws CommandError */
export async function withSharedBudgets<Result>(
  config: Config,
  io: Pick<Io, "err">,
  work: (budgets: SharedBudgets) => Promise<Result>,
): Promise<Result> {
  const budgets = await openSharedBudgets(config, io);
  try {
    return await work(budgets);
  } finally {
    budgets.file?.close();
  }
}
