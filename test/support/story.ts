// Property tests of counting: fast-check generates a story of a chain and its servers, the collectors count, and the
// expected totals are computed from the blocks.
import fc from "fast-check";
import { addresses as addressCollector } from "../../src/collectors/addresses/addresses.ts";
import type { AddressTotals } from "../../src/collectors/addresses/totals.ts";
import { blocks as blockCollector } from "../../src/collectors/blocks/blocks.ts";
import type { Chain } from "../../src/collectors/chain/chain.ts";
import type { AnyCollector } from "../../src/collectors/collector.ts";
import { contractCalls as callCollector } from "../../src/collectors/contract-calls/contract-calls.ts";
import type { Observation as CallObservation } from "../../src/collectors/contract-calls/state.ts";
import { contracts as contractCollector } from "../../src/collectors/contracts/contracts.ts";
import { keyOf } from "../../src/collectors/counters.ts";
import type { Observation as ChainObservation } from "../../src/collectors/transactions/state.ts";
import { transactions as chainCollector } from "../../src/collectors/transactions/transactions.ts";
import { cannedApi } from "./canned-api.ts";
import { CONTRACT, ModelWorld, PRINCIPAL, type Server } from "./model-world.ts";
import { observe } from "./observe.ts";
import { restarted } from "./plain-data.ts";
import { expectedSeries, printRules } from "./prints.ts";

export const CONFIRMATIONS = 3;
const anyCollector = (collector: unknown) => collector as AnyCollector;
const [addresses, blocks, contracts] = [addressCollector, blockCollector, contractCollector].map(anyCollector) as [
  AnyCollector,
  AnyCollector,
  AnyCollector,
];
const [calls, transactions] = [callCollector, chainCollector].map(anyCollector) as [AnyCollector, AnyCollector];

export type Step =
  | { readonly kind: "mine"; readonly sizes: readonly number[] }
  | { readonly kind: "reorg"; readonly depth: number; readonly keep: readonly boolean[] }
  | { readonly kind: "serve"; readonly server: Server; readonly polls: number }
  | { readonly kind: "fail"; readonly after: number }
  | { readonly kind: "shift"; readonly sizes: readonly number[] }
  | { readonly kind: "gone" }
  | { readonly kind: "restart" };

export interface Story {
  readonly first: readonly number[];
  readonly steps: readonly Step[];
  readonly pages: number;
  readonly backfill: "none" | "all";
  readonly tip: "extended" | "probe";
}

const sizes = fc.array(
  fc.oneof({ weight: 8, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.integer({ min: 20, max: 130 }) }),
  { minLength: 1, maxLength: 8 },
);
const changes = fc.integer({ min: 1, max: 40 });
const server = fc.oneof<fc.Arbitrary<Server>[]>(
  fc.record({ kind: fc.constant("lag" as const), changes }),
  fc.record({ kind: fc.constant("flip" as const), changes }),
  fc.record({ kind: fc.constant("resync" as const), blocks: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ kind: fc.constant("high" as const), by: fc.constantFrom(1, 30, 1_000, 2 ** 52) }),
  fc.constant({ kind: "empty" as const }),
);

/** Stories with reorganisations of at most this depth. */
export const stories = (depth: number, withGone: boolean): fc.Arbitrary<Story> =>
  fc.record({
    first: fc.array(fc.nat(3), { minLength: 6, maxLength: 30 }),
    steps: fc.array(
      fc.oneof<fc.Arbitrary<Step>[]>(
        fc.record({ kind: fc.constant("mine" as const), sizes }),
        fc.record({ kind: fc.constant("mine" as const), sizes }),
        fc.record({
          kind: fc.constant("reorg" as const),
          depth: fc.integer({ min: 1, max: depth }),
          keep: fc.array(fc.boolean(), { maxLength: 5 }),
        }),
        fc.record({ kind: fc.constant("serve" as const), server, polls: fc.integer({ min: 1, max: 4 }) }),
        fc.record({ kind: fc.constant("fail" as const), after: fc.nat(4) }),
        fc.record({ kind: fc.constant("shift" as const), sizes }),
        fc.constant({ kind: "restart" as const }),
        ...(withGone ? [fc.constant({ kind: "gone" as const })] : []),
      ),
      { minLength: 1, maxLength: 14 },
    ),
    pages: fc.integer({ min: 2, max: 6 }),
    backfill: fc.constantFrom("none" as const, "none" as const, "all" as const),
    tip: fc.constantFrom("extended" as const, "extended" as const, "probe" as const),
  });

const WATCHED = { name: "p", group: "", labels: {}, rules: printRules };

const DEPRECATED = [
  "address_transactions",
  "transactions_with_transfers",
  "address_transaction_events",
  "contract_events",
  "block_by_height",
  "block_by_hash",
];

interface Observations {
  readonly blocks?: { readonly chain?: Chain };
  readonly addresses?: {
    readonly totals: AddressTotals;
    readonly floor: { readonly height: number };
    readonly facts: { readonly backlog: number };
  };
  readonly contracts?: {
    readonly totals: { readonly events: object; readonly reverted: number; readonly restored: number };
  };
  readonly transactions?: ChainObservation;
  readonly contract_calls?: CallObservation;
}

/** The result of a story. */
export interface StoryResult {
  readonly world: ModelWorld;
  readonly observations: Observations;
  /** Lowest height from which transactions count. */
  readonly from: number;
  /** Transactions that were listed at the first poll. */
  readonly before: ReadonlySet<string>;
  /** Those of them that are too old to be counted. A deep fork can move them to heights that count. */
  readonly below: ReadonlySet<string>;
  /** As `from` and `below`, of the transactions of the chain. */
  readonly chainFrom: number;
  readonly chainBelow: ReadonlySet<string>;
  /** As `from` and `below`, of the calls of the contract. */
  readonly callFrom: number;
  readonly callBelow: ReadonlySet<string>;
  readonly reasons: ReadonlyMap<string, number>;
  /** Tip at the first poll. */
  readonly firstTip: number;
}

/** Runs a story. At its end, a server without lag responds until everything is counted. */
export async function runStory({ first, steps, pages, backfill, tip }: Story): Promise<StoryResult> {
  const world = new ModelWorld();
  world.mine(first);
  const api = cannedApi(world.respond, () => world.now);
  const observations: Record<string, unknown> = {};
  const reasons = new Map<string, number>();
  const observeOne = async (collector: AnyCollector, options: object, key = "") => {
    const chain = observations.blocks === undefined ? undefined : blocks.chainView?.(observations.blocks);
    const confirmations = CONFIRMATIONS;
    const target = { key, watched: { ...WATCHED, principal: key }, confirmations };
    try {
      const input = { options, now: world.now, target, chain, isFollowed: true };
      observations[collector.name] = await observe(collector, api, observations[collector.name], input);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "ApiError") throw error;
      const { reason } = error as Error & { readonly reason: string };
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
  };
  const poll = async () => {
    world.now += 30_000;
    await observeOne(blocks, { tip });
    if ((observations as Observations).blocks?.chain === undefined) return;
    world.now += 30_000;
    await observeOne(addresses, { backfill, pages }, PRINCIPAL);
    await observeOne(contracts, { pages }, CONTRACT);
    await observeOne(transactions, { pages });
    await observeOne(calls, { pages }, CONTRACT);
  };
  // Probing finds the tip in two polls.
  for (let polls = 0; polls < 3 && (observations as Observations).blocks?.chain === undefined; polls += 1) await poll();
  const from = backfill === "all" ? 0 : (observations as Observations).addresses?.floor.height;
  const chainFrom = (observations as Observations).transactions?.floor.height;
  const callFrom = (observations as Observations).contract_calls?.floor.height;
  const firstTip = (observations as Observations).blocks?.chain?.recent.at(-1)?.height;
  if (from === undefined || chainFrom === undefined || callFrom === undefined || firstTip === undefined)
    throw new Error("the first polls failed");
  const before = new Set(world.between(0, world.tip).map(({ id }) => id));
  const below = new Set(world.between(0, from - 1).map(({ id }) => id));
  const chainBelow = new Set(world.between(0, chainFrom - 1).map(({ id }) => id));
  const callBelow = new Set(world.between(0, callFrom - 1).map(({ id }) => id));
  for (const step of steps) {
    let polls = 1;
    if (step.kind === "mine") world.mine(step.sizes);
    else if (step.kind === "reorg") world.reorg(step.depth, step.keep);
    else if (step.kind === "gone") for (const operation of DEPRECATED) world.status.set(operation, 410);
    else if (step.kind === "restart")
      for (const [name, value] of Object.entries(observations)) observations[name] = restarted(value);
    else if (step.kind === "serve") {
      world.serve(step.server);
      polls = step.polls;
    } else if (step.kind === "shift") {
      let isDone = false;
      world.afterResponse = () => {
        if (!isDone) world.mine(step.sizes);
        isDone = true;
      };
    } else {
      const end = world.responses + step.after;
      world.afterResponse = () => {
        if (world.responses >= end) world.status.set("*", 500);
      };
      if (step.after === 0) world.status.set("*", 500);
    }
    for (; polls > 0; polls -= 1) await poll();
    world.afterResponse = () => undefined;
    world.status.delete("*");
  }
  world.serve({ kind: "fresh" });
  // Everything gets its confirmations.
  world.mine(new Array(CONFIRMATIONS + 12).fill(0));
  for (let polls = 0; polls < 80; polls += 1) {
    world.mine([0, 0]);
    await poll();
    const { transactions: ofChain, contract_calls: ofCalls } = observations as Observations;
    const isRead = ofChain?.feed.open === undefined && ofCalls?.feed.open === undefined;
    if (polls >= 8 && isRead && (observations as Observations).addresses?.facts.backlog === 0) break;
  }
  return { world, observations, from, before, below, chainFrom, chainBelow, callFrom, callBelow, reasons, firstTip };
}

/** Number of events that the contract has printed since the first poll. */
export const printsOf = ({ world, before }: StoryResult): number =>
  world.between(0, world.tip).reduce((sum, { id, prints }) => sum + (before.has(id) ? 0 : prints), 0);

/** Expected metrics of the event rules for the prints since the first poll. */
export const expectedRules = ({ world, before }: StoryResult): ReadonlyMap<string, string> =>
  expectedSeries(world.between(0, world.tip).filter(({ id }) => !before.has(id)));

/** Metrics of the event rules: values by series. */
export function countedRules({ observations }: StoryResult): ReadonlyMap<string, string> {
  const target = { key: CONTRACT, watched: { ...WATCHED, principal: CONTRACT } };
  const series = new Map<string, string>();
  for (const { family, labels, value } of contracts.samples(observations.contracts, "n", target)) {
    const { metric, reason, pool } = labels;
    if (family.name === "stacks_contract_rule_errors_total" && reason === "missing") {
      series.set(`errors ${metric}`, String(value));
    }
    if (!printRules.some((rule) => rule.family === family)) continue;
    if (typeof value === "object") {
      const [least = 0, middle = 0] = value.counts;
      series.set(`${family} count`, String(sumOf(value.counts)));
      series.set(`${family} sum`, String(value.sum));
      series.set(`${family} small`, String(least + middle));
    } else series.set(pool === undefined ? family.name : `${family} ${pool}`, String(value));
  }
  return series;
}

const sumOf = (values: Iterable<number>) => [...values].reduce((sum, value) => sum + value, 0);

/** Expected totals of the address. */
export function expectedOf({ world, from }: StoryResult) {
  const transactions: Record<string, number> = {};
  let [sent, received, fees, ft, stx] = [0n, 0n, 0n, 0n, 0];
  for (const tx of world.between(from, world.tip)) {
    const key = [tx.type, tx.status, tx.isSender ? "sent" : "received"].join("\t");
    transactions[key] = (transactions[key] ?? 0) + 1;
    if (tx.isSender) {
      sent += tx.amount + tx.fee;
      fees += tx.fee;
    } else received += tx.amount;
    ft += tx.ft;
    stx += tx.amount > 0n ? 1 : 0;
  }
  return { transactions, sent, received, fees, ft, stx };
}

/** Counted totals of the address. */
export function countedOf({ observations }: StoryResult) {
  const totals = observations.addresses?.totals as AddressTotals;
  const amounts = (sums: Readonly<Record<string, bigint>>) =>
    Object.values(sums).reduce((sum, value) => sum + value, 0n);
  return {
    transactions: totals.transactions,
    sent: totals.sent,
    received: totals.received,
    fees: amounts(totals.fees),
    ft: amounts(totals.ftAmounts),
    stx: sumOf(Object.values(totals.stxTransfers)),
  };
}

/** Number of counted transactions, without those that are reverted. */
export function netOf({ observations }: StoryResult): number {
  if (observations.addresses === undefined) throw new Error("there is no observation of the address");
  const { transactions, reverted, restored } = observations.addresses.totals;
  return sumOf(Object.values(transactions)) - reverted + restored;
}

/** Number of counted events of the contract, and of those without the reverted ones. */
export function eventsOf({ observations }: StoryResult): {
  readonly counted: number;
  readonly net: number;
  readonly reverted: number;
} {
  if (observations.contracts === undefined) throw new Error("there is no observation of the contract");
  const { events, reverted, restored } = observations.contracts.totals;
  const counted = sumOf(Object.values(events));
  return { counted, net: counted - reverted + restored, reverted };
}

/** Expected totals of the chain: transactions by type and status, and the sum of their fees. */
export function expectedOfChain({ world, chainFrom }: StoryResult) {
  const transactions: Record<string, number> = {};
  let fees = 0n;
  for (const { type, status, fee } of world.between(chainFrom, world.tip)) {
    const key = keyOf(type, status);
    transactions[key] = (transactions[key] ?? 0) + 1;
    fees += fee;
  }
  return { transactions, fees };
}

/** Counted totals of the chain. */
export function countedOfChain({ observations }: StoryResult) {
  const { totals } = observations.transactions as ChainObservation;
  const transactions = Object.fromEntries(Object.entries(totals.transactions).filter(([, count]) => count > 0));
  return { transactions, fees: Object.values(totals.fees).reduce((sum, fees) => sum + fees.sum, 0n) };
}

/** Number of counted transactions of the chain, without those that are reverted. */
export function netOfChain({ observations }: StoryResult): number {
  const { transactions, reverted, restored } = (observations.transactions as ChainObservation).totals;
  return sumOf(Object.values(transactions)) - reverted + restored;
}

/** The calls of the contract from one height, oldest first. */
export const callsFrom = (world: ModelWorld, from: number) =>
  world.between(from, world.tip).filter(({ call }) => call?.contract === CONTRACT);

/** Expected totals of the calls of the contract. */
export function expectedCalls({ world, callFrom }: StoryResult) {
  const calls: Record<string, number> = {};
  const errors: Record<string, number> = {};
  let fees = 0n;
  for (const { call, status, fee } of callsFrom(world, callFrom)) {
    const name = call?.function ?? "";
    const key = keyOf(name, status);
    calls[key] = (calls[key] ?? 0) + 1;
    fees += fee;
    const error = /u\d+/.exec(call?.result ?? "")?.[0];
    if (error !== undefined) errors[keyOf(name, error)] = (errors[keyOf(name, error)] ?? 0) + 1;
  }
  return { calls, errors, fees };
}

const withoutZeros = (counts: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

/** Counted totals of the calls of the contract. */
export function countedCalls({ observations }: StoryResult) {
  const { calls, errors, fees } = (observations.contract_calls as CallObservation).totals;
  return { calls: withoutZeros(calls), errors: withoutZeros(errors), fees };
}

/** Number of counted calls of the contract, without those that are reverted. */
export function netOfCalls({ observations }: StoryResult): number {
  const { calls, reverted, restored } = (observations.contract_calls as CallObservation).totals;
  return sumOf(Object.values(calls)) - reverted + restored;
}
