import { z } from "zod";
import { orReplacement } from "../../api/operation.ts";
import { blockList, blockOperations, DIMENSIONS, EPOCH_4_LIMITS, PAGE } from "../../chain/block-source.ts";
import { type Change, chainView, neededBlocks, tipOf } from "../../chain/branch.ts";
import { type Followed, follow, heightSource, listSource } from "../../chain/follow.ts";
import type { Collector } from "../collector.ts";
import { type Addition, adderOf, type Counted } from "../counted.ts";
import { ifRecent } from "../transactions/recent.ts";
import { blockFamilies, counters, gaugesOf, renewalsOf, type Shown } from "./families.ts";

const limit = (value: number, what: string) =>
  z
    .int()
    .min(1)
    .default(value)
    .meta({ description: `Limit of a tenure for ${what}.` });

const options = z.object({
  catch_up: z.int().min(1).max(1000).default(120).meta({
    description: "Maximum number of blocks that one poll reads to catch up. Older blocks count as skipped.",
  }),
  blocks_per_minute: z.int().min(1).max(10_000).default(60).meta({
    description:
      "Highest rate of blocks. A poll accepts 30 blocks and those that this rate allows since the newest known block.",
  }),
  tenure_limits: z
    .strictObject({
      read_count: limit(EPOCH_4_LIMITS.read_count, "reads"),
      read_length: limit(EPOCH_4_LIMITS.read_length, "bytes read"),
      runtime: limit(EPOCH_4_LIMITS.runtime, "runtime"),
      write_count: limit(EPOCH_4_LIMITS.write_count, "writes"),
      write_length: limit(EPOCH_4_LIMITS.write_length, "bytes written"),
    })
    .prefault({})
    .meta({
      description:
        "Limits of the execution cost of a budget: a tenure, or the part up to an extend. Those of Epoch 4.0. Those " +
        "that the collector `pox` reads replace them.",
    }),
});

interface Values extends Followed, Shown {
  /** Start of the poll. Unix time, milliseconds. */
  readonly at: number;
}

// For estimates only: the usual interval since Nakamoto.
const TYPICAL_BLOCK_SECONDS = 10;

/** What a poll adds to the counters. */
function additionsOf(change: Change | undefined): readonly Addition[] {
  const additions: Addition[] = [];
  const to = adderOf(additions);
  const { blocks, transactions, executionCost, reorgs, reorgedBlocks, skipped } = counters;
  for (const family of [blocks, transactions, reorgs, reorgedBlocks, skipped]) to.start(family);
  for (const dimension of DIMENSIONS) to.start(executionCost, { dimension });
  if (change === undefined) return additions;
  for (const block of change.fresh) {
    to.add(blocks);
    to.add(transactions, {}, block.transactions);
    for (const dimension of DIMENSIONS) to.add(executionCost, { dimension }, block.cost[dimension]);
  }
  if (change.orphaned.length > 0) to.add(reorgs);
  to.add(reorgedBlocks, {}, change.orphaned.length);
  to.add(skipped, {}, change.unread);
  return additions;
}

/** Blocks and reorganisations (`block_by_hash` and `block_by_height`, or their replacement). */
export const blocks = {
  name: "blocks",
  about: "Heights, times, transactions and execution cost of blocks, tenures, and reorganisations.",
  schedule: { keyless: "every 1m", free_key: "every 3m" },
  priority: 2,
  isShared: true,
  operations: blockOperations,
  families: blockFamilies,
  counts: { identity: (network) => ({ network }) },
  options,

  requestsPerPoll({ catch_up }, intervalSeconds) {
    const expected = Math.min(catch_up, Math.ceil(intervalSeconds / TYPICAL_BLOCK_SECONDS));
    return Math.ceil((expected + 1) / PAGE);
  },

  isFollower: true,
  views: ({ values: { branch, at } }) => ({ chain: branch && chainView(branch, { seenAt: at }) }),

  async observe({ api, previous, now, target, mined, tenureLimits, checkIdentity = async () => undefined }, settings) {
    const { branch, unlinked, lastReorgDepth } = previous?.values ?? { branch: undefined };
    const tip = branch && tipOf(branch).height;
    const following = {
      catchUp: settings.catch_up,
      blocksPerMinute: settings.blocks_per_minute,
      needed: neededBlocks(target.confirmations),
      now,
      checkIdentity,
    };
    const by = (source: typeof listSource) => () => follow(api, source(api, tip), { branch, unlinked }, following);
    // By height if the server does not offer the list.
    const { change, ...after } = await orReplacement(api, blockList, by(listSource), by(heightSource));
    const depth = change?.orphaned.length ?? 0;
    const rows = ifRecent(mined, now)?.rows ?? [];
    return {
      values: {
        ...after,
        limits: tenureLimits ?? settings.tenure_limits,
        lastReorgDepth: depth > 0 ? depth : lastReorgDepth,
        renewals: after.branch === undefined ? {} : renewalsOf(rows, tipOf(after.branch).height),
        listedTo: rows[0]?.height ?? 0,
        at: now,
      },
      ledger: undefined,
      additions: additionsOf(change),
    };
  },

  samples: ({ values: { branch, ...values } }, network) =>
    branch === undefined ? [] : gaugesOf(branch, values, network),
} satisfies Collector<Counted<Values>, z.infer<typeof options>>;
