// What a command may use of the budgets, alone or beside a running exporter of the same configuration.
import { commandsPart, exporterPart, type WindowLimits } from "../api/budget-limits.ts";
import type { Config } from "../config/config.ts";
import { type BudgetStore, MemoryStore } from "../storage/memory-store.ts";
import type { StateFile } from "../storage/state-file.ts";
import { StateFileError } from "../storage/state-file-error.ts";
import { CommandError, type Io } from "./io.ts";

/** The budgets of a command. */
export interface CommandBudgets {
  /** Keeps what the command uses for the next exporter or command. */
  readonly store: BudgetStore;
  /** Whether an exporter may use the same budgets at the same time. */
  readonly isBeside: boolean;
  /** The part of a budget for the command. */
  readonly partOf: (budget: WindowLimits) => WindowLimits;
}

/**
 * Runs `work` with the budgets of a command. While no exporter runs, the command holds the state file, as an exporter
 * does. Otherwise it uses the part that an exporter leaves, one command at a time. Settles as `work` does.
 * @throws CommandError when another command runs, or the budget has no part for commands
 */
export async function withBudgets<Result>(
  config: Config,
  io: Pick<Io, "err">,
  work: (budgets: CommandBudgets) => Promise<Result>,
): Promise<Result> {
  const { file, isBeside } = await openFile(config.statePath, io);
  try {
    const partOf = isBeside ? commandsPart : exporterPart;
    for (const { name, upstreams } of config.networks) {
      if (upstreams.every(({ budget }) => partOf(budget).perMinute > 0)) continue;
      throw new CommandError(`${name}: a budget of 1 request a minute leaves none to a command beside an exporter`);
    }
    return await work({ store: file ?? new MemoryStore(), isBeside, partOf });
  } finally {
    file?.close();
  }
}

async function openFile(path: string | undefined, io: Pick<Io, "err">) {
  if (path === undefined) return { file: undefined, isBeside: true };
  // Loads SQLite, which `state: memory` does not need.
  const { StateFile } = await import("../storage/state-file.ts");
  const log = { warn: (_: object, message: string) => io.err(`${message}\n`) };
  const open = (of: string): StateFile => new StateFile(of, log);
  try {
    return { file: open(path), isBeside: false };
  } catch (error) {
    if (!(error instanceof StateFileError)) throw error;
  }
  try {
    return { file: open(`${path}.commands`), isBeside: true };
  } catch (error) {
    if (!(error instanceof StateFileError)) throw error;
    if (error.isInUse) throw new CommandError("another command uses the budget: start this one when it has ended");
    io.err(`${error.message}: what the command uses of the budget is not saved\n`);
    return { file: undefined, isBeside: true };
  }
}
