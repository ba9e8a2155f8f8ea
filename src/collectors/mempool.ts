import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { operation } from "../api/operation.ts";
import type { Sample } from "../exposition/family.ts";
import type { Collector } from "./collector.ts";
import { ofChain } from "./subjects.ts";
import { LONGEST_BY_TYPE, labelledTypes, MEMPOOL_TX_TYPES } from "./values.ts";

const PERCENTILES = ["p25", "p50", "p75", "p95"] as const;

const percentile = z.number().nonnegative().nullable();
const percentiles = z.object({ p25: percentile, p50: percentile, p75: percentile, p95: percentile });

const mempoolStats = operation({
  name: "mempool_stats",
  path: "/extended/v1/tx/mempool/stats",
  body: z.object({
    tx_type_counts: z.record(z.string(), z.int().nonnegative()),
    tx_ages: z.record(z.string(), percentiles),
  }),
  maxBodyBytes: LONGEST_BY_TYPE,
});

type Stats = z.infer<typeof mempoolStats.body>;

const tx_type = { about: "type of the waiting transactions", values: MEMPOOL_TX_TYPES };
const source = (field: string) => `${field} of GET /extended/v1/tx/mempool/stats, polled`;

const transactions = ofChain.gauge({
  name: "stacks_mempool_transactions",
  help: "Transactions waiting in the mempool.",
  source: source("tx_type_counts"),
  labels: { tx_type },
});
const age = ofChain.gauge({
  name: "stacks_mempool_tx_age_blocks",
  help: "Age of waiting transactions in Stacks blocks, by percentile. A new transaction has age 1.",
  source: source("tx_ages"),
  labels: { tx_type, percentile: { about: "percentile of the waiting transactions", values: PERCENTILES } },
});
const changed = ofChain.counter({
  name: "stacks_mempool_snapshots_changed_total",
  help: "Polls whose response differed from the previous one. A mempool without changes indicates a frozen upstream.",
  source: "comparison of responses, polled",
  labels: { operation: { about: "name of the API operation", values: ["mempool_stats"] } },
});

interface Observation {
  readonly body: Stats;
  readonly types: readonly string[];
  /** Responses that differed from the one before. */
  readonly changes: number;
}

/** Number and age of waiting transactions (`mempool_stats`). */
export const mempool = {
  name: "mempool",
  about: "Number and age of waiting transactions, by type.",
  schedule: { keyless: "every 1m", free_key: "every 3m" },
  priority: 1,
  operations: [mempoolStats],
  families: [transactions, age, changed],

  async observe({ api, previous }) {
    const { body } = await api.get(mempoolStats, { path: {} });
    const found = Object.keys(body.tx_type_counts);
    const types = labelledTypes(found, MEMPOOL_TX_TYPES, api, mempoolStats, "tx_type_counts");
    const hasChanged = previous !== undefined && !isDeepStrictEqual(previous.body, body);
    return { body, types, changes: (previous?.changes ?? 0) + (hasChanged ? 1 : 0) };
  },

  *samples({ body, types, changes }, network): Iterable<Sample> {
    for (const tx_type of types) {
      const waiting = body.tx_type_counts[tx_type];
      if (waiting !== undefined) yield transactions.at({ network, tx_type }, waiting);
      for (const percentile of PERCENTILES) {
        const value = body.tx_ages[tx_type]?.[percentile] ?? undefined;
        if (value !== undefined) yield age.at({ network, tx_type, percentile }, value);
      }
    }
    yield changed.at({ network, operation: "mempool_stats" }, changes);
  },
} satisfies Collector<Observation, object>;
