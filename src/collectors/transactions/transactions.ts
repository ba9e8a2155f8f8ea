import { block, blockByHeight } from "../chain/block-source.ts";
import type { ChainTarget, Collector } from "../collector.ts";
import { chainFamilies, chainSamples } from "./families.ts";
import type { MinedView } from "./mined-view.ts";
import { type Options, options } from "./options.ts";
import { observeChain } from "./poll.ts";
import { rowsOf } from "./recent.ts";
import { PAGE, partiesOf, transactionList } from "./source.ts";
import type { Observation } from "./state.ts";

// For estimates only: 20,000 transactions a day.
const TYPICAL_PER_SECOND = 20_000 / 86_400;

// Other collectors read it at each of their polls.
const views = new WeakMap<Observation, MinedView>();

/** Mined transactions of the whole chain, each counted once, and the fees that they paid. */
export const transactions = {
  name: "transactions",
  about: "Mined transactions of the chain, each counted once, and what they paid: now, and usually.",
  schedule: { keyless: "every 1m", free_key: "every 3m" },
  timeout: "1m",
  priority: 3,
  isShared: true,
  isDurable: true,
  operations: [transactionList, blockByHeight, block],
  families: chainFamilies,
  options,
  requestsPerPoll: (_, intervalSeconds) => Math.ceil((intervalSeconds * TYPICAL_PER_SECOND + 1) / PAGE),

  minedView(observation) {
    const { recent, readAt } = observation;
    if (readAt === undefined) return undefined;
    const view = views.get(observation) ?? { rows: rowsOf(recent), readAt };
    views.set(observation, view);
    return view;
  },

  hints: ({ feed, moved }) => ({ moved, isBehind: feed.open !== undefined }),
  confirmed({ feed }, after, to) {
    const waiting = feed.waiting.map(({ item }) => item);
    return waiting.filter(({ height }) => height > after && height <= to).flatMap(partiesOf);
  },

  observe: (poll, settings) => observeChain(poll, settings),
  samples: (observation, network) => chainSamples(observation, network),
} satisfies Collector<Observation, Options, ChainTarget>;
