// Calls of the four contracts, and the events they leave.
import { type ClarityValue, principal, uint } from "../chain/clarity.ts";
import type { Cost } from "../chain/cost.ts";
import type { Argument, Draft } from "../chain/transaction.ts";
import { anyRecipient, around, type Desk, outcome } from "./desk.ts";
import { drawFungible, drawLog, drawVault, type Plot } from "./plots.ts";

const NFT_COST: Cost = { readCount: 45, readLength: 160_000, runtime: 7_500_000, writeCount: 12, writeLength: 2_400 };

/** Names a value for the list of arguments. */
export function argument(name: string, value: ClarityValue, type = value.type): Argument {
  return { name, type, value };
}

const signatureOf = ({ method, arguments: list }: Plot): string =>
  `(define-public (${method}${list.map(({ name, type }) => ` (${name} ${type})`).join("")}))`;

function draftCall(desk: Desk, sender: string, plot: Plot, sponsored: boolean): Draft {
  const { random, cast } = desk;
  return {
    sender,
    sponsor: sponsored && sender !== cast.sponsor ? cast.sponsor : null,
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
    ...outcome(desk, plot.events),
  };
}

/** A mint of one non-fungible token, paid in STX to the deployer. What a mint rush is made of. */
export function draftMint(desk: Desk, sender: string): Draft {
  const { cast } = desk;
  const price = 5_000_000n;
  const id = uint(BigInt(desk.nextToken()));
  const plot: Plot = {
    contract: cast.contracts.nft,
    method: "mint",
    arguments: [argument("recipient", principal(sender))],
    events: [
      { kind: "stx", movement: "transfer", sender, recipient: cast.deployer, amount: price },
      { kind: "nft", movement: "mint", asset: cast.assets.nft, value: id, sender: null, recipient: sender },
    ],
    conditions: [{ kind: "stx", principal: null, code: "sent_equal_to", amount: price }],
    cost: NFT_COST,
  };
  return draftCall(desk, sender, plot, false);
}

function drawNft(desk: Desk, sender: string): Plot {
  const { random, cast } = desk;
  const recipient = anyRecipient(desk, sender);
  const value = uint(BigInt(random.int(1, 5000)));
  const asset = cast.assets.nft;
  const burns = random.chance(0.2);
  return {
    contract: cast.contracts.nft,
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
export function draftAnyCall(desk: Desk, sender: string): Draft {
  const draw = desk.random.next();
  if (draw < 0.12) return draftMint(desk, sender);
  const sponsored = desk.random.chance(0.1);
  if (draw < 0.25) return draftCall(desk, sender, drawNft(desk, sender), sponsored);
  if (draw < 0.6) return draftCall(desk, sender, drawFungible(desk, sender), sponsored);
  if (draw < 0.85) return draftCall(desk, sender, drawLog(desk, sender), sponsored);
  return draftCall(desk, sender, drawVault(desk, sender), sponsored);
}
