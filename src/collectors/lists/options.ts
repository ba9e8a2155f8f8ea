// The settings of every collector that reads a list of transactions.
import { z } from "zod";

/** Maximum number of pages of one poll. */
export const pagesOption = (rowsOfPage: number, rows = "transactions") =>
  z
    .int()
    .min(2)
    .max(200)
    .default(10)
    .meta({
      description: `Maximum number of pages of ${rowsOfPage} ${rows} that one poll reads. The next polls read the rest.`,
    });
