// The metric families of balances, and the samples of one address. Pure.
import type { Family, Sample } from "../../exposition/family.ts";
import type { Watched } from "../collector.ts";
import { type GroupSum, groupSum, ofAddress } from "../subjects.ts";
import type { StxBalance, Tokens } from "./source.ts";

const asset = "identifier of the asset";
const stx = (fields: string) => `${fields} of GET /extended/v3/principals/{principal}/balances/stx, polled`;

const families = {
  balance: ofAddress.gauge({
    name: "stacks_address_balance_microstx",
    help: "STX of the address, available and locked. In microSTX.",
    source: stx("balance"),
  }),
  available: ofAddress.gauge({
    name: "stacks_address_available_balance_microstx",
    help: "STX that the address can send: its balance without locked STX, but with those in bonds. In microSTX.",
    source: stx("available"),
  }),
  unlockHeight: ofAddress.gauge({
    name: "stacks_address_unlock_burn_block_height",
    help: "Burn block height at which the locked STX unlock. Absent while none are locked.",
    source: stx("locked.burn_unlock_height"),
  }),
  mempool: ofAddress.gauge({
    name: "stacks_address_mempool_microstx",
    help: "STX in waiting transactions: transfers to the address (in), transfers and fees that it would pay (out). In microSTX.",
    source: stx("mempool.inbound, mempool.outbound"),
    labels: {
      direction: { about: "direction from the point of view of the address", values: ["in", "out"] },
    },
  }),
  tokenBalance: ofAddress.gauge({
    name: "stacks_address_ft_balance_units",
    help: "Balance of a fungible token, in base units. Only tokens in assets of the network, and sBTC on mainnet.",
    source: "results of GET /extended/v3/principals/{principal}/balances/ft, polled",
    labels: { asset },
  }),
};

/** The families with sums for groups in `summed_groups`. */
export const balanceSums: readonly GroupSum[] = [groupSum(families.balance)];

/** Every family, in the order of the metrics page. */
export const balanceFamilies: readonly Family[] = [...Object.values(families), ...balanceSums.map(({ as }) => as)];

/** Samples of one address, with those of `assets` among its tokens. */
export function* balanceSamples(
  { stx, tokens }: { readonly stx: StxBalance; readonly tokens: Tokens },
  network: string,
  { watched: { name, principal }, assets }: { readonly watched: Watched; readonly assets: readonly string[] },
): Iterable<Sample> {
  const labels = { network, name, address: principal };
  yield families.balance.at(labels, stx.balance);
  yield families.available.at(labels, stx.available ?? stx.balance);
  if (stx.locked !== null) yield families.unlockHeight.at(labels, stx.locked.burn_unlock_height);
  yield families.mempool.at({ ...labels, direction: "in" }, stx.mempool?.inbound ?? 0n);
  yield families.mempool.at({ ...labels, direction: "out" }, stx.mempool?.outbound ?? 0n);
  for (const [asset, units] of Object.entries(tokens))
    if (assets.includes(asset)) yield families.tokenBalance.at({ ...labels, asset }, units);
}
