// Replicas that are behind. Each has its own ledger and applies the steps of the chain to it later.
import type { Chain } from "../chain/chain.ts";
import { Ledger } from "../chain/ledger.ts";
import type { View } from "../chain/records.ts";
import { laggingView } from "./lagging-mempool.ts";

/** Returns the chain at a moment of its history. A call may change the view that an earlier call returned. */
export function pastOf(chain: Chain): (moment: number) => View {
  const { history, options } = chain;
  let ledger = new Ledger(options.keepBlocks);
  let view = laggingView(chain, ledger);
  let reached = Number.POSITIVE_INFINITY;
  const restart = () => {
    ledger = new Ledger(options.keepBlocks, chain.ledger);
    view = laggingView(chain, ledger);
    for (const block of history.base) ledger.append(block);
    reached = history.start;
  };
  return (moment) => {
    if (reached > moment || reached < history.start) restart();
    for (const { removed, added } of history.between(reached, moment)) {
      for (let left = removed; left > 0; left -= 1) ledger.removeTip();
      for (const block of added) ledger.append(block);
    }
    reached = Math.max(reached, moment);
    return view;
  };
}

/** Returns the chain up to a height, from its oldest block that is kept. At the tip it returns the chain itself. */
export function resyncOf(chain: Chain): (height: number) => View {
  const newest = chain.ledger;
  const ledger = new Ledger(chain.options.keepBlocks, newest);
  const view = laggingView(chain, ledger);
  const next = () => (ledger.tip === undefined ? newest.blocks[0] : newest.atHeight(ledger.tip.height + 1));
  return (height) => {
    if (height >= chain.height) return chain;
    while (ledger.tip !== undefined && !newest.isCanonical(ledger.tip)) ledger.removeTip();
    for (let block = next(); block !== undefined && block.height <= height; block = next()) ledger.append(block);
    return view;
  };
}
