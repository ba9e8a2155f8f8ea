// Declares the families of watched principals, which share the labels of their identity.
import { counter, type Declaration, type Family, gauge } from "../exposition/family.ts";

const network = "name of the network";

const declared = <Identity extends string>(subject: string, identity: Readonly<Record<Identity, string>>) => {
  const whole = <Name extends string>(declaration: Declaration<Name>) =>
    ({ ...declaration, labels: { ...identity, ...declaration.labels } }) as Declaration<Identity | Name>;
  return {
    gauge: <const Name extends string = never>(declaration: Declaration<Name>): Family<Identity | Name> =>
      gauge(whole(declaration)),
    counter: <const Name extends string = never>(declaration: Declaration<Name>): Family<Identity | Name> =>
      counter(whole(declaration)),
    /** The counters of rows that a fork or an audit has taken back, and of those that are back. */
    reversals: (items: string, source: string) => ({
      reverted: counter(
        whole({
          name: `stacks_${subject}_reverted_${items}_total`,
          help: `Counted ${items} whose block was replaced by a confirmed block. Other counters are not lowered.`,
          source,
        }),
      ),
      restored: counter(
        whole({
          name: `stacks_${subject}_restored_${items}_total`,
          help: `Reverted ${items} that are in a block again. They are not counted again.`,
          source,
        }),
      ),
    }),
  };
};

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
