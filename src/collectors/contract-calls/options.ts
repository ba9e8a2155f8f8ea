import { z } from "zod";
import { PAGE } from "../addresses/source.ts";

/** The settings of the collector. */
export const options = z.object({
  api: z
    .enum(["auto", "v1", "v3"])
    .default("auto")
    .meta({
      description:
        "API operation to use. `auto`: the older one, which returns the errors of calls, and its replacement (`v3`) " +
        "after its removal.",
    }),
  pages: z
    .int()
    .min(2)
    .max(200)
    .default(10)
    .meta({
      description: `Maximum number of pages of ${PAGE} transactions that one poll reads. The next polls read the rest.`,
    }),
  catch_up: z.int().min(PAGE).max(10_000_000).default(100_000).meta({
    unit: "transactions",
    description: "Maximum number of transactions of one contract to catch up after a pause. Older ones count as a gap.",
  }),
  max_functions: z
    .int()
    .min(1)
    .max(1000)
    .default(50)
    .meta({
      description:
        "Maximum number of functions of one contract that have series, the most frequently called ones. Calls of the " +
        "others count as `other`.",
    }),
  max_errors: z.int().min(1).max(1000).default(50).meta({
    description:
      "Maximum number of pairs of function and error of one contract that have series. The rest count as `other`.",
  }),
});
export type Options = z.infer<typeof options>;
