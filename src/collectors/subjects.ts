// Declares the families of a subject, which share the labels of its identity: the chain, a watched principal, a group.
import { counter, type Declaration, type Family, gauge, type Label } from "../exposition/family.ts";

const network = "name of the network";

const declared = <Identity extends string>(subject: string, identity: Readonly<Record<Identity, string>>) => {
  const whole = <Name extends string>(declaration: Declaration<Name>) =>
    ({ ...declaration, labels: { ...identity, ...declaration.labels } }) as Declaration<Identity | Name>;
  const own = {
    gauge: <const Name extends string = never>(declaration: Declaration<Name>): Family<Identity | Name> =>
      gauge(whole(declaration)),
    counter: <const Name extends string = never>(declaration: Declaration<Name>): Family<Identity | Name> =>
      counter(whole(declaration)),
  };
  return {
    ...own,
    /** The gauge of rows that are not confirmed. */
    pending: (items: string, source: string) =>
      own.gauge({
        name: `stacks_${subject}_pending_depth_${items}`,
        help: `${items[0]?.toUpperCase()}${items.slice(1)} on the newest pages that wait for confirmations.`,
        source,
      }),
    /** The counters of rows that a fork or an audit has taken back, and of those that are back. */
    reversals: (items: string, source: string) => ({
      reverted: own.counter({
        name: `stacks_${subject}_reverted_${items}_total`,
        help: `Counted ${items} whose block was replaced by a confirmed block. Other counters are not lowered.`,
        source,
      }),
      restored: own.counter({
        name: `stacks_${subject}_restored_${items}_total`,
        help: `Reverted ${items} that are in a block again. They are not counted again.`,
        source,
      }),
    }),
  };
};

/** Declares families of the whole chain. */
export const ofChain = declared("chain", { network });

/** Declares families of watched addresses. */
export const ofAddress = declared("address", {
  network,
  name: "name of the address in the configuration",
  address: "the principal",
});

/** Declares families of watched contracts. */
export const ofContract = declared("contract", {
  network,
  name: "name of the contract in the configuration",
  contract_id: "the contract",
});

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
