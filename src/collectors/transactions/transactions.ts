import type { ChainTarget, Collector } from "../collector.ts";
import { chainFamilies, chainSamples } from "./families.ts";
import type { MinedView } from "./mined-view.ts";
import { type Options, options } from "./options.ts";
import { observeChain } from "./poll.ts";
import { rowsOf } from "./recent.ts";
import { PAGE, transactionList } from "./source.ts";
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
  operations: [transactionList],
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

  hints: ({ ledger, moved }) => ({ moved, isBehind: ledger?.isFar === true }),
  confirmed: ({ recent, depth }, after = depth, to) =>
    rowsOf(recent.filter(({ height }) => height > after && height <= to)).flatMap(({ parties }) => parties),

  observe: (poll, settings) => observeChain(poll, settings),
  samples: (observation, network) => chainSamples(observation, network),
} satisfies Collector<Observation, Options, ChainTarget>;
