// Whatever happens on the way, the counters equal an independent count of the canonical chain at the configured depth.
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import type { AddressTotals } from "../../src/collectors/address-totals.ts";
import { addresses as collector } from "../../src/collectors/addresses.ts";
import type { AnyCollector } from "../../src/collectors/collector.ts";
import { cannedApi } from "../support/canned-api.ts";
import { ModelLedger, type ModelTx, PRINCIPAL } from "../support/model-ledger.ts";
import { observe } from "../support/observe.ts";
import { restarted } from "../support/plain-data.ts";

const addresses = collector as unknown as AnyCollector;
const CONFIRMATIONS = 3;

const target = {
  key: PRINCIPAL,
  watched: { principal: PRINCIPAL, name: "p", group: "", labels: {} },
  confirmations: CONFIRMATIONS,
};

interface Known {
  readonly totals: AddressTotals;
  readonly horizon: { readonly height: number; readonly floor: { readonly height: number } };
  readonly facts: { readonly backlog: number };
}

const sumOf = (values: Iterable<number>) => [...values].reduce((sum, value) => sum + value, 0);

/** The same sums, straight from the chain. */
function expected(txs: readonly ModelTx[]) {
  const transactions: Record<string, number> = {};
  let [sent, received, fees, ft] = [0n, 0n, 0n, 0n];
  for (const tx of txs) {
    const key = [tx.type, tx.status, tx.isSender ? "sent" : "received"].join("\t");
    transactions[key] = (transactions[key] ?? 0) + 1;
    if (tx.isSender) {
      sent += tx.amount + tx.fee;
      fees += tx.fee;
    } else received += tx.amount;
    ft += tx.ft;
  }
  return { transactions, sent, received, fees, ft, stx: txs.filter(({ amount }) => amount > 0n).length };
}

function counted({ totals }: Known) {
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

type Step =
  | { readonly kind: "mine"; readonly sizes: readonly number[] }
  | { readonly kind: "reorg"; readonly depth: number; readonly keep: readonly boolean[] }
  | { readonly kind: "fail"; readonly after: number }
  | { readonly kind: "lag"; readonly blocks: number }
  | { readonly kind: "shift"; readonly sizes: readonly number[] }
  | { readonly kind: "restart" }
  | { readonly kind: "poll" };

const sizes = fc.array(
  fc.oneof({ weight: 6, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.integer({ min: 20, max: 130 }) }),
  {
    minLength: 1,
    maxLength: 8,
  },
);
const keep = fc.array(fc.boolean(), { maxLength: 5 });

const steps = (depth: number) =>
  fc.array(
    fc.oneof<fc.Arbitrary<Step>[]>(
      fc.record({ kind: fc.constant("mine" as const), sizes }),
      fc.record({ kind: fc.constant("reorg" as const), depth: fc.integer({ min: 1, max: depth }), keep }),
      fc.record({ kind: fc.constant("fail" as const), after: fc.nat(4) }),
      fc.record({ kind: fc.constant("lag" as const), blocks: fc.nat(6) }),
      fc.record({ kind: fc.constant("shift" as const), sizes }),
      fc.constant({ kind: "restart" as const }),
      fc.constant({ kind: "poll" as const }),
    ),
    { minLength: 1, maxLength: 14 },
  );

interface Story {
  readonly first: readonly number[];
  readonly steps: readonly Step[];
  readonly backfill: "none" | "all" | number;
  readonly pages: number;
  readonly goneAt?: number;
}

async function live({ first, steps, backfill, pages, goneAt }: Story) {
  const ledger = new ModelLedger();
  ledger.mine(first);
  const api = cannedApi(ledger.answer, () => ledger.now);
  const options = { backfill, pages };
  let observation: unknown;
  const poll = async () => {
    ledger.now += 60_000;
    try {
      observation = await observe(addresses, api, observation, {
        options,
        now: ledger.now,
        target,
        chain: ledger.view,
      });
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "ApiError") throw error;
    }
  };
  await poll();
  const isFirstSight = observation !== undefined;
  const settle = async () => {
    ledger.lag = 0;
    ledger.status.delete("*");
    ledger.afterAnswer = () => undefined;
    for (let polls = 0; polls < 60; polls += 1) {
      await poll();
      if (polls >= 5 && (observation as Known).facts.backlog === 0) break;
    }
  };
  for (const [index, step] of steps.entries()) {
    if (index === goneAt) ledger.status.set("address_transactions", 410).set("transactions_with_transfers", 410);
    if (step.kind === "mine") ledger.mine(step.sizes);
    else if (step.kind === "reorg") ledger.reorg(step.depth, step.keep);
    else if (step.kind === "lag") ledger.lag = step.blocks;
    else if (step.kind === "restart") observation = restarted(observation);
    else if (step.kind === "shift") {
      let isDone = false;
      ledger.afterAnswer = () => {
        if (!isDone) ledger.mine(step.sizes);
        isDone = true;
      };
    } else if (step.kind === "fail") {
      const end = ledger.answers + step.after;
      ledger.afterAnswer = () => {
        if (ledger.answers >= end) ledger.status.set("*", 500);
      };
      if (step.after === 0) ledger.status.set("*", 500);
    }
    await poll();
    ledger.afterAnswer = () => undefined;
    ledger.status.delete("*");
  }
  await settle();
  return { ledger, known: observation as Known, isFirstSight };
}

const from = ({ horizon }: Known) => horizon.floor.height;
const canonical = (ledger: ModelLedger, known: Known) => [
  ...ledger.between(from(known), ledger.tip - CONFIRMATIONS + 1),
];

const SEED = { seed: 20_261_121, numRuns: 320 };

test("counters equal an independent count, with forks above the depth, bursts, outages, lag, shifts and restarts", async () => {
  const stories = fc.record({
    first: sizes,
    steps: steps(CONFIRMATIONS - 1),
    backfill: fc.constant("none" as const),
    pages: fc.integer({ min: 2, max: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(stories, async (story) => {
      const { ledger, known } = await live(story);
      expect(counted(known)).toEqual(expected(canonical(ledger, known)));
      // A server that stays behind for long after a fork looks as if it had dropped something; it comes back.
      expect(sumOf(Object.values(known.totals.reverted)) - known.totals.restored).toBe(0);
      expect(known.totals.gap).toBe(0);
    }),
    SEED,
  );
}, 300_000);

test("with a backfill, also what was there before is counted", async () => {
  const stories = fc.record({
    first: fc.array(fc.nat(60), { minLength: 4, maxLength: 10 }),
    steps: steps(CONFIRMATIONS - 1),
    backfill: fc.constant("all" as const),
    pages: fc.integer({ min: 2, max: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(stories, async (story) => {
      const { ledger, known } = await live(story);
      expect(from(known)).toBe(0);
      expect(counted(known)).toEqual(expected(canonical(ledger, known)));
    }),
    { ...SEED, numRuns: 60 },
  );
}, 300_000);

test("with forks below the depth, what is counted, less what was reverted, plus what was restored, is what is there", async () => {
  const stories = fc.record({
    first: sizes,
    steps: steps(9),
    backfill: fc.constant("none" as const),
    pages: fc.integer({ min: 2, max: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(stories, async (story) => {
      const { ledger, known } = await live(story);
      const { transactions, reverted, restored } = known.totals;
      const net = sumOf(Object.values(transactions)) - sumOf(Object.values(reverted)) + restored;
      expect(net).toBe(canonical(ledger, known).length);
    }),
    SEED,
  );
}, 300_000);

test("when the operations are retired on the way, the counters go on without a jump", async () => {
  const stories = fc.record({
    first: sizes,
    steps: steps(CONFIRMATIONS - 1),
    backfill: fc.constant("none" as const),
    pages: fc.constant(10),
    goneAt: fc.nat(8),
  });
  await fc.assert(
    fc.asyncProperty(stories, async (story) => {
      const { ledger, known } = await live(story);
      const { transactions, sent, received, fees } = counted(known);
      const all = expected(canonical(ledger, known));
      expect({ transactions, sent, received, fees }).toEqual({
        transactions: all.transactions,
        sent: all.sent,
        received: all.received,
        fees: all.fees,
      });
    }),
    { ...SEED, numRuns: 300 },
  );
}, 300_000);
