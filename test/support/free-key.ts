// 40 wallets with limits, and the budget of a free key.
import type { Simulator } from "../../simulator/server.ts";
import type { ExporterOptions } from "./exporter.ts";

const COLLECTORS = [
  "blocks",
  "fees",
  "mempool",
  "transactions",
  "mempool_transactions",
  "addresses",
  "balances",
  "waiting",
];

/** The address of `wallet-INDEX`. */
export const walletOf = ({ chain }: Simulator, index: number): string => chain.accounts.unused(500_000 + index);

/** The settings, after a first transaction of each wallet: the API has no balance of an account that was never used. */
export function freeKey(simulator: Simulator): Omit<ExporterOptions, "api"> {
  const addresses = Array.from({ length: 40 }, (_, index) => ({
    address: walletOf(simulator, index),
    name: `wallet-${index}`,
    group: "hot",
    waiting: true,
    min_balance: { stx: "1000 STX" },
    max_outflow: { stx: "100000 STX" },
  }));
  for (const { address } of addresses) simulator.chain.send(address, { fee: 10_000, amount: 1n });
  return {
    network: { addresses, budget: { per_minute: 900, per_month: 150_000 } },
    collectors: Object.fromEntries(COLLECTORS.map((name) => [name, {}])),
  };
}
