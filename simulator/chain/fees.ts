// What people offer. Six of ten transfers carry the wallet's default; the rest is log-normal.
import type { Random } from "./random.ts";
import type { Origin, TxType } from "./transaction.ts";

/** The fee that wallets suggest for a transfer, µSTX. */
export const DEFAULT_FEE = 3000;

const LEAST = 180;

function usual(random: Random, type: TxType): number {
  if (type === "token_transfer") return random.chance(0.6) ? DEFAULT_FEE : random.logNormal(2500, 1.1);
  if (type === "smart_contract") return random.logNormal(50_000, 0.8);
  return random.logNormal(9000, 0.9);
}

/**
 * A fee in µSTX. `entryPrice` is the cheapest fee that got into the last full block; some people look at it and
 * offer a little more, which is how a rush lifts the fees of those who only wanted to send a coin.
 */
export function drawFee(random: Random, origin: Origin, type: TxType, entryPrice: number | undefined): number {
  if (origin === "flood") return Math.round(DEFAULT_FEE * (0.9 + 0.1 * random.next()));
  if (origin === "stuck") return Math.round(random.logNormal(900_000, 0.7));
  if (origin === "background") return Math.max(LEAST, Math.round(random.logNormal(6000, 1.2)));
  const fee = origin === "spike" ? random.logNormal(120_000, 0.8) : usual(random, type);
  const isWatching = entryPrice !== undefined && random.chance(0.45);
  const offer = isWatching ? Math.max(fee, entryPrice * (1.05 + 0.4 * random.next())) : fee;
  return Math.max(LEAST, Math.round(offer));
}
