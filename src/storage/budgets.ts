// The used budgets of one network's upstreams in the state file: a second after a request they are on the disk, so
// that a process that is killed does not make the next one exceed the budget.
import type { BudgetRecord } from "../api/budget.ts";
import type { Clock } from "../api/clock.ts";
import type { StateFile } from "./state-file.ts";

const SAVE_AFTER_MS = 1000;

/** What saved budgets work with. */
export interface SavedBudgetsOptions {
  readonly network: string;
  /** Undefined: nothing is saved. */
  readonly stateFile: StateFile | undefined;
  readonly clock: Clock;
  readonly stop: AbortSignal;
  readonly log: { error(fields: object, message: string): void };
  /** The used budget of each upstream, by name. */
  readonly records: () => Iterable<readonly [string, BudgetRecord]>;
}

/** The used budgets of one network. */
export class SavedBudgets {
  readonly #options: SavedBudgetsOptions;
  #isDue = false;

  constructor(options: SavedBudgetsOptions) {
    this.#options = options;
  }

  /** The saved budget of an upstream. @param isFirst whether it is the preferred one */
  load(upstream: string, isFirst: boolean): BudgetRecord | undefined {
    const { stateFile, network } = this.#options;
    // Files of versions without upstreams have the record under the name of the network.
    return stateFile?.loadBudget(`${network}/${upstream}`) ?? (isFirst ? stateFile?.loadBudget(network) : undefined);
  }

  /** Saves within a second. */
  saveSoon(): void {
    const { stateFile, clock, stop } = this.#options;
    if (stateFile === undefined || this.#isDue) return;
    this.#isDue = true;
    clock.sleep(SAVE_AFTER_MS, stop).then(
      () => {
        this.#isDue = false;
        this.save();
      },
      () => undefined, // stopped: the network saves when it ends
    );
  }

  /** Saves now; a failure is logged. */
  save(): void {
    const { network, stateFile, clock, log, records } = this.#options;
    try {
      for (const [upstream, record] of records()) {
        stateFile?.saveBudget(`${network}/${upstream}`, record, clock.now());
      }
    } catch (error) {
      log.error({ err: error }, "the used budget could not be saved");
    }
  }
}
