// The store of a network without a state file: in memory, until the process ends.
import type { BudgetRecord } from "../api/shared-budget.ts";
import type { StateFile } from "./state-file.ts";

/** The part of the state file that keeps the used budgets and the facts of networks. */
export type NetworkStore = Pick<
  StateFile,
  "path" | "loadBudget" | "saveBudget" | "loadNetwork" | "saveNetwork" | "deleteNetwork"
>;

/** Keeps used budgets and facts of networks in memory. */
export class MemoryStore implements NetworkStore {
  readonly path = "memory";
  readonly #budgets = new Map<string, BudgetRecord>();
  readonly #networks = new Map<string, unknown>();

  loadBudget(key: string): BudgetRecord | undefined {
    return this.#budgets.get(key);
  }

  saveBudget(key: string, record: BudgetRecord): void {
    this.#budgets.set(key, record);
  }

  loadNetwork(network: string): unknown {
    return this.#networks.get(network);
  }

  saveNetwork(network: string, body: unknown): void {
    this.#networks.set(network, body);
  }

  /** Nothing to do: observations are not kept here. */
  deleteNetwork(): void {}
}
