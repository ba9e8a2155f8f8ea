import { z } from "zod";
import { PAGE } from "./source.ts";

/** The settings of the collector. */
export const options = z.object({
  pages: z
    .int()
    .min(2)
    .max(200)
    .default(10)
    .meta({
      description: `Maximum number of pages of ${PAGE} transactions that one poll reads. The next polls read the rest.`,
    }),
  catch_up: z.int().min(PAGE).max(10_000_000).default(20_000).meta({
    unit: "transactions",
    description: "Maximum number of transactions to catch up after a pause. Older ones count as a gap.",
  }),
  top: z
    .int()
    .min(0)
    .max(100)
    .default(10)
    .meta({
      description:
        "Number of contracts with the most calls that have series. A contract keeps its series for an hour after it " +
        "was last among them.",
    }),
});
export type Options = z.infer<typeof options>;
