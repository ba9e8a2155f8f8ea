// The two transactions that open or extend a tenure. Nobody waits for them; the miner puts them into its block.
import type { Block } from "../chain/block.ts";
import { okTrue } from "../chain/clarity.ts";
import { NOTHING } from "../chain/cost.ts";
import { digest } from "../chain/random.ts";
import type { UnsignedTx } from "../chain/transaction.ts";

const quiet = {
  sponsor: null,
  cost: NOTHING,
  conditions: [],
  conditionMode: "deny",
  status: "success",
  result: okTrue,
  vmError: null,
  events: [],
} as const;

/** The change of tenure that follows `parent`; an extension keeps the burn block and renews the budget. */
export function buildTenureChange(
  miner: string,
  cause: "block_found" | "extended",
  burnHash: string,
  parent: Block | undefined,
  previousBlocks: number,
): UnsignedTx {
  return {
    ...quiet,
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

/** The miner's claim of the tenure's reward. */
export function buildCoinbase(miner: string, burnHash: string): UnsignedTx {
  const data = `0x${"00".repeat(32)}`;
  const proof = digest("vrf", burnHash) + digest("vrf2", burnHash).slice(2) + digest("vrf3", burnHash).slice(2, 34);
  return { ...quiet, sender: miner, size: 180, payload: { type: "coinbase", data, vrfProof: proof } };
}
