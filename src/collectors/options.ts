// Settings that several collectors have: the addresses that are polled where polls cost requests, and pages of lists.
import { z } from "zod";
import { type Chosen, type Watched, type WatchedNetwork, type WatchedTarget, watchedTargets } from "./collector.ts";

/**
 * The settings that choose addresses.
 * @param by the setting of an entry that decides for its address; the name of the collector
 * @param what what is polled of an address, as the subject of a sentence: `whose balances are polled`
 * @param entry the settings of an entry that choose its address
 */
export const chosenOptions = (by: keyof Chosen, what: string, entry = `\`${by}: true\``) => ({
  addresses: z
    .enum(["chosen", "all"])
    .default("chosen")
    .meta({
      description:
        `Addresses ${what}. \`chosen\`: those with ${entry}, and those of ` +
        `\`groups\`. \`all\`: all of the watch list, except those with \`${by}: false\`.`,
    }),
  groups: z.array(z.string().min(1).max(128)).max(1000).default([]).describe(`Groups of addresses ${what}.`),
});

/**
 * A target for each address that its entry or the settings choose. Members of a group that is exposed as sums have no
 * series of their own. They are polled for the sums if all of them are chosen: a sum over some looks like one over all.
 * @param hasSums whether the collector has sums of groups
 */
export function chosenTargets(
  by: keyof Chosen,
  network: WatchedNetwork,
  { addresses, groups }: { readonly addresses: "chosen" | "all"; readonly groups: readonly string[] },
  hasSums = false,
): readonly WatchedTarget[] {
  const isChosen = (watched: Watched) => watched[by] ?? (addresses === "all" || groups.includes(watched.group));
  const members = network.summed ?? network.addresses;
  const isLeftOut = (watched: Watched) => !hasSums || !isChosen(watched);
  const withoutSums = new Set(members.filter(isLeftOut).map(({ group }) => group));
  const isShown = ({ isSummed, group }: Watched) => isSummed !== true || !withoutSums.has(group);
  const polled = network.addresses.filter((one) => isChosen(one) && isShown(one));
  return watchedTargets(polled, network);
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
