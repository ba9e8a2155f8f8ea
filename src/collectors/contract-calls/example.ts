// A typical contract, to estimate series: six functions, four errors.
import { keyOf } from "../counters.ts";
import { NOTHING } from "./poll.ts";
import type { Observation } from "./state.ts";

const FUNCTIONS = ["swap", "add-liquidity", "remove-liquidity", "transfer", "claim", "set-fee"];
const ERRORS = ["u101", "u102", "none", "post_condition"];
const STATUSES = ["success", "abort_by_response", "abort_by_post_condition"];

/** The observation of a typical contract. */
export const EXAMPLE: Observation = {
  ...NOTHING,
  totals: {
    ...NOTHING.totals,
    calls: Object.fromEntries(FUNCTIONS.flatMap((name) => STATUSES.map((status) => [keyOf(name, status), 0]))),
    errors: Object.fromEntries(ERRORS.map((error) => [keyOf("swap", error), 0])),
  },
  last: { id: "", height: 1, index: 0, hash: "", time: 1 },
  rhythm: { known: { first: 0, last: 86_400 }, days: [{ day: 1, pauses: 10, longest: 1 }] },
};
