// The metric families of the collector `waiting`, and the samples of one address. Pure.
import type { Family, Sample } from "../../exposition/family.ts";
import type { Watched } from "../collector.ts";
import type { Adder } from "../counted.ts";
import { MEMPOOL_TX_TYPES, OTHER } from "../labels.ts";
import { ofAddress } from "../subjects.ts";
import { confirmedGap } from "./gap.ts";
import { DIRECTIONS, type Direction, isContract, type Known, REMOVALS, type Values } from "./state.ts";

const LISTS = "GET /extended/v3/mempool/transactions and GET /extended/v3/principals/{principal}/mempool/transactions";
const listed = (fields: string) => `${fields} of ${LISTS}, polled`;
const NONCES = `${listed("sender.nonce").replace(", polled", "")}, and last_confirmed_nonce of GET /extended/v3/principals/{principal}/nonces, polled`;
const direction = {
  about: "from the point of view of the address: it sends (out), or receives or is called (in)",
  values: DIRECTIONS,
};
const tx_type = { about: "type of the transaction; other for unknown ones", values: MEMPOOL_TX_TYPES };

const families = {
  transactions: ofAddress.gauge({
    name: "stacks_address_mempool_transactions",
    help: "Waiting transactions of the address. Absent when there are more than can be read.",
    source: listed("type, sender, token_transfer.recipient, contract_call.contract_id"),
    labels: { direction, tx_type },
  }),
  oldest: ofAddress.gauge({
    name: "stacks_address_mempool_oldest_receipt_timestamp_seconds",
    help: "When the API received the waiting transaction that has waited for the longest time. Unix time. Absent when nothing waits.",
    source: listed("receipt_time"),
    labels: { direction },
  }),
  nextFee: ofAddress.gauge({
    name: "stacks_address_mempool_next_fee_microstx",
    help:
      "Fee of the waiting transaction with the lowest nonce that the address sends: the others wait for it. In " +
      "microSTX. Compare with stacks_fee_estimate_microstx. Absent when nothing waits.",
    source: listed("fee_rate"),
    labels: { tx_type },
  }),
  missingNonce: ofAddress.gauge({
    name: "stacks_address_missing_nonce",
    help: "Lowest nonce that is neither mined nor waiting, while a higher one waits. Absent when no nonce is missing.",
    source: NONCES,
  }),
  blocked: ofAddress.gauge({
    name: "stacks_address_mempool_blocked_transactions",
    help: "Waiting transactions that the missing nonce blocks: those with a higher one. Absent when no nonce is missing.",
    source: NONCES,
  }),
};

/** Counts removed transactions. */
export const removed = ofAddress.counter({
  name: "stacks_address_mempool_removed_transactions_total",
  help:
    "Transactions that waited and were removed without being mined: replaced by one with the same nonce, or dropped. " +
    "Each counts once.",
  source: listed("tx_id, sender.nonce"),
  labels: { direction, reason: { about: "why it was removed", values: REMOVALS } },
});

/** Every family, in the order of the metrics page. */
export const waitingFamilies: readonly Family[] = [...Object.values(families), removed];

// A contract sends nothing.
const directionsOf = (principal: string): readonly Direction[] => (isContract(principal) ? ["in"] : DIRECTIONS);

/** Makes the series of an address. */
export function start(to: Adder, principal: string): void {
  for (const direction of directionsOf(principal))
    for (const reason of REMOVALS) to.start(removed, { direction, reason });
}

// Those that users send at any time have a sample even if none waits.
const USUAL_TYPES: readonly string[] = ["token_transfer", "smart_contract", "contract_call"];

const typeOf = ({ type }: Known): string => ((MEMPOOL_TX_TYPES as readonly string[]).includes(type) ? type : OTHER);

/** The gauges of one address. */
export function* waitingGauges(values: Values, network: string, { name, principal }: Watched): Iterable<Sample> {
  // Waiting transactions below the end of an incomplete read are unknown.
  if (!values.isWhole) return;
  const labels = { network, name, address: principal };
  for (const direction of directionsOf(principal)) {
    const some = values.known.filter((one) => one.direction === direction);
    const byType = Map.groupBy(some, typeOf);
    for (const tx_type of new Set([...USUAL_TYPES, ...byType.keys()])) {
      yield families.transactions.at({ ...labels, direction, tx_type }, byType.get(tx_type)?.length ?? 0);
    }
    if (some.length === 0) continue;
    yield families.oldest.at({ ...labels, direction }, Math.min(...some.map(({ receivedAt }) => receivedAt)));
  }
  const [next] = values.known.filter(({ direction }) => direction === "out").toSorted((a, b) => a.nonce - b.nonce);
  if (next?.fee !== undefined) yield families.nextFee.at({ ...labels, tx_type: typeOf(next) }, next.fee);
  const gap = confirmedGap(values);
  if (gap === undefined) return;
  yield families.missingNonce.at(labels, gap.nonce);
  yield families.blocked.at(labels, gap.blocked);
}
