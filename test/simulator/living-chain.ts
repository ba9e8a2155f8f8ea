// A chain without sockets, for tests of what is on it.
import { Chain, type ChainOptions } from "../../simulator/chain/chain.ts";
import { START } from "./support.ts";

/** A chain with 60 blocks of history, or with what the options say. */
export function livingChain(options: Partial<ChainOptions> = {}): Chain {
  return new Chain({
    seed: "test",
    start: START,
    history: 60,
    network: "mainnet",
    randomEvents: false,
    keepBlocks: 5000,
    ...options,
  });
}
