// The families of groups that are exported as sums: each has the name and the labels of a family of addresses, without
// those of the single address. Pure.
import { counter, type Family, gauge, histogram, type Label } from "../exposition/family.ts";

/** Combines samples of the members of a group into one sample. */
export interface GroupSum {
  /** The family of the members. */
  readonly of: Family;
  /** The family of the group. */
  readonly as: Family;
  readonly by: "sum" | "max";
}

const OF_ADDRESS = /^stacks_address_/;

/** Sums of a family of addresses over the members of a group. @param by `max` for times */
export function groupSum(of: Family, by: GroupSum["by"] = "sum"): GroupSum {
  const { network, name: _, address: __, ...own } = of.labels as Readonly<Record<string, Label>>;
  const isGauge = of.kind === "gauge";
  const declaration = {
    name: of.name.replace(OF_ADDRESS, "stacks_group_"),
    help:
      `${by === "sum" ? "Sum" : "Maximum"} of ${of.name} over the addresses of a group with export: group.` +
      (isGauge ? " Absent until all of them are known." : ""),
    source: "the sources of its members, polled",
    ...(of.unit === undefined ? {} : { unit: of.unit }),
    labels: { network: network as Label, group: "name of the group", ...own },
  };
  if (of.kind === "histogram") return { of, by, as: histogram({ ...declaration, bounds: of.bounds }) };
  return { of, by, as: isGauge ? gauge(declaration) : counter(declaration) };
}
