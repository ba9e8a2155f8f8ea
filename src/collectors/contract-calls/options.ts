import { z } from "zod";
import { PAGE } from "../addresses/source.ts";
import { catchUpOption, pagesOption } from "../feed/options.ts";

/** The settings of the collector. */
export const options = z.object({
  api: z.enum(["auto", "v1", "v3"]).default("auto").meta({
    description:
      "API operations to use. `auto`: the older ones, which return more, and their replacements (`v3`) after their removal.",
  }),
  pages: pagesOption(PAGE),
  catch_up: catchUpOption(PAGE, 100_000),
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
