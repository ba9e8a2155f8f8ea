import { z } from "zod";
import type { StacksApi } from "../../api/operation.ts";
import { type Collector, type WatchedTarget, watchedTargets } from "../collector.ts";
import { chosenOptions, isChosen } from "../options.ts";
import { balanceFamilies, balanceSamples, balanceSums } from "./families.ts";
import { readTokens, type StxBalance, stxBalance, type Tokens, tokenBalances } from "./source.ts";

const options = z.object(
  chosenOptions("whose balances are polled", "`balances: true` or `min_balance`", "`balances: false`"),
);

interface BalanceTarget extends WatchedTarget {
  readonly assets: readonly string[];
}

interface Observation {
  readonly stx: StxBalance;
  readonly tokens: Tokens;
  /** Identifiers of tokens that were not found in what was read. */
  readonly absent: readonly string[];
  /** Validators of the STX balance and of the list of tokens. */
  readonly etags: { readonly stx: string | undefined; readonly tokens: string | undefined };
  /** Polls since both were read without a validator. */
  readonly polls: number;
  /** The next poll requests the tokens in any case. */
  readonly isTokenReadDue: boolean;
}

// Every twelfth poll is unconditional: the validator misses rewards of miners, and reorganisations that keep the newest
// transaction of the principal.
const REREAD_POLLS = 12;

/** Balances of watched addresses: one conditional request while nothing changes. */
export const balances = {
  name: "balances",
  about: "Balances of watched addresses: STX, locked STX, and named tokens.",
  schedule: { keyless: "every 5m", free_key: "every 1h" },
  timeout: "30s",
  priority: 5,
  operations: [stxBalance, tokenBalances],
  families: balanceFamilies,
  sums: balanceSums,
  options,
  targets(network, settings) {
    const assets = network.assets.map(({ id }) => id);
    const chosen = network.addresses.filter((watched) => isChosen(watched.balances, watched, settings));
    return watchedTargets(chosen, network).map((target) => ({ ...target, assets }));
  },

  // The tokens, by two polls.
  requestsPerPoll: () => 1 + 1 / REREAD_POLLS,
  async observe({ api, target, previous, note }) {
    const { assets, watched } = target;
    const { principal } = watched;
    // Without what is known, requests are unconditional.
    const known = previous !== undefined && isEnough(previous, assets) ? previous : undefined;
    const { body: stx, etag } = await readStx(api, principal, known);
    const state = stateOf(stx, etag);
    const isChanged =
      previous === undefined || state === undefined || state !== stateOf(previous.stx, previous.etags.stx);

    const isTokenRead = known === undefined || known.isTokenReadDue || isChanged;
    const read =
      isTokenRead && assets.length > 0 ? await readTokens(api, principal, assets, known?.etags.tokens) : undefined;
    const kept = { tokens: known?.tokens ?? {}, etag: known?.etags.tokens, isMixed: false };
    const { tokens, isMixed, etag: tokensEtag } = read ?? kept;
    const absent = assets.filter((asset) => !Object.hasOwn(tokens, asset));
    if (read !== undefined && !isMixed && absent.length > 0) {
      note?.(`the address holds too many tokens to find all of assets: no balance of ${absent.join(", ")}`);
    }
    return {
      stx,
      tokens,
      absent,
      etags: { stx: etag, tokens: tokensEtag },
      polls: known === undefined ? 0 : known.polls + 1,
      // Once more after a change: the server that returned the tokens can be behind the one that returned the STX.
      isTokenReadDue: isMixed || isChanged,
    };
  },

  samples: balanceSamples,
} satisfies Collector<Observation, z.infer<typeof options>, BalanceTarget>;

/** Whether the next poll may be conditional. The configuration can have more tokens than the last poll has read. */
const isEnough = ({ polls, tokens, absent }: Observation, assets: readonly string[]): boolean =>
  polls + 1 < REREAD_POLLS && assets.every((asset) => Object.hasOwn(tokens, asset) || absent.includes(asset));

async function readStx(api: StacksApi, principal: string, known: Observation | undefined) {
  const path = { principal };
  // The validator covers only the newest waiting transaction: without it, while any waits.
  if (known?.etags.stx === undefined || known.stx.mempool !== null) return api.get(stxBalance, { path });
  const etag = known.etags.stx;
  return (await api.getIfChanged(stxBalance, { path }, etag)) ?? { body: known.stx, etag };
}

/**
 * A value that changes with every transaction of the principal; undefined if unknown. A principal without transactions
 * has no validator, no STX and no tokens.
 */
function stateOf({ balance, mempool }: StxBalance, etag: string | undefined): string | undefined {
  return etag ?? (balance === 0n && mempool === null ? "unused" : undefined);
}
