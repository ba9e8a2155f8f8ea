import { z } from "zod";
import { operation } from "../api/operation.ts";
import type { Sample } from "../exposition/family.ts";
import type { Collector } from "./collector.ts";
import { ofChain } from "./subjects.ts";
import { LONGEST_BY_TYPE, labelledTypes, MAX_MICROSTX } from "./values.ts";

// `poison_microblock` has no key, although `all` includes such transactions.
const KEYS = ["all", "token_transfer", "contract_call", "smart_contract"] as const;
const PRIORITIES = {
  no: "no_priority",
  low: "low_priority",
  medium: "medium_priority",
  high: "high_priority",
} as const;

const price = z.number().nonnegative().max(Number(MAX_MICROSTX));
const priorities = z.object({ no_priority: price, low_priority: price, medium_priority: price, high_priority: price });

const mempoolFees = operation({
  name: "mempool_fees",
  path: "/extended/v2/mempool/fees",
  body: z
    .object(Object.fromEntries(KEYS.map((key) => [key, priorities.optional()])))
    // A later version of the API can add members that are not fees: they have no value.
    .catchall(priorities.optional().catch(undefined))
    .required({ all: true }),
  maxBodyBytes: LONGEST_BY_TYPE,
});

type Fees = z.infer<typeof mempoolFees.body>;

const feePriority = ofChain.gauge({
  name: "stacks_mempool_fee_priority_microstx",
  help:
    "Fee of waiting transactions by priority: no, low, medium and high are the 25th, 50th, 75th and 95th " +
    "percentile. In microSTX. Absent when no transaction waits.",
  source: "{no,low,medium,high}_priority of GET /extended/v2/mempool/fees, polled",
  labels: {
    tx_type: { about: "type of the waiting transactions; all covers every type", values: KEYS },
    priority: { about: "name of the percentile at the server", values: Object.keys(PRIORITIES) },
  },
});

/** Fee priorities of the mempool (`mempool_fees`). */
export const fees = {
  name: "fees",
  about: "Fee priorities of waiting transactions, by type.",
  schedule: { keyless: "every 2m", free_key: "every 20m" },
  priority: 0,
  operations: [mempoolFees],
  families: [feePriority],

  async observe({ api }) {
    const { body } = await api.get(mempoolFees, { path: {} });
    return { body, types: labelledTypes(Object.keys(body), KEYS, api, mempoolFees, "tx_type") };
  },

  *samples({ body, types }, network): Iterable<Sample> {
    for (const tx_type of types) {
      const row = body[tx_type];
      // The server returns four zeros if no transaction waits. A fee of 0 would be wrong.
      if (row === undefined || Object.values(PRIORITIES).every((field) => row[field] === 0)) continue;
      for (const [priority, field] of Object.entries(PRIORITIES)) {
        yield feePriority.at({ network, tx_type, priority }, row[field]);
      }
    }
  },
} satisfies Collector<{ readonly body: Fees; readonly types: readonly string[] }, object>;
