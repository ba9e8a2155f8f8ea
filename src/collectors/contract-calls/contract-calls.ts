import { orReplacement } from "../../api/replacement.ts";
import { addressTransactions, principalTransactions } from "../addresses/source.ts";
import type { Collector } from "../collector.ts";
import { EXAMPLE } from "./example.ts";
import { callFamilies, callSamples } from "./families.ts";
import { type Options, options } from "./options.ts";
import { observeCalls } from "./poll.ts";
import type { CallTarget, Observation } from "./state.ts";

/** Direct calls of watched contracts, each counted once (`address_transactions`, or its replacement). */
export const contractCalls = {
  name: "contract_calls",
  about: "Calls of watched contracts by function, their errors, fees and callers, each call counted once.",
  schedule: { keyless: "every 5m", free_key: "every 1h" },
  timeout: "1m",
  priority: 5,
  isDurable: true,
  operations: [addressTransactions, principalTransactions],
  families: callFamilies,
  options,
  // Event rules belong to the collector `contracts`.
  targets: ({ contracts, confirmations }) =>
    contracts.map((watched) => ({ key: watched.principal, watched: { ...watched, rules: [] }, confirmations })),
  requestsPerPoll: () => 1,
  example: () => EXAMPLE,
  hints: ({ ledger, pending }) => ({ isWaiting: pending > 0, isBehind: ledger?.isFar === true }),

  async observe(poll, settings) {
    const observe = (useReplacement: boolean) => observeCalls(useReplacement, poll, settings);
    if (settings.api !== "auto") return observe(settings.api === "v3");
    return orReplacement(
      poll.api,
      addressTransactions,
      () => observe(false),
      () => observe(true),
    );
  },

  samples: (observation, network, { watched }) => callSamples(observation, network, watched),
} satisfies Collector<Observation, Options, CallTarget>;
