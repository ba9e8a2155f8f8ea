import { z } from "zod";
import type { Collector, WatchedTarget } from "../collector.ts";
import { chosenOptions, chosenTargets } from "../options.ts";
import { balanceFamilies, balanceSamples, balanceSums } from "./families.ts";
import { readTokens, type StxBalance, stxBalance, type Tokens, tokenBalances } from "./source.ts";

const options = z.object(chosenOptions("balances", "whose balances are polled", "`balances: true` or `min_balance`"));

interface BalanceTarget extends WatchedTarget {
  readonly assets: readonly string[];
}

interface Observation {
  readonly stx: StxBalance;
  /** Balances of the requested assets: 0 if not held, absent if not found in what was read. */
  readonly tokens: Tokens;
  /** The assets that were requested. */
  readonly assets: readonly string[];
  /** A value that changes with every transaction of the principal; undefined if unknown. */
  readonly state: string | undefined;
  /** Polls since the tokens were read. */
  readonly polls: number;
  /** The next poll reads the tokens in any case. */
  readonly isTokenReadDue: boolean;
}

// Every twelfth poll reads the tokens: the state misses rewards of miners, and reorganisations that keep the newest
// transaction of the principal.
const REREAD_POLLS = 12;

/** Balances of watched addresses: one request while nothing changes. */
export const balances = {
  name: "balances",
  about: "Balances of watched addresses: STX, locked STX, and named tokens.",
  schedule: { keyless: "every 5m", free_key: "every 1h" },
  // The first poll needs two requests, and a small budget admits one a minute.
  timeout: "2m",
  priority: 5,
  operations: [stxBalance, tokenBalances],
  families: balanceFamilies,
  sums: balanceSums,
  options,
  targets(network, settings) {
    const assets = network.assets.map(({ id }) => id);
    return chosenTargets("balances", network, settings, true).map((target) => ({ ...target, assets }));
  },

  // The tokens, by two polls.
  requestsPerPoll: () => 1 + 1 / REREAD_POLLS,
  async observe({ api, target, previous, note }) {
    const { assets, watched } = target;
    const { principal } = watched;
    const { body: stx, etag } = await api.get(stxBalance, { path: { principal } });
    // A principal without transactions has no validator, no STX and no tokens.
    const state = etag ?? (stx.balance === 0n && stx.mempool === null ? "unused" : undefined);
    const isChanged = state === undefined || state !== previous?.state;
    if (previous !== undefined && !isChanged && isEnough(previous, assets))
      return { ...previous, stx, polls: previous.polls + 1 };

    const { tokens, isMixed } = await readTokens(api, principal, assets);
    const absent = assets.filter((asset) => !Object.hasOwn(tokens, asset));
    if (!isMixed && absent.length > 0) {
      note?.(`the address holds too many tokens to find all of assets: no balance of ${absent.join(", ")}`);
    }
    // Once more after a change: the server that returned the tokens can be behind the one that returned the STX.
    return { stx, tokens, assets, state, polls: 0, isTokenReadDue: isMixed || isChanged };
  },

  samples: balanceSamples,
} satisfies Collector<Observation, z.infer<typeof options>, BalanceTarget>;

/** Whether the tokens are known. The configuration can have more of them than the last poll has read. */
const isEnough = ({ polls, assets: read, isTokenReadDue }: Observation, assets: readonly string[]): boolean =>
  !isTokenReadDue && polls + 1 < REREAD_POLLS && assets.every((asset) => read.includes(asset));
