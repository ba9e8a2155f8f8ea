import { z } from "zod";
import { orReplacement } from "../../api/replacement.ts";
import type { Sample } from "../../exposition/family.ts";
import { block, blockByHeight } from "../chain/block-source.ts";
import { transactionEvents } from "../chain/transaction-source.ts";
import type { Collector } from "../collector.ts";
import { EMPTY_FEED } from "../feed/state.ts";
import { EXAMPLE_TOTALS } from "./example.ts";
import { NO_FACTS } from "./facts.ts";
import { addressFamilies, addressSamples } from "./families.ts";
import { type AddressTarget, observeAddress } from "./poll.ts";
import { addressTransactions, PAGE, principalTransactions } from "./source.ts";
import { type Observation, upgraded } from "./state.ts";
import { addressTransactionEvents, transactionsWithTransfers } from "./transfers.ts";

const options = z.object({
  backfill: z
    .union([z.literal("none"), z.literal("all"), z.int().min(1).max(10_000_000).meta({ unit: "transactions" })])
    .default("none")
    .meta({
      description:
        "Transactions counted from the time before the first poll of an address: none, a number of its newest ones, or all. Read newest first, within the budget.",
    }),
  transfers: z.boolean().default(true).meta({
    description:
      "Whether transfers are read. Costs one request for each block with new transactions whose transfers are not in the list, or for each such transaction if the server has removed that operation.",
  }),
  transaction_events: z.boolean().default(false).meta({
    description:
      "Whether operation 4.3 is requested for each transaction that the operation for blocks lacks. If the server has removed that operation, the events of each transaction are requested in any case.",
  }),
  api: z.enum(["auto", "v1", "v3"]).default("auto").meta({
    description:
      "API operations to use. `auto`: the older ones, which return more, and their replacements after their removal.",
  }),
  pages: z
    .int()
    .min(2)
    .max(200)
    .default(10)
    .meta({
      description: `Maximum number of pages of ${PAGE} transactions that one poll reads. The next polls read the rest.`,
    }),
  catch_up: z.int().min(PAGE).max(10_000_000).default(100_000).meta({
    unit: "transactions",
    description: "Maximum number of transactions of one address to catch up after a pause. Older ones count as a gap.",
  }),
  max_assets: z.int().min(0).max(10_000).default(50).meta({
    description:
      "Maximum number of assets of one address with series of their own, for fungible and for non-fungible tokens: those in `assets` of the network first, then the most frequently transferred ones. The others count as `other`.",
  }),
  zeros: z.boolean().default(true).meta({
    description:
      "Whether all known combinations of labels have a series with the value 0 from the start: about 330 series per address. Otherwise only combinations that occur have series: from 20 for a quiet address to 180 for a busy one.",
  }),
});
type Options = z.infer<typeof options>;

const EXAMPLE_FACT = { value: 1, height: 1, hash: "" };

/** Watched addresses: what they sent and received, counted exactly once (operations 4.6, 4.5 and 4.3, or their replacement). */
export const addresses = {
  name: "addresses",
  about: "Transactions, transfers, fees and costs of watched addresses, each transaction counted once.",
  schedule: "every 5m",
  timeout: "1m",
  priority: 3,
  durable: { version: 2, upgrade: upgraded },
  operations: [
    addressTransactions,
    transactionsWithTransfers,
    addressTransactionEvents,
    principalTransactions,
    transactionEvents,
    blockByHeight,
    block,
  ],
  families: addressFamilies,
  options,
  targets({ addresses, confirmations, assets }) {
    const named = assets.map(({ id }) => id);
    return addresses.map((watched) => ({ key: watched.principal, watched, confirmations, named }));
  },

  requestsPerPoll: () => 1,
  example: ({ zeros, transfers, api }) => ({
    feed: EMPTY_FEED,
    floor: { height: 1, index: 0 },
    settledTotal: 1,
    totals: EXAMPLE_TOTALS,
    facts: {
      ...NO_FACTS,
      total: 1,
      lastTimes: { sent: EXAMPLE_FACT, received: EXAMPLE_FACT },
      last: { height: 1, hash: "" },
      nonces: { sender: EXAMPLE_FACT },
    },
    isNew: api === "v3",
    hasTransfers: transfers,
    zeros,
    backfill: undefined,
    held: {},
    seen: [],
    etag: undefined,
  }),
  // Where the server does not tell something yet, a poll at once would not help.
  sighting: ({ feed, facts, held, seen }) => ({
    seen,
    isBehind: feed.open !== undefined || facts.backlog > Object.keys(held).length,
  }),

  async observe(poll, settings) {
    if (settings.api !== "auto") return observeAddress(settings.api === "v3", poll, settings);
    return orReplacement(
      poll.api,
      addressTransactions,
      () => observeAddress(false, poll, settings),
      () => observeAddress(true, poll, settings),
    );
  },

  *samples({ totals, facts, isNew, hasTransfers, zeros }, network, { watched }): Iterable<Sample> {
    const labels = { network, name: watched.name, address: watched.principal };
    const known = { totals, facts, hasDetail: !isNew, hasTransfers, zeros };
    yield* addressSamples(known, labels, watched.group, watched.labels);
  },
} satisfies Collector<Observation, Options, AddressTarget>;
