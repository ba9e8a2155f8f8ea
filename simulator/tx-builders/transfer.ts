// Transfers of STX, and the rare poison microblock.
import { digest } from "../chain/random.ts";
import type { UnsignedTx } from "../chain/transaction.ts";
import { randomAmount, randomRecipient, success, type TxContext, varyCost } from "./context.ts";

const MEMO_BYTES = 34;
// Next to nothing: no budget keeps a transfer waiting.
const TRANSFER_COST = { readCount: 1, readLength: 0, runtime: 20_000, writeCount: 1, writeLength: 100 };

function randomMemo({ random }: TxContext): string {
  const text = random.chance(0.4) ? `memo ${random.int(1, 9999)}` : "";
  const hex = Buffer.from(text, "latin1").toString("hex");
  return `0x${hex.padEnd(MEMO_BYTES * 2, "0")}`;
}

/** A transfer of this amount, or of a few µSTX to thousands of STX; sometimes to a contract. */
export function buildTransfer(context: TxContext, sender: string, wanted?: bigint): UnsignedTx {
  const { random, accounts } = context;
  const recipient = random.chance(0.05) ? accounts.contracts.vault : randomRecipient(context, sender);
  const drawn = randomAmount(random, 25_000_000, 2);
  const amount = wanted ?? drawn;
  return {
    sender,
    sponsor: random.chance(0.02) ? accounts.sponsor : null,
    payload: { type: "token_transfer", recipient, amount, memo: randomMemo(context) },
    size: recipient.includes(".") ? 191 : 180,
    cost: varyCost(random, TRANSFER_COST),
    conditions: [],
    conditionMode: "deny",
    ...success([{ kind: "stx", movement: "transfer", sender, recipient, amount }]),
  };
}

/** Evidence against a miner that signed two microblocks: obsolete, but the API still has the type. */
export function buildPoison({ random }: TxContext, sender: string): UnsignedTx {
  const header = () => digest("microblock", random.next());
  return {
    sender,
    sponsor: null,
    payload: { type: "poison_microblock", header1: header(), header2: header() },
    size: 380,
    cost: varyCost(random, TRANSFER_COST),
    conditions: [],
    conditionMode: "allow",
    ...success([]),
  };
}
