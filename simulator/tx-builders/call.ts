// Calls of the four contracts, and the events they leave.
import { type ClarityValue, principal, uint } from "../chain/clarity.ts";
import type { Cost } from "../chain/cost.ts";
import type { Argument, UnsignedTx } from "../chain/transaction.ts";
import { anyRecipient, around, outcome, type TxContext } from "./context.ts";
import { type ContractCall, loggerCall, tokenCall, vaultCall } from "./contract-calls.ts";

const NFT_COST: Cost = { readCount: 45, readLength: 160_000, runtime: 7_500_000, writeCount: 12, writeLength: 2_400 };

/** Names a value for the list of arguments. */
export function argument(name: string, value: ClarityValue, type = value.type): Argument {
  return { name, type, value };
}

const signatureOf = ({ method, arguments: list }: ContractCall): string =>
  `(define-public (${method}${list.map(({ name, type }) => ` (${name} ${type})`).join("")}))`;

function buildContractCall(context: TxContext, sender: string, plot: ContractCall, sponsored: boolean): UnsignedTx {
  const { random, accounts } = context;
  return {
    sender,
    sponsor: sponsored && sender !== accounts.sponsor ? accounts.sponsor : null,
    payload: {
      type: "contract_call",
      contract: plot.contract,
      method: plot.method,
      signature: signatureOf(plot),
      arguments: plot.arguments,
    },
    size: 150 + plot.arguments.reduce((sum, { value }) => sum + value.hex.length / 2, 0) + 40 * plot.conditions.length,
    cost: around(random, plot.cost),
    conditions: plot.conditions,
    conditionMode: plot.conditions.length > 0 ? "deny" : random.pick(["deny", "allow", "allow", "originator"] as const),
    ...outcome(context, plot.events),
  };
}

/** A mint of one non-fungible token, paid in STX to the deployer. What a mint rush is made of. */
export function buildMint(context: TxContext, sender: string): UnsignedTx {
  const { accounts } = context;
  const price = 5_000_000n;
  const id = uint(BigInt(context.nextToken()));
  const plot: ContractCall = {
    contract: accounts.contracts.nft,
    method: "mint",
    arguments: [argument("recipient", principal(sender))],
    events: [
      { kind: "stx", movement: "transfer", sender, recipient: accounts.deployer, amount: price },
      { kind: "nft", movement: "mint", asset: accounts.assets.nft, value: id, sender: null, recipient: sender },
    ],
    conditions: [{ kind: "stx", principal: null, code: "sent_equal_to", amount: price }],
    cost: NFT_COST,
  };
  return buildContractCall(context, sender, plot, false);
}

function nftCall(context: TxContext, sender: string): ContractCall {
  const { random, accounts } = context;
  const recipient = anyRecipient(context, sender);
  const value = uint(BigInt(random.int(1, 5000)));
  const asset = accounts.assets.nft;
  const burns = random.chance(0.2);
  return {
    contract: accounts.contracts.nft,
    method: burns ? "burn" : "transfer",
    arguments: [
      argument("id", value),
      argument("sender", principal(sender)),
      ...(burns ? [] : [argument("recipient", principal(recipient))]),
    ],
    events: [
      burns
        ? { kind: "nft", movement: "burn", asset, value, sender, recipient: null }
        : { kind: "nft", movement: "transfer", asset, value, sender, recipient },
    ],
    conditions: [{ kind: "non_fungible", principal: sender, code: "sent", asset, value }],
    cost: NFT_COST,
  };
}

/** An everyday call of one of the contracts; some are paid by the sponsor. */
export function buildCall(context: TxContext, sender: string): UnsignedTx {
  const draw = context.random.next();
  if (draw < 0.12) return buildMint(context, sender);
  const sponsored = context.random.chance(0.1);
  if (draw < 0.25) return buildContractCall(context, sender, nftCall(context, sender), sponsored);
  if (draw < 0.6) return buildContractCall(context, sender, tokenCall(context, sender), sponsored);
  if (draw < 0.85) return buildContractCall(context, sender, loggerCall(context, sender), sponsored);
  return buildContractCall(context, sender, vaultCall(context, sender), sponsored);
}
