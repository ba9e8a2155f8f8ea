// The two transactions that open or extend a tenure. They never wait in the mempool: the miner adds them to its block.
import type { Block } from "../chain/block.ts";
import { NOTHING } from "../chain/cost.ts";
import { digest } from "../chain/random.ts";
import type { TenureCause, UnsignedTx } from "../chain/transaction.ts";
import { success } from "./context.ts";

const PROTOCOL = { sponsor: null, cost: NOTHING, conditions: [], conditionMode: "deny", ...success([]) } as const;

/** The tenure change after `parent`. An extend keeps the burn block. */
export function buildTenureChange(
  miner: string,
  cause: TenureCause,
  burnHash: string,
  parent: Block | undefined,
  previousBlocks: number,
): UnsignedTx {
  return {
    ...PROTOCOL,
    sender: miner,
    size: 300,
    payload: {
      type: "tenure_change",
      cause,
      consensus: digest("consensus", burnHash).slice(0, 42),
      previousConsensus: digest("consensus", parent?.burn.hash ?? "genesis").slice(0, 42),
      previousEnd: parent?.indexHash ?? digest("genesis"),
      previousBlocks,
      pubkeyHash: digest("key", miner).slice(0, 42),
    },
  };
}

/** The coinbase: the miner's reward for the tenure. */
export function buildCoinbase(miner: string, burnHash: string): UnsignedTx {
  const data = `0x${"00".repeat(32)}`;
  const proof = digest("vrf", burnHash) + digest("vrf2", burnHash).slice(2) + digest("vrf3", burnHash).slice(2, 34);
  return { ...PROTOCOL, sender: miner, size: 180, payload: { type: "coinbase", data, vrfProof: proof } };
}
