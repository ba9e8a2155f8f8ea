// Events of the contract of the model world, event rules for it, and an independent computation of their metrics.
import { Cl, type ClarityValue } from "@stacks/transactions";
import { hexOf } from "./event-rules.ts";

/** A print, as its transaction determines it. */
interface Print {
  /** Undefined: the value has another shape. */
  readonly event: "swap" | "burn" | undefined;
  /** Undefined: an empty optional. */
  readonly amount: bigint | undefined;
  readonly pool: string;
}

/** The print of a transaction at a position. */
function printOf(nonce: number, index: number): Print {
  // The calls of the world have every third nonce.
  const n = Math.floor(nonce / 3) + index;
  return {
    event: n % 7 === 0 ? undefined : n % 3 === 0 ? "burn" : "swap",
    amount: n % 5 === 0 ? undefined : 2n ** 90n + BigInt(n),
    pool: `pool-${n % 4}`,
  };
}

/** The serialised value of a print. */
export function printedHex(nonce: number, index: number): string {
  const { event, amount, pool } = printOf(nonce, index);
  const value: ClarityValue =
    event === undefined
      ? Cl.tuple({ event: Cl.stringAscii("swap"), volume: Cl.uint(1) })
      : Cl.tuple({
          event: Cl.stringAscii(event),
          amount: amount === undefined ? Cl.none() : Cl.some(Cl.uint(amount)),
          "pool-id": Cl.stringAscii(pool),
        });
  return hexOf(value);
}

const swap = {
  help: "Swaps.",
  match: [
    { path: "topic", equals: "print" },
    { path: "value.event", equals: "swap" },
  ],
};
const amount = { ...swap, value: { path: "value.amount" } };

/** Rules for the prints, as in the configuration. */
export const printRules = [
  {
    metric: "swaps_total",
    type: "counter",
    ...swap,
    labels: { pool: { path: "value.pool-id", allow: ["pool-0"], max: 9 } },
  },
  { metric: "swap_in_units_total", type: "counter", ...amount },
  { metric: "swap_last_units", type: "gauge", ...amount },
];

/** Expected metrics of the rules after these transactions, oldest first: values by series. */
export function expectedSeries(transactions: readonly { readonly nonce: number; readonly prints: number }[]) {
  const prints = transactions.flatMap(({ nonce, prints }) =>
    Array.from({ length: prints }, (_, index) => printOf(nonce, index)),
  );
  const swaps = prints.filter(({ event }) => event !== "burn");
  const odd = swaps.filter(({ event }) => event === undefined).length;
  const regular = swaps.filter(({ event }) => event !== undefined);
  const amounts = regular.flatMap(({ amount }) => amount ?? []);
  const sum = amounts.reduce((total, amount) => total + amount, 0n);
  const series = new Map<string, string>([["swaps_total pool-0", "0"]]);
  const set = (name: string, value: bigint | number) => series.set(name, String(value));
  for (const [pool, { length }] of Map.groupBy(regular, ({ pool }) => pool)) set(`swaps_total ${pool}`, length);
  // The other shape has no pool, which is an empty label.
  if (odd > 0) set("swaps_total ", odd);
  set("swap_in_units_total", sum);
  const newest = amounts.at(-1);
  if (newest !== undefined) set("swap_last_units", newest);
  for (const metric of ["swaps_total", "swap_in_units_total", "swap_last_units"]) {
    set(`errors ${metric}`, odd);
  }
  return series;
}
