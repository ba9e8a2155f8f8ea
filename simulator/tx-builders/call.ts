// Transactions that call a contract.
import type { UnsignedTx } from "../chain/transaction.ts";
import { randomOutcome, type TxContext, varyCost } from "./context.ts";
import { type ContractCall, loggerCall, mintCall, nftCall, tokenCall, vaultCall } from "./contract-calls.ts";

function buildContractCall(context: TxContext, sender: string, call: ContractCall, isSponsored: boolean): UnsignedTx {
  const { random, accounts, callSize } = context;
  const { contract, method, conditions } = call;
  const parameters = call.arguments.map(({ name, type }) => ` (${name} ${type})`).join("");
  const signature = `(define-public (${method}${parameters}))`;
  return {
    sender,
    sponsor: isSponsored && sender !== accounts.sponsor ? accounts.sponsor : null,
    payload: { type: "contract_call", contract, method, signature, arguments: call.arguments },
    size: 150 + call.arguments.reduce((sum, { value }) => sum + value.hex.length / 2, 0) + 40 * conditions.length,
    cost: varyCost(random, call.cost, callSize),
    conditions,
    conditionMode: conditions.length > 0 ? "deny" : random.pick(["deny", "allow", "allow", "originator"] as const),
    ...randomOutcome(context, call.events),
  };
}

/** A mint of a non-fungible token. A mint rush consists of these. */
export function buildMint(context: TxContext, sender: string): UnsignedTx {
  return buildContractCall(context, sender, mintCall(context, sender), false);
}

/** A call of one of the contracts. The sponsor pays for some. */
export function buildCall(context: TxContext, sender: string): UnsignedTx {
  const draw = context.random.next();
  if (draw < 0.12) return buildMint(context, sender);
  const isSponsored = context.random.chance(0.1);
  const call = draw < 0.25 ? nftCall : draw < 0.6 ? tokenCall : draw < 0.85 ? loggerCall : vaultCall;
  return buildContractCall(context, sender, call(context, sender), isSponsored);
}
