// The tenures of the known blocks, and the metric families of the collector `blocks` with their samples. Pure.
import { type Block, DIMENSIONS, type Dimension, type TenureLimits } from "../../chain/block-source.ts";
import { type Branch, tipOf } from "../../chain/branch.ts";
import type { Sample } from "../../exposition/family.ts";
import { ofChain } from "../subjects.ts";
import { type MinedTransaction, TENURE_CAUSES } from "../transactions/source.ts";

/** The tenures of linked blocks (consecutive ones with the same burn block) whose first block is known, ascending. */
export function tenures(blocks: readonly Block[]): readonly (readonly Block[])[] {
  const starts = blocks.flatMap(({ burnHeight }, index) =>
    index > 0 && blocks[index - 1]?.burnHeight !== burnHeight ? [index] : [],
  );
  return starts.map((start, index) => blocks.slice(start, starts[index + 1]));
}

/** The height of the block that began the budget in force, by dimension. A dimension without a known one is absent. */
export type Renewals = Readonly<Partial<Record<Dimension, number>>>;

/**
 * The renewals up to a height. Nothing is known below a tenure change with an unknown cause.
 * @param rows newest first, without gaps
 */
export function renewalsOf(rows: readonly Pick<MinedTransaction, "height" | "cause">[], to: number): Renewals {
  const found: Partial<Record<Dimension, number>> = {};
  for (const { height, cause } of rows) {
    if (cause === undefined || height > to) continue;
    if (!TENURE_CAUSES.includes(cause)) break;
    const isWhole = cause === "block_found" || cause === "extended";
    for (const dimension of DIMENSIONS) if (isWhole || cause === `extended_${dimension}`) found[dimension] ??= height;
    if (isWhole) break;
  }
  return found;
}

const source = (field: string) => `${field} of the block operations (GET /extended/v2/blocks, or by height), polled`;

const dimensionLabels = { dimension: { about: "dimension of the execution cost", values: DIMENSIONS } };

const gauges = {
  blockHeight: ofChain.gauge({
    name: "stacks_chain_block_height",
    help: "Height of the newest Stacks block.",
    source: source("height"),
  }),
  burnBlockHeight: ofChain.gauge({
    name: "stacks_chain_burn_block_height",
    help: "Height of the burn block that anchors the newest Stacks block.",
    source: source("burn_block_height"),
  }),
  blockTimestamp: ofChain.gauge({
    name: "stacks_chain_block_timestamp_seconds",
    help: "Time of the newest Stacks block. Unix time.",
    source: source("block_time"),
  }),
  burnBlockTimestamp: ofChain.gauge({
    name: "stacks_chain_burn_block_timestamp_seconds",
    help: "Time of the burn block that anchors the newest Stacks block. Unix time.",
    source: source("burn_block_time"),
  }),
  tenureLimit: ofChain.gauge({
    name: "stacks_chain_tenure_execution_cost_limit",
    help:
      "Limit of a budget, in the units of the dimension: that of the current epoch if the collector pox reads it, " +
      "else the configured one (tenure_limits).",
    source: "epochs[].block_limit of GET /v2/pox, or the configuration, polled",
    labels: dimensionLabels,
  }),
  tenureCost: ofChain.gauge({
    name: "stacks_chain_tenure_execution_cost_ratio",
    help:
      "Execution cost from the last renewal of the budget to the newest listed transaction, divided by the limit. A " +
      "new tenure or an extend renews it. Absent while the causes of tenure changes are unknown.",
    source: source("execution_cost_*").replace(
      ", polled",
      ", and tenure_change.cause of GET /extended/v3/transactions, polled",
    ),
    labels: dimensionLabels,
  }),
  blocksPerBurnBlock: ofChain.gauge({
    name: "stacks_chain_blocks_per_burn_block",
    help: "Stacks blocks of the last complete tenure. Absent until a tenure was seen from its first block.",
    source: source("burn_block_height"),
  }),
  lastReorgDepth: ofChain.gauge({
    name: "stacks_chain_last_reorg_depth_blocks",
    help: "Stacks blocks that the last reorganisation replaced. Absent until the first one.",
    source: source("parent_block_hash"),
  }),
};

/** The counters, which the store keeps. */
export const counters = {
  blocks: ofChain.counter({
    name: "stacks_chain_blocks_total",
    help: "Stacks blocks read since the first poll. Both sides of a reorganisation count.",
    source: source("height, hash"),
  }),
  transactions: ofChain.counter({
    name: "stacks_chain_transactions_total",
    help: "Transactions in the Stacks blocks read.",
    source: source("tx_count or txs"),
  }),
  executionCost: ofChain.counter({
    name: "stacks_chain_execution_cost_total",
    help: "Execution cost of the Stacks blocks read, in the units of the dimension.",
    source: source("execution_cost_*"),
    labels: dimensionLabels,
  }),
  reorgs: ofChain.counter({
    name: "stacks_chain_reorgs_total",
    help: "Reorganisations: a known block was replaced, and the server no longer reports it as canonical.",
    source: source("parent_block_hash, canonical"),
  }),
  reorgedBlocks: ofChain.counter({
    name: "stacks_chain_reorged_blocks_total",
    help: "Known Stacks blocks that are no longer canonical.",
    source: source("parent_block_hash, canonical"),
  }),
  skipped: ofChain.counter({
    name: "stacks_chain_skipped_blocks_total",
    help: "Stacks blocks that were not read: there were more new ones than catch_up allows.",
    source: source("height"),
  }),
};

/** Every family, in the order of the documentation. */
export const blockFamilies = [...Object.values(gauges), ...Object.values(counters)];

/** What the gauges show besides the blocks. */
export interface Shown {
  readonly limits: TenureLimits;
  /** Of the transactions that are listed; without a list, of none. */
  readonly renewals: Renewals;
  /** Height of the newest listed transaction: a renewal above it is unknown. */
  readonly listedTo: number;
  readonly lastReorgDepth?: number | undefined;
}

/** The gauges of a chain. */
export function* gaugesOf(branch: Branch, shown: Shown, network: string): Iterable<Sample> {
  const { limits, renewals, listedTo, lastReorgDepth } = shown;
  const tip = tipOf(branch);
  const labels = { network };
  yield gauges.blockHeight.at({ network }, tip.height);
  yield gauges.burnBlockHeight.at({ network }, tip.burnHeight);
  if (tip.time !== undefined) yield gauges.blockTimestamp.at(labels, tip.time);
  if (tip.burnTime !== undefined) yield gauges.burnBlockTimestamp.at(labels, tip.burnTime);

  const lastTenure = tenures(branch.blocks).at(-2);
  for (const dimension of DIMENSIONS) {
    yield gauges.tenureLimit.at({ network, dimension }, limits[dimension]);
    const start = branch.blocks.findIndex(({ height }) => height === renewals[dimension]);
    if (start < 0) continue;
    const listed = branch.blocks.slice(start).filter(({ height }) => height <= listedTo);
    const used = listed.reduce((sum, { cost }) => sum + cost[dimension], 0);
    yield gauges.tenureCost.at({ network, dimension }, used / limits[dimension]);
  }
  if (lastTenure !== undefined) yield gauges.blocksPerBurnBlock.at(labels, lastTenure.length);
  if (lastReorgDepth !== undefined) yield gauges.lastReorgDepth.at(labels, lastReorgDepth);
}
