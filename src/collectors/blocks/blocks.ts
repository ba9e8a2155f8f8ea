import { z } from "zod";
import { ApiError } from "../../api/errors.ts";
import { blockList, blockOperations, PAGE } from "../chain/block-source.ts";
import { type Dimension, recentUse, tipOf } from "../chain/chain.ts";
import type { Collector } from "../collector.ts";
import { blockFamilies, blockSamples } from "./families.ts";
import { followList } from "./follow-list.ts";
import { followProbe, type Probed } from "./follow-probe.ts";

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
  blocks_per_minute: z
    .int()
    .min(1)
    .max(10_000)
    .default(30)
    .meta({
      description:
        "Highest rate of blocks accepted without a check. Faster blocks must connect to the known ones, and another " +
        "operation must confirm the tip.",
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

interface Observation extends Probed {
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

  chainView({ chain, at, limits }) {
    if (chain === undefined) return undefined;
    const { recent, replaced } = chain;
    const { height: tipHeight, time } = tipOf(chain);
    const lowest = recent[0]?.height ?? 0;
    return {
      tipHeight,
      tipAt: time === undefined ? at : time * 1000,
      highest: Math.max(tipHeight, ...replaced.map(({ height }) => height)),
      seenAt: at,
      lowest,
      use: recentUse(chain, limits),
      blockAt: (height) => recent[height - lowest],
      heightOf: (indexHash) => recent.findLast((block) => block.indexHash === indexHash)?.height,
    };
  },

  async observe({ api, previous, now, checkIdentity = async () => undefined }, settings) {
    const { tip, catch_up: catchUp, blocks_per_minute: blocksPerMinute, tenure_limits: limits } = settings;
    const followOptions = { catchUp, blocksPerMinute, now, checkIdentity };
    const { chain, search, listAt } = previous ?? { chain: undefined, search: undefined, listAt: 0 };
    let nextListAt = listAt;
    if (tip === "extended" || (tip === "auto" && now >= listAt && !api.isRetired(blockList))) {
      try {
        return { chain: await followList(api, chain, followOptions), search: undefined, listAt, limits, at: now };
      } catch (error) {
        if (tip === "extended" || !isListMissing(error)) throw error;
        nextListAt = now + RETRY_LIST_MS;
      }
    }
    const probed = await followProbe(api, { chain, search }, tip === "auto", followOptions);
    return { ...probed, listAt: nextListAt, limits, at: now };
  },

  samples: ({ chain, limits }, network) => (chain === undefined ? [] : blockSamples(chain, limits, network)),
} satisfies Collector<Observation, z.infer<typeof options>>;
