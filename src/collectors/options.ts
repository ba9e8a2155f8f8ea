// Settings that several collectors have: the addresses that are polled where polls cost requests, and pages of lists.
import { z } from "zod";
import type { Watched } from "./collector.ts";

/**
 * The settings that choose addresses.
 * @param what what is polled of an address, as the subject of a sentence: `whose balances are polled`
 * @param entry the settings of an entry that choose it
 * @param not the setting of an entry that excludes it
 */
export const chosenOptions = (what: string, entry: string, not: string) => ({
  addresses: z
    .enum(["chosen", "all"])
    .default("chosen")
    .meta({
      description:
        `Addresses ${what}. \`chosen\`: those with ${entry}, and those of ` +
        `\`groups\`. \`all\`: all of the watch list, except those with ${not}.`,
    }),
  groups: z.array(z.string().min(1).max(128)).max(1000).default([]).describe(`Groups of addresses ${what}.`),
});

/**
 * Whether the settings choose an address.
 * @param own the setting of its entry; undefined if absent
 */
export function isChosen(
  own: boolean | undefined,
  { group }: Pick<Watched, "group">,
  { addresses, groups }: { readonly addresses: "chosen" | "all"; readonly groups: readonly string[] },
): boolean {
  return own ?? (addresses === "all" || groups.includes(group));
}

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
