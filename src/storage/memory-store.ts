// The store of a network without a state file: in memory, until the process ends.
import type { BudgetRecord } from "../api/budget.ts";
import type { StateFile } from "./state-file.ts";

/** The part of the state file that keeps the used budgets and the facts of networks. */
export type NetworkStore = Pick<
  StateFile,
  "path" | "loadBudget" | "saveBudget" | "loadNetwork" | "saveNetwork" | "deleteNetwork"
>;

/** The part of the state file that keeps the used budgets. */
export type BudgetStore = Pick<StateFile, "loadBudget" | "saveBudget">;

/** Keeps facts of networks in memory, and used budgets too, unless another store keeps them. */
export class MemoryStore implements NetworkStore {
  readonly path = "memory";
  readonly #elsewhere: BudgetStore | undefined;
  readonly #budgets = new Map<string, BudgetRecord>();
  readonly #networks = new Map<string, unknown>();

  constructor(budgets?: BudgetStore) {
    this.#elsewhere = budgets;
  }

  loadBudget(key: string): BudgetRecord | undefined {
    return this.#elsewhere === undefined ? this.#budgets.get(key) : this.#elsewhere.loadBudget(key);
  }

  saveBudget(key: string, record: BudgetRecord, now: number): void {
    this.#budgets.set(key, record);
    this.#elsewhere?.saveBudget(key, record, now);
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
