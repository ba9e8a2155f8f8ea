// A budget that several processes share.

/** The use of a budget, for its next client or process. Unix time, milliseconds. */
export interface BudgetRecord {
  readonly minute: readonly { readonly at: number; readonly priority: number }[];
  readonly month?: { readonly tokens: number; readonly at: number } | undefined;
  /** End of the active pause. */
  readonly pausedUntil?: number | undefined;
}

/** A request of a budget: Unix time in milliseconds, and its priority. */
export type UsedRequest = BudgetRecord["minute"][number];

/** Requests that a process has used or returned, and the rest of the month. */
export interface BudgetChange extends Omit<BudgetRecord, "minute"> {
  readonly added?: readonly UsedRequest[];
  /** A request that was not sent. */
  readonly removed?: UsedRequest | undefined;
}

/** A budget that several processes use. Times are Unix time in milliseconds. */
export interface SharedBudget {
  /** The requests of others since the last call, and what is left of the month. */
  news(): BudgetRecord;
  /**
   * Calls `work` with the news while no other process can use the budget, and makes its change known to all. `busy`:
   * another process uses the budget at the moment, and nothing was called. `failed`: the change is not known to others,
   * and nothing may be sent.
   */
  exclusively(work: (news: BudgetRecord) => BudgetChange | undefined): "done" | "busy" | "failed";
}

/** The budget of one process. */
export const UNSHARED: SharedBudget = {
  news: () => ({ minute: [] }),
  exclusively: (work) => {
    work({ minute: [] });
    return "done";
  },
};
