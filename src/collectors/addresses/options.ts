import { z } from "zod";
import { catchUpOption, pagesOption } from "../lists/options.ts";
import { PAGE } from "./source.ts";

/** The settings of the collector. */
export const options = z.object({
  backfill: z
    .enum(["none", "all"])
    .default("none")
    .meta({ description: "Transactions from before the first poll that are counted." }),
  transfers: z
    .boolean()
    .default(true)
    .meta({
      description:
        "Whether transfers are read. Costs one request for each block with new transactions whose transfers are not " +
        "in the list, or for each such transaction if the server has removed that operation.",
    }),
  pages: pagesOption(PAGE),
  catch_up: catchUpOption(PAGE, 100_000),
  max_assets: z
    .int()
    .min(0)
    .max(10_000)
    .default(10)
    .meta({
      description:
        "Maximum number of assets of one address with their own series, for fungible and for non-fungible tokens, " +
        "besides those in `assets` of the network: the first ones. Half of the places are for assets that the " +
        "address moved itself, or that moved out of it. The others count as `other`.",
    }),
});
export type Options = z.infer<typeof options>;
