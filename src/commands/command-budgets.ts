// What a command may use of the budgets, alone or beside a running exporter of the same configuration.
import { commandsPart, exporterPart, type WindowLimits } from "../api/budget-limits.ts";
import type { Config } from "../config/config.ts";
import { MEMORY, type StateFileLog } from "../store/open.ts";
import { StateFileError } from "../store/state-file-error.ts";
import { type BudgetStore, Store } from "../store/store.ts";
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
  const { store, isBeside } = openStore(config.statePath, io);
  try {
    const partOf = isBeside ? commandsPart : exporterPart;
    for (const { name, upstreams } of config.networks) {
      if (upstreams.every(({ budget }) => partOf(budget).perMinute > 0)) continue;
      throw new CommandError(`${name}: a budget of 1 request a minute leaves none to a command beside an exporter`);
    }
    return await work({ store, isBeside, partOf });
  } finally {
    store.close();
  }
}

function openStore(
  path: string | undefined,
  io: Pick<Io, "err">,
): { readonly store: Store; readonly isBeside: boolean } {
  const log: StateFileLog = { warn: (_, message) => io.err(`${message}\n`) };
  const beside = (of: string) => ({ store: new Store(of, log), isBeside: true });
  if (path === undefined) return beside(MEMORY);
  try {
    return { store: new Store(path, log), isBeside: false };
  } catch (error) {
    if (!(error instanceof StateFileError)) throw error;
  }
  try {
    return beside(`${path}.commands`);
  } catch (error) {
    if (!(error instanceof StateFileError)) throw error;
    if (error.isInUse) throw new CommandError("another command uses the budget: start this one when it has ended");
    io.err(`${error.message}: what the command uses of the budget is not saved\n`);
    return beside(MEMORY);
  }
}
