// The families of groups that are exported as sums: each has the name and the labels of a family of addresses, without
// those of the single address. Pure.
import { counter, type Family, gauge, type Label } from "../exposition/family.ts";

/** Combines samples of the members of a group into one sample. */
export interface GroupSum {
  /** The family of the members. */
  readonly of: Family;
  /** The family of the group. */
  readonly as: Family;
}

const OF_ADDRESS = /^stacks_address_/;

/** Sums of a counter or gauge of addresses over the members of a group. */
export function groupSum(of: Family): GroupSum {
  const { network, name: _, address: __, ...own } = of.labels as Readonly<Record<string, Label>>;
  const isGauge = of.kind === "gauge";
  const declaration = {
    name: of.name.replace(OF_ADDRESS, "stacks_group_"),
    help:
      `Sum of ${of.name} over the addresses of a group in summed_groups.` +
      (isGauge ? " Absent until all of them are known." : ""),
    source: "the sources of its members, polled",
    labels: { network: network as Label, group: "name of the group", ...own },
  };
  return { of, as: isGauge ? gauge(declaration) : counter(declaration) };
}
