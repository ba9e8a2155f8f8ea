// Declares the families of watched principals, which share the labels of their identity.
import { counter, type Declaration, type Family, gauge } from "../exposition/family.ts";

const network = "name of the network";

const declared = <Identity extends string>(identity: Readonly<Record<Identity, string>>) => {
  const whole = <Name extends string>(declaration: Declaration<Name>) =>
    ({ ...declaration, labels: { ...identity, ...declaration.labels } }) as Declaration<Identity | Name>;
  return {
    gauge: <const Name extends string = never>(declaration: Declaration<Name>): Family<Identity | Name> =>
      gauge(whole(declaration)),
    counter: <const Name extends string = never>(declaration: Declaration<Name>): Family<Identity | Name> =>
      counter(whole(declaration)),
  };
};

/** Declares families of watched addresses. */
export const ofAddress = declared({
  network,
  name: "name of the address in the configuration",
  address: "the principal",
});

/** Declares families of watched contracts. */
export const ofContract = declared({
  network,
  name: "name of the contract in the configuration",
  contract_id: "the contract",
});
