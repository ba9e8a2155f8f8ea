import { z } from "zod";
import { operation } from "../api/operation.ts";
import type { Sample } from "../exposition/family.ts";
import type { Collector, WatchedTarget } from "./collector.ts";
import { chosenOptions, chosenTargets } from "./options.ts";
import { ofAddress } from "./subjects.ts";
import { amount, microStx } from "./values.ts";

// What has accrued less what was claimed. The API rounds down more often than the contract, so it can be negative.
const claimable = z.preprocess((text) => (/^-\d{1,60}$/.test(String(text)) ? "0" : text), amount);
const rewards = z.object({ btc: z.object({ claimed: amount, claimable }) });

const stakingSummary = operation({
  name: "staking",
  path: "/extended/v3/principals/{principal}/staking",
  isOptional: true,
  body: z.object({
    stx: z.object({ locked: microStx, rewards }),
    bonds: z.object({ count: z.int().nonnegative(), locked: z.object({ btc: amount, stx: microStx }), rewards }),
  }),
  maxBodyBytes: 2 ** 16,
});

const position = { about: "kind of position: staked STX, or all bonds together", values: ["stx", "bonds"] };
const source = (fields: string) => `${fields} of GET /extended/v3/principals/{principal}/staking, polled`;

const families = {
  staked: ofAddress.gauge({
    name: "stacks_address_staked_microstx",
    help: "STX that the address has locked by pox-5; in bonds, ended ones included. In microSTX.",
    source: source("stx.locked, bonds.locked.stx"),
    labels: { position },
  }),
  bonds: ofAddress.gauge({
    name: "stacks_address_bonds",
    help: "Bonds that the address has entered, ended ones included.",
    source: source("bonds.count"),
  }),
  bonded: ofAddress.gauge({
    name: "stacks_address_bonded_sats",
    help: "Bitcoin in bonds of the address, ended ones included, without sBTC that it has withdrawn. In satoshis.",
    source: source("bonds.locked.btc"),
  }),
  rewards: ofAddress.gauge({
    name: "stacks_address_staking_rewards_sats",
    help: "Rewards that have accrued to the address since its first position, in satoshis of sBTC, by state.",
    source: source("{stx,bonds}.rewards.btc.{claimed,claimable}"),
    labels: { position, state: { about: "whether it was paid out", values: ["claimed", "claimable"] } },
  }),
};

const options = z.object(chosenOptions("staking", "whose staking is polled"));

/** Staked STX, bonds and rewards of watched addresses, under pox-5 (`staking`). */
export const staking = {
  name: "staking",
  about: "Staked STX, bonds and rewards of watched addresses, under pox-5.",
  schedule: { keyless: "every 10m", free_key: "every 1h" },
  priority: 5,
  operations: [stakingSummary],
  families: Object.values(families),
  options,
  targets: (network, settings) => chosenTargets("staking", network, settings),

  observe: async ({ api, target }) =>
    (await api.get(stakingSummary, { path: { principal: target.watched.principal } })).body,

  *samples({ stx, bonds }, network, { watched: { name, principal } }): Iterable<Sample> {
    const labels = { network, name, address: principal };
    yield families.staked.at({ ...labels, position: "stx" }, stx.locked);
    yield families.staked.at({ ...labels, position: "bonds" }, bonds.locked.stx);
    yield families.bonds.at(labels, bonds.count);
    yield families.bonded.at(labels, bonds.locked.btc);
    for (const [position, { rewards }] of Object.entries({ stx, bonds })) {
      yield families.rewards.at({ ...labels, position, state: "claimed" }, rewards.btc.claimed);
      yield families.rewards.at({ ...labels, position, state: "claimable" }, rewards.btc.claimable);
    }
  },
} satisfies Collector<z.infer<typeof stakingSummary.body>, z.infer<typeof options>, WatchedTarget>;
