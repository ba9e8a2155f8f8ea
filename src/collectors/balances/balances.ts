import { z } from "zod";
import type { Sample } from "../../exposition/family.ts";
import type { Collector, WatchedTarget } from "../collector.ts";
import { chosenOptions, chosenTargets } from "../options.ts";
import { groupSum, ofAddress } from "../subjects.ts";
import { readTokens, type StxBalance, stxBalance, type Tokens, tokenBalances } from "./source.ts";

const asset = "identifier of the asset";
const ofStx = (fields: string) => `${fields} of GET /extended/v3/principals/{principal}/balances/stx, polled`;

const families = {
  balance: ofAddress.gauge({
    name: "stacks_address_balance_microstx",
    help: "STX of the address, available and locked. In microSTX.",
    source: ofStx("balance"),
  }),
  available: ofAddress.gauge({
    name: "stacks_address_available_balance_microstx",
    help: "STX that the address can send: its balance without locked STX, but with those in bonds. In microSTX.",
    source: ofStx("available"),
  }),
  unlockHeight: ofAddress.gauge({
    name: "stacks_address_unlock_burn_block_height",
    help: "Burn block height at which the locked STX unlock. Absent while none are locked.",
    source: ofStx("locked.burn_unlock_height"),
  }),
  mempool: ofAddress.gauge({
    name: "stacks_address_mempool_microstx",
    help: "STX in waiting transactions: transfers to the address (in), transfers and fees of those that it sends or sponsors (out): a sponsored fee counts for both accounts. In microSTX.",
    source: ofStx("mempool.inbound, mempool.outbound"),
    labels: { direction: { about: "direction from the point of view of the address", values: ["in", "out"] } },
  }),
  tokenBalance: ofAddress.gauge({
    name: "stacks_address_ft_balance_units",
    help: "Balance of a fungible token, in base units. Only tokens in assets of the network, and sBTC on mainnet.",
    source: "results of GET /extended/v3/principals/{principal}/balances/ft, polled",
    labels: { asset },
  }),
};
const sums = [groupSum(families.balance)];

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
  timeout: "4m", // as of `addresses`
  priority: 5,
  operations: [stxBalance, tokenBalances],
  families: [...Object.values(families), ...sums.map(({ as }) => as)],
  sums,
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

  *samples({ stx, tokens }, network, { watched: { name, principal }, assets }): Iterable<Sample> {
    const labels = { network, name, address: principal };
    yield families.balance.at(labels, stx.balance);
    yield families.available.at(labels, stx.available ?? stx.balance);
    if (stx.locked !== null) yield families.unlockHeight.at(labels, stx.locked.burn_unlock_height);
    yield families.mempool.at({ ...labels, direction: "in" }, stx.mempool?.inbound ?? 0n);
    yield families.mempool.at({ ...labels, direction: "out" }, stx.mempool?.outbound ?? 0n);
    for (const [asset, units] of Object.entries(tokens))
      if (assets.includes(asset)) yield families.tokenBalance.at({ ...labels, asset }, units);
  },
} satisfies Collector<Observation, z.infer<typeof options>, BalanceTarget>;

/** Whether the tokens are known. The configuration can have more of them than the last poll has read. */
const isEnough = ({ polls, assets: read, isTokenReadDue }: Observation, assets: readonly string[]): boolean =>
  !isTokenReadDue && polls + 1 < REREAD_POLLS && assets.every((asset) => read.includes(asset));
