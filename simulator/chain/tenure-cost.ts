// What the current tenure has used so far.
import { add, type Cost, NOTHING } from "./cost.ts";
import type { Ledger } from "./ledger.ts";

/** Sum over the canonical blocks of the newest burn block. More than the limit once the tenure was extended. */
export function tenureCost({ blocks }: Ledger): Cost {
  let sum = NOTHING;
  for (let at = blocks.length - 1; at >= 0; at -= 1) {
    const block = blocks[at];
    if (block === undefined || block.burn.hash !== blocks.at(-1)?.burn.hash) break;
    sum = add(sum, block.cost);
  }
  return sum;
}
