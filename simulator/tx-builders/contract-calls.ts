// The methods of the four contracts, with their events and post conditions.
import { ascii, type ClarityValue, principal, tuple, uint } from "../chain/clarity.ts";
import type { Cost } from "../chain/cost.ts";
import type { Argument, PostCondition, PrintEvent, TxEvent } from "../chain/transaction.ts";
import { randomAmount, randomRecipient, type TxContext } from "./context.ts";

/** A call of a contract and its effects. */
export interface ContractCall {
  readonly contract: string;
  readonly method: string;
  readonly arguments: readonly Argument[];
  readonly events: readonly TxEvent[];
  readonly conditions: readonly PostCondition[];
  readonly cost: Cost;
}

// Reads are the first to be used up, as on mainnet.
const NFT_COST = { readCount: 45, readLength: 3_000_000, runtime: 7_500_000, writeCount: 12, writeLength: 2_400 };
const TOKEN_COST = { readCount: 12, readLength: 1_000_000, runtime: 4_500_000, writeCount: 4, writeLength: 500 };
const LOGGER_COST = { readCount: 10, readLength: 700_000, runtime: 2_500_000, writeCount: 3, writeLength: 2_000 };
const VAULT_COST = { readCount: 25, readLength: 2_200_000, runtime: 9_000_000, writeCount: 9, writeLength: 3_000 };
// The largest amount of a fungible token.
const MAX_AMOUNT = (1n << 128n) - 1n;
const MINT_PRICE = 5_000_000n;

const argument = (name: string, value: ClarityValue, type = value.type): Argument => ({ name, type, value });

/** A mint of a non-fungible token, paid in STX to the deployer. */
export function mintCall({ accounts, nextToken }: TxContext, sender: string): ContractCall {
  const { deployer, contracts, assets } = accounts;
  const id = uint(BigInt(nextToken()));
  return {
    contract: contracts.nft,
    method: "mint",
    arguments: [argument("recipient", principal(sender))],
    events: [
      { kind: "stx", movement: "transfer", sender, recipient: deployer, amount: MINT_PRICE },
      { kind: "nft", movement: "mint", asset: assets.nft, value: id, sender: null, recipient: sender },
    ],
    conditions: [{ kind: "stx", principal: null, code: "sent_equal_to", amount: MINT_PRICE }],
    cost: NFT_COST,
  };
}

/** A transfer or burn of a non-fungible token. */
export function nftCall(context: TxContext, sender: string): ContractCall {
  const { random, accounts } = context;
  const recipient = randomRecipient(context, sender);
  const value = uint(BigInt(random.int(1, 5000)));
  const asset = accounts.assets.nft;
  const isBurn = random.chance(0.2);
  const movement = isBurn ? "burn" : "transfer";
  return {
    contract: accounts.contracts.nft,
    method: movement,
    arguments: [
      argument("id", value),
      argument("sender", principal(sender)),
      ...(isBurn ? [] : [argument("recipient", principal(recipient))]),
    ],
    events: [{ kind: "nft", movement, asset, value, sender, recipient: isBurn ? null : recipient }],
    conditions: [{ kind: "non_fungible", principal: sender, code: "sent", asset, value }],
    cost: NFT_COST,
  };
}

/** A transfer, mint or burn of the fungible token. Some amounts need all 128 bits. */
export function tokenCall(context: TxContext, sender: string): ContractCall {
  const { random, accounts } = context;
  const amount = random.chance(0.02) ? MAX_AMOUNT : randomAmount(random, 400_000_000, 2);
  const recipient = randomRecipient(context, sender);
  const asset = accounts.assets.token;
  const draw = random.next();
  const base = { contract: accounts.contracts.token, cost: TOKEN_COST };
  const condition: PostCondition = { kind: "fungible", principal: sender, code: "sent_equal_to", asset, amount };
  if (draw < 0.12) {
    return {
      ...base,
      method: "mint",
      arguments: [argument("amount", uint(amount)), argument("recipient", principal(recipient))],
      events: [{ kind: "ft", movement: "mint", asset, amount, sender: null, recipient }],
      conditions: [],
    };
  }
  if (draw < 0.2) {
    return {
      ...base,
      method: "burn",
      arguments: [argument("amount", uint(amount)), argument("sender", principal(sender))],
      events: [{ kind: "ft", movement: "burn", asset, amount, sender, recipient: null }],
      conditions: [condition],
    };
  }
  return {
    ...base,
    method: "transfer",
    arguments: [
      argument("amount", uint(amount)),
      argument("sender", principal(sender)),
      argument("recipient", principal(recipient)),
      argument("memo", { hex: "0x09", repr: "none", type: "none" }, "(optional (buff 34))"),
    ],
    events: [{ kind: "ft", movement: "transfer", asset, amount, sender, recipient }],
    conditions: random.chance(0.5) ? [condition] : [],
  };
}

const POOLS = ["stx-usda", "stx-sbtc", "usda-sbtc"];

/** One to four prints of `{amount, event, idx, pool-id, who}`. */
export function loggerCall({ random, accounts }: TxContext, sender: string): ContractCall {
  const contract = accounts.contracts.logger;
  const count = random.int(1, 4);
  const print = (index: number): PrintEvent => {
    const event = ascii(random.pick(["deposit", "withdraw", "swap"]));
    // No further random numbers: the chain of a seed stays the same.
    const pool = POOLS[(index + sender.length + sender.charCodeAt(5)) % POOLS.length] ?? "";
    const amount = uint(BigInt((index + 1) * sender.charCodeAt(7)) * 250_000n);
    const value = tuple({ amount, event, idx: uint(BigInt(index)), "pool-id": ascii(pool), who: principal(sender) });
    return { kind: "print", contract, topic: "print", value };
  };
  return {
    contract,
    method: "log",
    arguments: [argument("msg", ascii("hello"), "(string-ascii 64)"), argument("n", uint(BigInt(count)))],
    events: Array.from({ length: count }, (_, index) => print(index)),
    conditions: [],
    cost: LOGGER_COST,
  };
}

/** A deposit of STX, which also prints the amount, a burn or a mint. */
export function vaultCall({ random, accounts }: TxContext, sender: string): ContractCall {
  const amount = randomAmount(random, 10_000_000, 1.5);
  const contract = accounts.contracts.vault;
  const base = { contract, arguments: [argument("amount", uint(amount))], cost: VAULT_COST };
  const draw = random.next();
  if (draw < 0.2) {
    return {
      ...base,
      method: "burn",
      events: [{ kind: "stx", movement: "burn", amount, sender, recipient: null }],
      conditions: [{ kind: "stx", principal: sender, code: "sent_less_than_or_equal_to", amount }],
    };
  }
  if (draw < 0.35) {
    return {
      ...base,
      method: "reward",
      events: [{ kind: "stx", movement: "mint", amount, sender: null, recipient: sender }],
      conditions: [],
    };
  }
  return {
    ...base,
    method: "deposit",
    events: [
      { kind: "stx", movement: "transfer", amount, sender, recipient: contract },
      { kind: "print", contract, topic: "print", value: uint(amount) },
    ],
    conditions: [{ kind: "stx", principal: null, code: "sent_equal_to", amount }],
  };
}
