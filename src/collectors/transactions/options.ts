import { z } from "zod";
import { catchUpOption, pagesOption } from "../lists/options.ts";
import { PAGE } from "./source.ts";

/** The settings of the collector. */
export const options = z.object({
  pages: pagesOption(PAGE),
  catch_up: catchUpOption(PAGE, 20_000),
});
export type Options = z.infer<typeof options>;
