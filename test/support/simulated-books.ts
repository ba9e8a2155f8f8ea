// What counters of an address should be, straight from the simulator's canonical blocks, up to a height.
import { canonicalTransactions } from "../../simulator/chain/books.ts";
import type { Chain } from "../../simulator/chain/chain.ts";

/** Sums of one principal; amounts in the units of their asset. */
export interface Booked {
  transactions: number;
  fees: bigint;
  stx: bigint;
  ft: bigint;
  nft: number;
  /** MicroSTX that reached it. */
  reached: bigint;
}

/** The books of a principal, of blocks above `from` and up to `to`. */
export function booked(chain: Chain, principal: string, to: number, from = -1): Booked {
  const book = { transactions: 0, fees: 0n, stx: 0n, ft: 0n, nft: 0, reached: 0n };
  for (const { tx, block } of canonicalTransactions(chain)) {
    if (block.height > to || block.height <= from) continue;
    const events = tx.events.filter(
      (event) => event.kind !== "print" && (event.sender === principal || event.recipient === principal),
    );
    const isRecipient = tx.payload.type === "token_transfer" && tx.payload.recipient === principal;
    const isCalled = tx.payload.type === "contract_call" && tx.payload.contract === principal;
    const isDeployed = tx.payload.type === "smart_contract" && tx.payload.contract === principal;
    const isParty = [tx.sender, tx.sponsor].includes(principal) || isRecipient || isCalled || isDeployed;
    if (!isParty && events.length === 0) continue;
    book.transactions += 1;
    if ((tx.sponsor ?? tx.sender) === principal) book.fees += BigInt(tx.fee);
    for (const event of events) {
      if (event.kind === "stx") {
        book.stx += event.amount;
        if (event.recipient === principal) book.reached += event.amount;
      } else if (event.kind === "ft") book.ft += event.amount;
      else if (event.kind === "nft") book.nft += 1;
    }
  }
  return book;
}
