// Staking: the reward cycles, as the node behind the API reports them, and the position of a principal. One account
// stakes.
import { BUDGET } from "../../chain/cost.ts";
import type { View } from "../../chain/records.ts";
import { CYCLE_BLOCKS, cycleAt, FIRST_BURN_BLOCK, LOCKED_MICROSTX, lockOf } from "../../chain/stacking.ts";
import { costJson, type Json } from "../../json/values.ts";
import { tipTag } from "../etag.ts";
import { internal } from "../http-error.ts";
import { operation } from "../operation.ts";
import { wholePrincipal } from "../query.ts";

const PREPARE_BLOCKS = 100;
const SUPPLY_MICROSTX = 1_800_000_000_000_000;
const THRESHOLD_MICROSTX = 50_000_000_000;
// Satoshis per burn block since the current cycle began.
const REWARD_SATS = 250n;
const CLAIMED_SATS = 1_000_000n;

function poxJson(burnHeight: number): Json {
  const { id, start } = cycleAt(burnHeight);
  const rewardStart = start + CYCLE_BLOCKS;
  const prepareStart = rewardStart - PREPARE_BLOCKS;
  const cycle = { min_threshold_ustx: THRESHOLD_MICROSTX, stacked_ustx: Number(LOCKED_MICROSTX) };
  return {
    contract_id: "SP000000000000000000002Q6VF78.pox-5",
    first_burnchain_block_height: FIRST_BURN_BLOCK,
    current_burnchain_block_height: burnHeight,
    prepare_phase_block_length: PREPARE_BLOCKS,
    reward_phase_block_length: CYCLE_BLOCKS - PREPARE_BLOCKS,
    total_liquid_supply_ustx: SUPPLY_MICROSTX,
    current_cycle: { id, ...cycle, is_pox_active: true },
    next_cycle: {
      id: id + 1,
      ...cycle,
      min_increment_ustx: THRESHOLD_MICROSTX,
      prepare_phase_start_block_height: prepareStart,
      blocks_until_prepare_phase: prepareStart - burnHeight,
      reward_phase_start_block_height: rewardStart,
      blocks_until_reward_phase: rewardStart - burnHeight,
      ustx_until_pox_rejection: null,
    },
    epochs: [
      // 2^63 - 1, as the node ends the last epoch, is rounded here.
      {
        epoch_id: "Epoch40",
        start_height: 960_230,
        end_height: 2 ** 63,
        block_limit: costJson(BUDGET),
        network_epoch: 17,
      },
    ],
    current_epoch: "Epoch40",
    min_amount_ustx: THRESHOLD_MICROSTX,
    reward_cycle_id: id,
    reward_cycle_length: CYCLE_BLOCKS,
    next_reward_cycle_in: rewardStart - burnHeight,
    contract_versions: [],
  };
}

const positionOf = (locked: bigint, claimed: bigint, claimable: bigint) => ({
  locked: String(locked),
  rewards: {
    btc: { accrued: String(claimed + claimable), claimed: String(claimed), claimable: String(claimable) },
  },
});

function stakingJson(chain: View, principal: string): Json {
  const lock = lockOf(chain, principal);
  const blocks = BigInt(lock === undefined ? 0 : (chain.ledger.tip?.burn.height ?? 0) - lock.from);
  const stx = positionOf(lock?.amount ?? 0n, lock === undefined ? 0n : CLAIMED_SATS, blocks * REWARD_SATS);
  return { stx, bonds: { count: 0, ...positionOf(0n, 0n, 0n), locked: { btc: "0", stx: "0" } } };
}

/** Reward cycles and epochs, from the node. */
export const pox = operation({
  template: "/v2/pox",
  parse: () => undefined,
  tag: () => undefined,
  respond({ chain }) {
    if (chain.ledger.tip === undefined)
      throw internal("connect ECONNREFUSED 127.0.0.1:20443", "FST_REPLY_FROM_INTERNAL_SERVER_ERROR");
    return { status: 200, json: poxJson(chain.ledger.tip.burn.height) };
  },
});

/** The staking position of a principal. */
export const staking = operation({
  template: "/extended/v3/principals/{principal}/staking",
  parse: ({ path }) => wholePrincipal(path.principal),
  tag: tipTag,
  respond: ({ chain }, principal) => ({ status: 200, json: stakingJson(chain, principal) }),
});
