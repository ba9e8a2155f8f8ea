import { z } from "zod";
import { ApiError } from "../../api/errors.ts";
import { counter, gauge, histogram, type Sample } from "../../exposition/family.ts";
import { blockList, blockOperations } from "../chain/block-source.ts";
import {
  type Chain,
  currentTenure,
  DIMENSIONS,
  type Dimension,
  INTERVAL_BOUNDS,
  lastTenureLength,
  SIZE_BOUNDS,
  tipOf,
} from "../chain/chain.ts";
import type { Collector, Poll } from "../collector.ts";
import { followList } from "./follow-list.ts";
import { followProbe, type Search } from "./follow-probe.ts";

const network = "name of the network";
const source = (field: string) => `${field} of the block operations (GET /extended/v2/blocks, or by height), polled`;

const heightLabels = { network, source: { about: "source of the height", values: ["block"] } };
const dimensionLabels = { network, dimension: { about: "dimension of the execution cost", values: DIMENSIONS } };

const families = {
  blockHeight: gauge({
    name: "stacks_chain_block_height",
    help: "Height of the newest Stacks block.",
    source: source("height"),
    labels: heightLabels,
  }),
  burnBlockHeight: gauge({
    name: "stacks_chain_burn_block_height",
    help: "Height of the burn block that anchors the newest Stacks block.",
    source: source("burn_block_height"),
    labels: heightLabels,
  }),
  blockTimestamp: gauge({
    name: "stacks_chain_block_timestamp_seconds",
    help: "Time of the newest Stacks block. Unix time.",
    source: source("block_time"),
    unit: "seconds",
    labels: { network },
  }),
  burnBlockTimestamp: gauge({
    name: "stacks_chain_burn_block_timestamp_seconds",
    help: "Time of the burn block that anchors the newest Stacks block. Unix time.",
    source: source("burn_block_time"),
    unit: "seconds",
    labels: { network },
  }),
  blockTransactions: gauge({
    name: "stacks_chain_block_transactions",
    help: "Number of transactions in the newest Stacks block.",
    source: source("tx_count or txs"),
    labels: { network },
  }),
  blockSize: histogram({
    name: "stacks_chain_block_size_transactions",
    help: "Transactions per Stacks block.",
    source: source("tx_count or txs"),
    bounds: SIZE_BOUNDS,
    labels: { network },
  }),
  blocksTotal: counter({
    name: "stacks_chain_blocks_total",
    help: "Stacks blocks read since the first poll. Both sides of a reorganisation count.",
    source: source("height, hash"),
    labels: { network },
  }),
  transactionsTotal: counter({
    name: "stacks_chain_transactions_total",
    help: "Transactions in the Stacks blocks read.",
    source: source("tx_count or txs"),
    labels: { network },
  }),
  blockInterval: histogram({
    name: "stacks_chain_block_interval_seconds",
    help: "Time between consecutive Stacks blocks.",
    source: source("block_time"),
    unit: "seconds",
    bounds: INTERVAL_BOUNDS,
    labels: { network },
  }),
  executionCost: gauge({
    name: "stacks_chain_block_execution_cost",
    help: "Execution cost of the newest Stacks block, in the units of the dimension.",
    source: source("execution_cost_*"),
    labels: dimensionLabels,
  }),
  executionCostTotal: counter({
    name: "stacks_chain_execution_cost_total",
    help: "Execution cost of the Stacks blocks read, in the units of the dimension.",
    source: source("execution_cost_*"),
    labels: dimensionLabels,
  }),
  tenureLimit: gauge({
    name: "stacks_chain_tenure_execution_cost_limit",
    help: "Configured limit of a tenure (tenure_limits), in the units of the dimension.",
    source: "the configuration",
    isLasting: true,
    labels: dimensionLabels,
  }),
  tenureCost: gauge({
    name: "stacks_chain_tenure_execution_cost_ratio",
    help: "Execution cost of the current tenure (the blocks of one burn block) divided by the configured limit. Absent until a tenure was seen from its first block.",
    source: source("execution_cost_*, burn_block_height"),
    unit: "ratio",
    labels: dimensionLabels,
  }),
  blocksPerBurnBlock: gauge({
    name: "stacks_chain_blocks_per_burn_block",
    help: "Stacks blocks of the last complete tenure. Absent until a tenure was seen from its first block.",
    source: source("burn_block_height"),
    labels: { network },
  }),
  microblocks: counter({
    name: "stacks_chain_microblocks_total",
    help: "Microblocks of the Stacks blocks read; none since Nakamoto. Absent when blocks are read from the list.",
    source: "microblocks_accepted, microblocks_streamed of GET /extended/v1/block/by_height/{height}, polled",
    labels: { network, state: { about: "state of the microblocks", values: ["accepted", "streamed"] } },
  }),
  microblockTransactions: gauge({
    name: "stacks_chain_microblock_transactions",
    help: "Transactions in the microblocks of the newest Stacks block. Absent when blocks are read from the list.",
    source: "microblock_tx_count of GET /extended/v1/block/by_height/{height}, polled",
    labels: { network },
  }),
  parentMicroblock: gauge({
    name: "stacks_chain_parent_microblock_sequence",
    help: "Sequence of the parent microblock of the newest Stacks block. Absent when it has none.",
    source: "parent_microblock_sequence of GET /extended/v1/block/by_height/{height}, polled",
    labels: { network },
  }),
  reorgs: counter({
    name: "stacks_chain_reorgs_total",
    help: "Reorganisations: a known block was replaced, and the server no longer reports it as canonical.",
    source: source("parent_block_hash, canonical"),
    labels: { network },
  }),
  reorgedBlocks: counter({
    name: "stacks_chain_reorged_blocks_total",
    help: "Known Stacks blocks that are no longer canonical.",
    source: source("parent_block_hash, canonical"),
    labels: { network },
  }),
  lastReorgTimestamp: gauge({
    name: "stacks_chain_last_reorg_timestamp_seconds",
    help: "Time when the last reorganisation was detected. Unix time. Absent until the first one.",
    source: source("parent_block_hash"),
    unit: "seconds",
    labels: { network },
  }),
  lastReorgDepth: gauge({
    name: "stacks_chain_last_reorg_depth_blocks",
    help: "Stacks blocks that the last reorganisation replaced. Absent until the first one.",
    source: source("parent_block_hash"),
    unit: "blocks",
    labels: { network },
  }),
  skippedBlocks: counter({
    name: "stacks_chain_skipped_blocks_total",
    help: "Skipped Stacks blocks: there were more new blocks than catch_up allows to read.",
    source: source("height"),
    labels: { network },
  }),
  missingBlocks: counter({
    name: "stacks_chain_missing_blocks_total",
    help: "Heights below the tip for which the server had no block.",
    source: "404 of GET /extended/v1/block/by_height/{height}, polled",
    labels: { network },
  }),
};

const limit = (value: number, what: string) =>
  z
    .int()
    .positive()
    .default(value)
    .meta({ description: `Limit of a tenure for ${what}.` });

const options = z.object({
  tip: z.enum(["auto", "probe", "extended"]).default("auto").meta({
    description:
      "How the tip is followed. `extended`: from the list of newest blocks, one request per poll. `probe`: height by height, one request per block. `auto`: from the list if the server offers it.",
  }),
  catch_up: z.int().min(1).max(1000).default(120).meta({
    description: "Maximum number of blocks that one poll reads to catch up. Older blocks count as skipped.",
  }),
  blocks_per_minute: z.int().min(1).max(10_000).default(30).meta({
    description:
      "Highest rate of blocks accepted without a check. Faster blocks must connect to the known ones, and another operation must confirm the tip.",
  }),
  tenure_limits: z
    .object({
      read_count: limit(15_000, "reads"),
      read_length: limit(100_000_000, "bytes read"),
      runtime: limit(5_000_000_000, "runtime"),
      write_count: limit(15_000, "writes"),
      write_length: limit(15_000_000, "bytes written"),
    })
    .prefault({})
    .meta({ description: "Limits of the execution cost of a tenure, for the ratio." }),
});

type Options = z.infer<typeof options>;

interface Observation {
  readonly chain: Chain | undefined;
  readonly search: Search | undefined;
  /** When the list is asked again after the server did not offer it. Unix time, milliseconds. */
  readonly listAt: number;
  readonly limits: Readonly<Record<Dimension, number>>;
  /** When the poll began. Unix time, milliseconds. */
  readonly at: number;
}

const LIST_AGAIN_MS = 3_600_000;
// Since Nakamoto a Stacks block takes about this long; only planning depends on it.
const TYPICAL_BLOCK_SECONDS = 10;

const isNotOffered = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.operation === blockList.name &&
  (error.reason === "gone" || error.reason === "not_found");

async function follow(
  { api, now, checkIdentity = async () => undefined }: Poll<Observation>,
  known: Observation,
  { tip, catch_up, blocks_per_minute }: Options,
): Promise<Observation> {
  const limits = { catchUp: catch_up, blocksPerMinute: blocks_per_minute, now, checkIdentity };
  let { listAt } = known;
  if (tip === "extended" || (tip === "auto" && now >= listAt && !api.isRetired(blockList))) {
    try {
      return { ...known, chain: await followList(api, known.chain, limits), search: undefined, listAt };
    } catch (error) {
      if (tip === "extended" || !isNotOffered(error)) throw error;
      listAt = now + LIST_AGAIN_MS;
    }
  }
  return { ...known, ...(await followProbe(api, known, tip === "auto", limits)), listAt };
}

/** Version 1 knew neither when the tip was accepted nor which blocks were replaced. */
function upgraded(observation: unknown): Observation {
  const before = observation as Observation & { readonly chain?: Partial<Chain> };
  const { chain, at } = before;
  return { ...before, chain: chain && ({ ...chain, acceptedAt: at, replaced: [] } as unknown as Chain) };
}

/** Blocks: heights, times, size, pace, execution cost, reorganisations (operations 4.7 and 4.8, or their replacement). */
export const blocks = {
  name: "blocks",
  about: "Height, time, size, interval and execution cost of blocks, and reorganisations.",
  schedule: "every 2m",
  priority: 2,
  durable: { version: 2, upgrade: upgraded },
  operations: blockOperations,
  families: Object.values(families),
  options,

  requestsPerPoll({ tip, catch_up }, intervalSeconds) {
    const expected = Math.min(catch_up, Math.ceil(intervalSeconds / TYPICAL_BLOCK_SECONDS));
    return tip === "probe" ? expected + 1 : Math.ceil((expected + 1) / 30);
  },

  chainView({ chain, at }) {
    if (chain === undefined) return undefined;
    const { recent } = chain;
    const lowest = recent[0]?.height ?? 0;
    return {
      tipHeight: tipOf(chain).height,
      highest: chain.replaced.reduce((top, { height }) => Math.max(top, height), tipOf(chain).height),
      seenAt: at,
      lowest,
      blockAt: (height) => recent[height - lowest],
      heightOf: (indexHash) => recent.findLast((block) => block.indexHash === indexHash)?.height,
    };
  },

  async observe(poll, settings) {
    const { previous, now } = poll;
    const limits = settings.tenure_limits;
    const nothing: Observation = { chain: undefined, search: undefined, listAt: 0, limits, at: now };
    return { ...(await follow(poll, previous ?? nothing, settings)), limits, at: now };
  },

  *samples({ chain, limits }, network): Iterable<Sample> {
    if (chain === undefined) return;
    const { totals, lastReorg } = chain;
    const tip = tipOf(chain);
    const labels = { network };

    yield families.blockHeight.at({ network, source: "block" }, tip.height);
    yield families.burnBlockHeight.at({ network, source: "block" }, tip.burnHeight);
    if (tip.time !== undefined) yield families.blockTimestamp.at(labels, tip.time);
    if (tip.burnTime !== undefined) yield families.burnBlockTimestamp.at(labels, tip.burnTime);
    yield families.blockTransactions.at(labels, tip.transactions);

    const tenure = currentTenure(chain);
    for (const dimension of DIMENSIONS) {
      yield families.executionCost.at({ network, dimension }, tip.cost[dimension]);
      yield families.executionCostTotal.at({ network, dimension }, totals.cost[dimension]);
      yield families.tenureLimit.at({ network, dimension }, limits[dimension]);
      if (tenure !== undefined) {
        const used = tenure.reduce((sum, { cost }) => sum + cost[dimension], 0);
        yield families.tenureCost.at({ network, dimension }, used / limits[dimension]);
      }
    }
    const perBurnBlock = lastTenureLength(chain);
    if (perBurnBlock !== undefined) yield families.blocksPerBurnBlock.at(labels, perBurnBlock);

    yield families.blockSize.at(labels, totals.sizes);
    yield families.blockInterval.at(labels, totals.intervals);
    yield families.blocksTotal.at(labels, totals.blocks);
    yield families.transactionsTotal.at(labels, totals.transactions);
    if (totals.microblocks !== undefined || tip.microblocks !== undefined) {
      yield families.microblocks.at({ network, state: "accepted" }, totals.microblocks?.accepted ?? 0);
      yield families.microblocks.at({ network, state: "streamed" }, totals.microblocks?.streamed ?? 0);
    }
    if (tip.microblocks !== undefined) {
      yield families.microblockTransactions.at(labels, tip.microblocks.transactions);
      const { parentSequence } = tip.microblocks;
      if (parentSequence !== undefined) yield families.parentMicroblock.at(labels, parentSequence);
    }

    yield families.reorgs.at(labels, totals.reorgs);
    yield families.reorgedBlocks.at(labels, totals.reorgedBlocks);
    if (lastReorg !== undefined) {
      yield families.lastReorgTimestamp.at(labels, lastReorg.at);
      yield families.lastReorgDepth.at(labels, lastReorg.depth);
    }
    yield families.skippedBlocks.at(labels, totals.skipped);
    yield families.missingBlocks.at(labels, totals.missing);
  },
} satisfies Collector<Observation, Options>;
