// What happens inside the token, the logger and the vault.
import { ascii, type ClarityValue, principal, tuple, uint } from "../chain/clarity.ts";
import type { Cost } from "../chain/cost.ts";
import type { Argument, PostCondition, PrintEvent, TxEvent } from "../chain/transaction.ts";
import { anyRecipient, MAX_AMOUNT, type TxContext } from "./context.ts";

/** What a call does: where, with what, and what comes of it. */
export interface ContractCall {
  readonly contract: string;
  readonly method: string;
  readonly arguments: readonly Argument[];
  readonly events: readonly TxEvent[];
  readonly conditions: readonly PostCondition[];
  readonly cost: Cost;
}

const TOKEN_COST = { readCount: 12, readLength: 45_000, runtime: 4_500_000, writeCount: 4, writeLength: 500 };
const LOGGER_COST = { readCount: 10, readLength: 30_000, runtime: 2_500_000, writeCount: 3, writeLength: 2_000 };
const VAULT_COST = { readCount: 25, readLength: 110_000, runtime: 9_000_000, writeCount: 9, writeLength: 3_000 };
const TOPICS = ["deposit", "withdraw", "swap"] as const;

const named = (name: string, value: ClarityValue, type = value.type): Argument => ({ name, type, value });

/** Token: transfers, mints and burns; now and then an amount that only fits 128 bits. */
export function tokenCall(context: TxContext, sender: string): ContractCall {
  const { random, accounts } = context;
  const amount = random.chance(0.02) ? MAX_AMOUNT : BigInt(Math.max(1, Math.round(random.logNormal(400_000_000, 2))));
  const recipient = anyRecipient(context, sender);
  const asset = accounts.assets.token;
  const draw = random.next();
  const base = { contract: accounts.contracts.token, cost: TOKEN_COST };
  if (draw < 0.12) {
    return {
      ...base,
      method: "mint",
      arguments: [named("amount", uint(amount)), named("recipient", principal(recipient))],
      events: [{ kind: "ft", movement: "mint", asset, amount, sender: null, recipient }],
      conditions: [],
    };
  }
  if (draw < 0.2) {
    return {
      ...base,
      method: "burn",
      arguments: [named("amount", uint(amount)), named("sender", principal(sender))],
      events: [{ kind: "ft", movement: "burn", asset, amount, sender, recipient: null }],
      conditions: [{ kind: "fungible", principal: sender, code: "sent_equal_to", asset, amount }],
    };
  }
  return {
    ...base,
    method: "transfer",
    arguments: [
      named("amount", uint(amount)),
      named("sender", principal(sender)),
      named("recipient", principal(recipient)),
      named("memo", { hex: "0x09", repr: "none", type: "none" }, "(optional (buff 34))"),
    ],
    events: [{ kind: "ft", movement: "transfer", asset, amount, sender, recipient }],
    conditions: random.chance(0.5)
      ? [{ kind: "fungible", principal: sender, code: "sent_equal_to", asset, amount }]
      : [],
  };
}

/** Logger: one to four prints of `{event, idx, who}`. */
export function loggerCall(context: TxContext, sender: string): ContractCall {
  const { random, accounts } = context;
  const count = random.int(1, 4);
  const prints = Array.from(
    { length: count },
    (_, index): PrintEvent => ({
      kind: "print",
      contract: accounts.contracts.logger,
      topic: "print",
      value: tuple({
        event: ascii(random.pick(TOPICS)),
        idx: uint(BigInt(index)),
        who: principal(sender),
      }),
    }),
  );
  return {
    contract: accounts.contracts.logger,
    method: "log",
    arguments: [named("msg", ascii("hello"), "(string-ascii 64)"), named("n", uint(BigInt(count)))],
    events: prints,
    conditions: [],
    cost: LOGGER_COST,
  };
}

/** Vault: STX goes in, is burned, or comes out as a fresh mint; the deposit also prints a number. */
export function vaultCall(context: TxContext, sender: string): ContractCall {
  const { random, accounts } = context;
  const amount = BigInt(Math.max(1, Math.round(random.logNormal(10_000_000, 1.5))));
  const contract = accounts.contracts.vault;
  const base = { contract, arguments: [named("amount", uint(amount))], cost: VAULT_COST };
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
