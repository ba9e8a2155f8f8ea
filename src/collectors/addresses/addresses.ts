import { orReplacement } from "../../api/replacement.ts";
import { block, blockByHeight } from "../chain/block-source.ts";
import { transactionEvents } from "../chain/transaction-source.ts";
import type { Collector } from "../collector.ts";
import { EXAMPLE } from "./example.ts";
import { addressFamilies, addressSamples, addressSums } from "./families.ts";
import { limitFamilies, limitSamples } from "./limits.ts";
import { MAX_REQUESTS } from "./needed-transfers.ts";
import { type Options, options } from "./options.ts";
import { observeAddress } from "./poll.ts";
import { addressTransactions, principalTransactions } from "./source.ts";
import type { AddressTarget, Observation } from "./state.ts";
import { addressTransactionEvents, transactionsWithTransfers } from "./transfer-source.ts";

/** Transactions and transfers of watched addresses, each counted once. */
export const addresses = {
  name: "addresses",
  about: "Transactions, transfers, fees and costs of watched addresses, each transaction counted once.",
  schedule: { keyless: "every 5m", free_key: "every 1h" },
  timeout: "1m",
  priority: 5,
  isDurable: true,
  operations: [
    addressTransactions,
    transactionsWithTransfers,
    addressTransactionEvents,
    principalTransactions,
    transactionEvents,
    blockByHeight,
    block,
  ],
  families: [...addressFamilies, ...limitFamilies, ...addressSums.map(({ as }) => as)],
  sums: addressSums,
  options,
  targets({ addresses, confirmations, assets }) {
    const named = assets.map(({ id }) => id);
    return addresses.map((watched) => ({ key: watched.principal, watched, confirmations, named }));
  },

  requestsPerPoll: () => 1,
  requestsPerTransaction: ({ transfers }) => (transfers ? 1 : 0),
  example: ({ transfers, api }) => ({ ...EXAMPLE, hasTransfers: transfers, isNew: api === "v3" }),
  hints({ feed, facts, held }, { key }) {
    // Transactions whose transfers are missing do not cause an early poll.
    const uncounted = facts.backlog - Object.keys(held).length;
    // The budget ended before their transfers were read.
    const isShort = feed.open === undefined && uncounted > 0 && uncounted <= MAX_REQUESTS;
    return {
      moved: isShort ? [key] : [],
      isWaiting: facts.pending.below_depth > 0,
      isBehind: (feed.open !== undefined || uncounted > 0) && !isShort,
    };
  },

  async observe(poll, settings) {
    if (settings.api !== "auto") return observeAddress(settings.api === "v3", poll, settings);
    return orReplacement(
      poll.api,
      addressTransactions,
      () => observeAddress(false, poll, settings),
      () => observeAddress(true, poll, settings),
    );
  },

  *samples(observation, network, target) {
    yield* addressSamples(observation, network, target);
    yield* limitSamples(observation, network, target.watched);
  },
} satisfies Collector<Observation, Options, AddressTarget>;
