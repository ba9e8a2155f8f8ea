// The fees that senders offer. Six of ten transfers pay the wallet's default; the rest is log-normal.
import type { Random } from "./random.ts";
import type { Origin, TxType } from "./transaction.ts";

// The fee that wallets suggest for a transfer, µSTX.
const DEFAULT_FEE = 3000;
const MIN_FEE = 180;
// The most that a sender bids, relative to its fee on a calm day.
const MOST_BID = 30;

function usualFee(random: Random, type: TxType): number {
  if (type === "token_transfer") return random.chance(0.6) ? DEFAULT_FEE : random.logNormal(2500, 1.1);
  return type === "smart_contract" ? random.logNormal(50_000, 0.8) : random.logNormal(9000, 0.9);
}

/**
 * A fee in µSTX. `entryPrice` is the cheapest fee of a call in the last full block. Some senders of calls offer
 * a little more than that; transfers do not wait.
 */
export function drawFee(random: Random, origin: Origin, type: TxType, entryPrice: number | undefined): number {
  if (origin === "flood") return Math.round(DEFAULT_FEE * (0.9 + 0.1 * random.next()));
  if (origin === "stuck") return Math.round(random.logNormal(900_000, 0.7));
  if (origin === "background") return Math.max(MIN_FEE, Math.round(random.logNormal(6000, 1.2)));
  const fee = origin === "spike" ? random.logNormal(120_000, 0.8) : usualFee(random, type);
  const outbids = entryPrice !== undefined && type !== "token_transfer" && random.chance(0.45);
  const bid = outbids ? Math.min(MOST_BID * fee, entryPrice * (1.05 + 0.4 * random.next())) : 0;
  return Math.max(MIN_FEE, Math.round(fee), Math.round(bid));
}
