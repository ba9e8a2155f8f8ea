import { z } from "zod";
import { catchUpOption, pagesOption } from "../feed/options.ts";
import { PAGE } from "./source.ts";

/** The settings of the collector. */
export const options = z.object({
  pages: pagesOption(PAGE),
  catch_up: catchUpOption("transactions", PAGE, 20_000),
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
