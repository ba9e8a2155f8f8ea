// Series of a large watch list: targets with ten gauges each, and labels of realistic length.
import { type Family, gauge, type Sample } from "../../src/exposition/family.ts";

const PER_TARGET = 10;

export const families: readonly Family<"network" | "name" | "address" | "tx_type">[] = Array.from(
  { length: PER_TARGET },
  (_, index) =>
    gauge({
      name: `stacks_bench_family_${index}_microstx`,
      help: "A value of the benchmark.",
      labels: { network: "network", name: "name", address: "address", tx_type: "type" },
    }),
);

export interface Target {
  readonly key: string;
  readonly labels: {
    readonly network: string;
    readonly name: string;
    readonly address: string;
    readonly tx_type: string;
  };
}

/** Targets for a number of series. Label values are created once, as in a configuration. */
export function targetsFor(series: number): Target[] {
  return Array.from({ length: Math.ceil(series / PER_TARGET) }, (_, index) => {
    const name = `wallet-${String(index).padStart(6, "0")}`;
    const labels = {
      network: "mainnet",
      name,
      address: `SP3FBR2AGK5H9QBDH3EEN6DF8EK8${String(index).padStart(12, "0")}`,
      tx_type: "token_transfer",
    };
    return { key: name, labels };
  });
}

/** The value of a family of a target at a tick: amounts of very different magnitude, which all change at every tick. */
export const amountOf = (target: number, family: number, tick: number): number =>
  (target * 7919 + tick) * 10 ** (family % 5) + family;

/** Samples of one target at a tick. */
export function* samplesOf({ labels }: Target, target: number, tick: number): Iterable<Sample> {
  for (const [index, family] of families.entries()) yield family.at(labels, amountOf(target, index, tick));
}
