import { z } from "zod";
import { transaction } from "../chain/transaction-source.ts";
import { chosenOptions, isChosen } from "../chosen.ts";
import type { Collector } from "../collector.ts";
import type { Counted } from "../counted.ts";
import { waitingFamilies, waitingGauges } from "./families.ts";
import { observeWaiting, REREAD_SECONDS } from "./poll.ts";
import { principalNonces, principalWaiting } from "./source.ts";
import type { Values, WaitingTarget } from "./state.ts";

const options = z.object(
  chosenOptions("whose waiting transactions are followed", "`waiting: true`", "`waiting: false`"),
);

/** Waiting transactions of watched addresses, mostly from what the collectors of the whole chain have read. */
export const waiting = {
  name: "waiting",
  about: "Waiting transactions of watched addresses: how many, how old, what they pay, and missing nonces.",
  // Most polls send no request.
  schedule: "every 1m",
  timeout: "30s",
  // Few requests, which confirm what blocks withdrawals: before the early polls of other collectors.
  priority: 3,
  isDurable: true,
  operations: [principalWaiting, principalNonces, transaction],
  families: waitingFamilies,
  counts: {
    identity: (network, { watched: { name, principal } }) => ({ network, name, address: principal }),
  },
  options,
  targets({ addresses }, settings) {
    return (
      addresses
        // Groups have no sums of waiting transactions.
        .filter((watched) => watched.isSummed !== true && isChosen(watched.waiting, watched, settings))
        .map((watched) => ({ key: watched.principal, watched }))
    );
  },

  requestsPerPoll: (_, intervalSeconds) => Math.min(1, intervalSeconds / REREAD_SECONDS),

  observe: (poll) => observeWaiting(poll),
  samples: ({ values }, network, { watched }) => waitingGauges(values, network, watched),
} satisfies Collector<Counted<Values>, z.infer<typeof options>, WaitingTarget>;
