// The only source of randomness. Each part of the chain draws from its own stream, so a change of one part does not
// change another.
import { hash } from "node:crypto";

/** A 32-byte digest of the parts, as `0x` and 64 hex digits. Equal parts give equal digests. */
export function digest(...parts: readonly (string | number)[]): string {
  return `0x${hash("sha256", parts.join("|"))}`;
}

/** A stream of pseudo-random numbers (sfc32). The same label gives the same stream on every machine. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter: number;

  constructor(label: string) {
    const words = digest(label).slice(2);
    const word = (at: number) => Number.parseInt(words.slice(at * 8, at * 8 + 8), 16) | 0;
    this.#a = word(0);
    this.#b = word(1);
    this.#c = word(2);
    this.#counter = word(3);
  }

  /** A number from 0 to just under 1. */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (this.#c << 21) | (this.#c >>> 11);
    this.#c = (this.#c + sum) | 0;
    return (sum >>> 0) / 4_294_967_296;
  }

  /** A whole number from `low` to `high`, both included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** True with the given probability (0 to 1). */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of the list. Throws when the list is empty. */
  pick<Item>(list: readonly Item[]): Item {
    const item = list[Math.floor(this.next() * list.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  /** An exponentially distributed number with the given mean. */
  exponential(mean: number): number {
    return -Math.log(1 - this.next()) * mean;
  }

  /** A log-normal number with the given median; `sigma` is the deviation of its logarithm. */
  logNormal(median: number, sigma: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return median * Math.exp(sigma * normal);
  }

  /** A Poisson-distributed count with the given mean. */
  poisson(mean: number): number {
    // Knuth's product underflows for large means. The sum of two halves has the same distribution.
    if (mean > 30) return this.poisson(mean / 2) + this.poisson(mean / 2);
    const floor = Math.exp(-mean);
    let product = this.next();
    let count = 0;
    while (product > floor) {
      product *= this.next();
      count += 1;
    }
    return count;
  }
}
