// Row of the dashboard Fees & mempool: a node and a signer of your own, if the same Prometheus scrapes them.
import { lines, type Panel } from "./panel.ts";
import { metric } from "./select.ts";

const NOT_SCRAPED = "Not scraped by this Prometheus";

/** What the API and the own processes report, together. */
export const ownNodeRow: readonly Panel[] = [
  lines({
    id: 61,
    title: "Blocks behind the API",
    description: `Height of the newest block of the API, minus that of each node. A value that stays above 0 means that
      the node lags; below 0, the API does.`,
    decimals: 0,
    noValue: NOT_SCRAPED,
    queries: {
      "{{instance}}": `max(${metric("stacks_chain_block_height")}) - on () group_right () max by (instance) (stacks_node_stacks_tip_height)`,
    },
  }),
  lines({
    id: 62,
    title: "Rejected by the signer",
    description: `Share of the block proposals that each signer rejects. It is high while miners propose blocks that are
      not valid, and while the signer lags.`,
    unit: "percentunit",
    noValue: NOT_SCRAPED,
    softMax: 1,
    queries: {
      "{{instance}}": `sum by (instance) (rate(stacks_signer_block_responses_sent{response_type="rejected"}[$__rate_interval])) / sum by (instance) (rate(stacks_signer_block_responses_sent[$__rate_interval]))`,
    },
  }),
];
