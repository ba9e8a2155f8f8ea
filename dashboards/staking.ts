// Row of the dashboard Addresses: reward cycles, and what the addresses stake and earn.
import { type Panel, table } from "./panel.ts";
import { dedupe, metric, perPrincipal, stx } from "./select.ts";

type Watched = (family: string, matchers?: Readonly<Record<string, string>>) => string;

const byNetwork = (expr: string) => `max by (network) (${expr})`;
const until = (phase: string) =>
  `${byNetwork(metric("stacks_chain_pox_phase_start_burn_block_height", { phase }))} - ${byNetwork(metric("stacks_chain_burn_block_height"))}`;
const ofCycle = (family: string, cycle: string) => stx(byNetwork(metric(family, { cycle })));
const BITCOIN = 1e8;

/** The panels. @param grouped restricts an expression to the selected groups */
export function stakingPanels(watched: Watched, grouped: (expr: string) => string): readonly Panel[] {
  const sum = (expr: string) => grouped(`sum by (network, name) (${dedupe(expr)})`);
  const rewards = (state: string) => `${sum(watched("stacks_address_staking_rewards_sats", { state }))} / ${BITCOIN}`;
  return [
    table({
      id: 91,
      title: "Reward cycle",
      description: `The current reward cycle. STX that are locked before the prepare phase of the next one count for it.
        Blocks are burn blocks, of about ten minutes each; below 0, the phase has begun. A signer needs the threshold.`,
      unit: "locale",
      decimals: 0,
      noValue: "Not polled: set collectors.pox.enabled, with an API that has a node",
      width: 24,
      height: 5,
      labels: ["network"],
      values: {
        cycle: byNetwork(metric("stacks_chain_pox_cycle")),
        "blocks to prepare phase": until("prepare"),
        "blocks to next cycle": until("reward"),
        "staked (STX)": ofCycle("stacks_chain_pox_staked_microstx", "current"),
        "staked, next cycle (STX)": ofCycle("stacks_chain_pox_staked_microstx", "next"),
        "threshold (STX)": ofCycle("stacks_chain_pox_threshold_microstx", "current"),
      },
      sortBy: "network",
    }),
    table({
      id: 92,
      title: "Staking",
      description: `What the addresses have locked by pox-5, and their rewards in sBTC since their first position. Claim
        what is claimable: it stays so until then.`,
      unit: "locale",
      noValue: "Not polled: choose addresses with staking, or groups of collectors.staking",
      width: 24,
      labels: ["name", "network"],
      values: {
        "staked (STX)": stx(sum(watched("stacks_address_staked_microstx", { position: "stx" }))),
        bonds: grouped(perPrincipal(watched("stacks_address_bonds"))),
        "in bonds (STX)": stx(sum(watched("stacks_address_staked_microstx", { position: "bonds" }))),
        "in bonds (BTC)": `${grouped(perPrincipal(watched("stacks_address_bonded_sats")))} / ${BITCOIN}`,
        "claimable (sBTC)": rewards("claimable"),
        "claimed (sBTC)": rewards("claimed"),
      },
      sortBy: "-staked (STX)",
    }),
  ];
}
