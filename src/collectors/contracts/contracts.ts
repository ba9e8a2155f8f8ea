import { z } from "zod";
import { orReplacement } from "../../api/replacement.ts";
import { transaction } from "../chain/transaction-source.ts";
import type { Collector } from "../collector.ts";
import { contractEvents, contractLogs } from "./event-source.ts";
import { contractFamilies, contractSamples } from "./families.ts";
import { type ContractTarget, observeContract } from "./poll.ts";
import { EMPTY, type Observation } from "./state.ts";

const options = z.object({
  api: z.enum(["auto", "v1", "v3"]).default("auto").meta({
    description:
      "API operations to use. `auto`: the older ones, which return more, and their replacements (`v3`) after their removal.",
  }),
  pages: z.int().min(1).max(200).default(10).meta({
    description: "Maximum number of pages of 50 events that one poll reads, at least 2. The next polls read the rest.",
  }),
  max_topics: z.int().min(1).max(1000).default(50).meta({
    description:
      "Maximum number of pairs of event type and topic of one contract that have series. The rest count as `other`.",
  }),
});
/** Watched contracts: their events, each counted once (`contract_events`, or its replacement). */
export const contracts = {
  name: "contracts",
  about: "Events of watched contracts, each counted once.",
  schedule: { keyless: "every 5m", free_key: "every 1h" },
  timeout: "1m",
  priority: 5,
  isDurable: true,
  operations: [contractEvents, contractLogs, transaction],
  families: contractFamilies,
  options,
  targets: ({ contracts, confirmations }) =>
    contracts.map((watched) => ({ key: watched.principal, watched, confirmations })),
  requestsPerPoll: () => 1,
  example: () => ({
    ...EMPTY,
    lastSeenAt: 1,
    rhythm: { known: { first: 0, last: 86_400 }, days: [{ day: 1, pauses: 10, longest: 1 }] },
  }),
  hints: ({ feed }) => ({ isWaiting: feed.waiting.length > 0, isBehind: feed.open !== undefined }),

  async observe(poll, settings) {
    const observe = (isNew: boolean) => observeContract(isNew, poll, settings);
    if (settings.api !== "auto") return observe(settings.api === "v3");
    return orReplacement(
      poll.api,
      contractEvents,
      () => observe(false),
      () => observe(true),
    );
  },

  samples: (observation, network, { watched }) => contractSamples(observation, network, watched),
} satisfies Collector<Observation, z.infer<typeof options>, ContractTarget>;
