import { z } from "zod";
import type { Sample } from "../../exposition/family.ts";
import type { Collector, WatchedTarget } from "../collector.ts";
import type { Counted } from "../counted.ts";
import { chosenOptions, chosenTargets } from "../options.ts";
import { transaction } from "../transaction.ts";
import { MEMPOOL_TX_TYPES, OTHER } from "../values.ts";
import { gauges, removed } from "./families.ts";
import { directionsOf, observeWaiting, principalNonces, principalWaiting, REREAD_SECONDS } from "./poll.ts";
import { gapOf, type Known, sentNonces, type Values } from "./state.ts";

const options = z.object(chosenOptions("waiting", "whose waiting transactions are followed"));

// Those that users send at any time have a sample even if none waits.
const USUAL_TYPES: readonly string[] = ["token_transfer", "smart_contract", "contract_call"];

const typeOf = ({ type }: Known): string => ((MEMPOOL_TX_TYPES as readonly string[]).includes(type) ? type : OTHER);

/** Waiting transactions of watched addresses, mostly from what the collectors of the whole chain have read. */
export const waiting = {
  name: "waiting",
  about: "Waiting transactions of watched addresses: how many, how old, what they pay, and missing nonces.",
  // Most polls send no request.
  schedule: { keyless: "every 1m", free_key: "every 1m" },
  timeout: "58s", // a poll that lasts as long as the interval takes the slot of the next one
  // Few requests, which confirm what blocks withdrawals: before the early polls of other collectors.
  priority: 3,
  isOfPresent: true,
  operations: [principalWaiting, principalNonces, transaction],
  families: [...Object.values(gauges), removed],
  counts: {
    identity: (network, { watched: { name, principal } }) => ({ network, name, address: principal }),
  },
  options,
  targets: (network, settings) => chosenTargets("waiting", network, settings),
  requestsPerPoll: (_, intervalSeconds) => Math.min(1, intervalSeconds / REREAD_SECONDS),

  observe: (poll) => observeWaiting(poll),
  *samples({ values }, network, { watched: { name, principal } }): Iterable<Sample> {
    // Unknown are waiting transactions below the end of an incomplete read, and whether an earlier one still waits.
    if (!values.isWhole || values.known.some(({ isUnlisted }) => isUnlisted)) return;
    const labels = { network, name, address: principal };
    for (const direction of directionsOf(principal)) {
      const some = values.known.filter((one) => one.direction === direction);
      const byType = Map.groupBy(some, typeOf);
      for (const tx_type of new Set([...USUAL_TYPES, ...byType.keys()])) {
        yield gauges.transactions.at({ ...labels, direction, tx_type }, byType.get(tx_type)?.length ?? 0);
      }
      if (some.length === 0) continue;
      yield gauges.oldest.at({ ...labels, direction }, Math.min(...some.map(({ receivedAt }) => receivedAt)));
    }
    const [next] = values.known.filter(({ direction }) => direction === "out").toSorted((a, b) => a.nonce - b.nonce);
    if (next?.fee !== undefined) yield gauges.nextFee.at({ ...labels, tx_type: typeOf(next) }, next.fee);
    const gap = gapOf(values);
    if (gap?.isConfirmed !== true) return;
    yield gauges.missingNonce.at(labels, gap.nonce);
    yield gauges.blocked.at(labels, sentNonces(values).filter((nonce) => nonce > gap.nonce).length);
  },
} satisfies Collector<Counted<Values>, z.infer<typeof options>, WatchedTarget>;
