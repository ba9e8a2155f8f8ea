import { z } from "zod";
import { ApiError } from "../../api/errors.ts";
import { blockList, blockOperations, type Dimension, PAGE } from "../../chain/block-source.ts";
import { linkedBlocks, tipOf } from "../../chain/branch.ts";
import { type Followed, follow } from "../../chain/follow.ts";
import { HeightSource, type Search } from "../../chain/height-source.ts";
import { listSource } from "../../chain/list-source.ts";
import { chainView, neededBlocks } from "../../chain/view.ts";
import type { ChainTarget, Collector } from "../collector.ts";
import { blockFamilies, blockSamples } from "./families.ts";
import { recentUse } from "./tenures.ts";
import { counted, NO_TOTALS, type Totals } from "./totals.ts";

const limit = (value: number, what: string) =>
  z
    .int()
    .positive()
    .default(value)
    .meta({ description: `Limit of a tenure for ${what}.` });

const options = z.object({
  tip: z
    .enum(["auto", "probe", "extended"])
    .default("auto")
    .meta({
      description:
        "How the tip is followed. `extended`: from the list of newest blocks, one request per poll. `probe`: height " +
        "by height, one request per block. `auto`: from the list if the server offers it.",
    }),
  catch_up: z.int().min(1).max(1000).default(120).meta({
    description: "Maximum number of blocks that one poll reads to catch up. Older blocks count as skipped.",
  }),
  blocks_per_minute: z.int().min(1).max(10_000).default(60).meta({
    description:
      "Highest rate of blocks. A poll accepts 30 blocks and those that this rate allows since the newest known block.",
  }),
  tenure_limits: z
    .strictObject({
      read_count: limit(15_000, "reads"),
      read_length: limit(100_000_000, "bytes read"),
      runtime: limit(5_000_000_000, "runtime"),
      write_count: limit(15_000, "writes"),
      write_length: limit(15_000_000, "bytes written"),
    })
    .prefault({})
    .meta({ description: "Limits of the execution cost of a tenure, for the ratio." }),
});

interface Observation extends Followed {
  readonly totals: Totals;
  readonly search?: Search | undefined;
  /** Time of the next request for the list, after the server did not offer it. Unix time, milliseconds. */
  readonly listAt: number;
  readonly limits: Readonly<Record<Dimension, number>>;
  /** Start of the poll. Unix time, milliseconds. */
  readonly at: number;
}

const RETRY_LIST_MS = 3_600_000;
// For estimates only: the usual interval since Nakamoto.
const TYPICAL_BLOCK_SECONDS = 10;

// The path of the list has no parameter, so every 404 means that the server does not offer it.
const isListMissing = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.operation === blockList.name &&
  (error.reason === "gone" || error.reason === "not_found");

/** Blocks and reorganisations (`block_by_hash` and `block_by_height`, or their replacement). */
export const blocks = {
  name: "blocks",
  about: "Height, time, size, interval and execution cost of blocks, and reorganisations.",
  schedule: { keyless: "every 1m", free_key: "every 4m" },
  priority: 2,
  isShared: true,
  isDurable: true,
  operations: blockOperations,
  families: blockFamilies,
  options,

  requestsPerPoll({ tip, catch_up }, intervalSeconds) {
    const expected = Math.min(catch_up, Math.ceil(intervalSeconds / TYPICAL_BLOCK_SECONDS));
    return tip === "probe" ? expected + 1 : Math.ceil((expected + 1) / PAGE);
  },

  chainView: ({ branch, at, limits }) =>
    branch && chainView(branch, { seenAt: at, use: recentUse(linkedBlocks(branch), limits) }),

  async observe({ api, previous, now, target, checkIdentity = async () => undefined }, settings) {
    const { tip: from, catch_up: catchUp, blocks_per_minute: blocksPerMinute, tenure_limits: limits } = settings;
    const { listAt, totals, search, ...before } = previous ?? { branch: undefined, listAt: 0, totals: NO_TOTALS };
    const options = { catchUp, blocksPerMinute, now, checkIdentity, needed: neededBlocks(target.confirmations) };
    const tip = before.branch && tipOf(before.branch);
    const common = { limits, at: now };
    let nextListAt = listAt;
    if (from === "extended" || (from === "auto" && now >= listAt && !api.isRetired(blockList))) {
      try {
        const { change, ...followed } = await follow(api, listSource(api, tip?.height), before, options);
        return { ...followed, totals: counted(totals, change, "skipped", now), listAt, ...common };
      } catch (error) {
        if (from === "extended" || !isListMissing(error)) throw error;
        nextListAt = now + RETRY_LIST_MS;
      }
    }
    const heights = new HeightSource(api, { ...options, tip, search, mayUseStatus: from === "auto" });
    const { change, ...followed } = await follow(api, heights, before, options);
    const { search: nextSearch } = heights;
    return {
      ...followed,
      totals: counted(totals, change, "missing", now),
      search: nextSearch,
      listAt: nextListAt,
      ...common,
    };
  },

  samples: ({ branch, totals, limits }, network) =>
    branch === undefined ? [] : blockSamples(branch, totals, limits, network),
} satisfies Collector<Observation, z.infer<typeof options>, ChainTarget>;
