// Time, seeds, blocks, indexes and totals of the chain.
import { describe, expect, test } from "@jest/globals";
import type { Chain } from "../../../simulator/chain/chain.ts";
import { add, fits, NOTHING } from "../../../simulator/chain/cost.ts";
import { canonicalTransactions, countPrints } from "../../../simulator/chain/expected-totals.ts";
import { mempoolStatistics } from "../../../simulator/chain/mempool-statistics.ts";
import { BLOCK_LIMIT } from "../../../simulator/chain/tenure.ts";
import { START, testChain } from "../support.ts";

const print = (chain: Chain) => ({
  hashes: chain.ledger.blocks.map(({ hash }) => hash),
  ids: [...canonicalTransactions(chain)].map(({ tx }) => tx.id),
  fees: mempoolStatistics(chain),
  mark: chain.mempool.mark,
});

describe("determinism", () => {
  test("the same seed and times give the same chain", () => {
    const run = (seed: string) => {
      const chain = testChain({ seed });
      chain.begin("spike", { seconds: 300 });
      chain.advanceTo(START + 600);
      chain.reorg(2);
      chain.advanceTo(START + 900);
      return print(chain);
    };

    expect(run("a")).toEqual(run("a"));
    expect(run("a").hashes).not.toEqual(run("b").hashes);
  });

  test("many small steps give the same chain as one big step", () => {
    const one = testChain();
    const other = testChain();

    one.advanceTo(START + 500);
    for (let at = 0; at <= 500; at += 0.5) other.advanceTo(START + at);

    expect(print(one)).toEqual(print(other));
  });

  test("a time in the past does nothing", () => {
    const chain = testChain();
    const before = print(chain);

    chain.advanceTo(START - 100);

    expect(print(chain)).toEqual(before);
  });
});

describe("blocks", () => {
  const chain = testChain({ history: 200 });
  chain.advanceTo(START + 3600);
  const { blocks } = chain.ledger;

  test("the history has the given number of blocks, the newest at the start time", () => {
    expect(testChain({ history: 37 }).ledger.tip).toMatchObject({ height: 37, time: START });
    expect(testChain({ history: 0 }).ledger.tip).toBeUndefined();
  });

  test("are mined about every ten seconds, burn blocks about every ten minutes", () => {
    const seconds = START + 3600 - (blocks[0]?.time ?? 0);

    expect(seconds / blocks.length).toBeCloseTo(10, -0.5);
    expect(new Set(blocks.map(({ burn }) => burn.height)).size).toBeGreaterThan(4);
  });

  test("are linked, and start with a tenure change and a coinbase if the burn block is new", () => {
    for (const [at, block] of blocks.entries()) {
      const parent = blocks[at - 1];
      if (parent === undefined) continue;
      expect(block).toMatchObject({ parentHash: parent.hash, height: parent.height + 1 });
      if (block.burn.hash === parent.burn.hash) continue;
      expect(block.txs.slice(0, 2).map(({ type }) => type)).toEqual(["tenure_change", "coinbase"]);
      expect(block.tenureHeight).toBe(parent.tenureHeight + 1);
    }
  });

  test("cost the sum of their transactions, within the limit of a block", () => {
    for (const { txs, cost } of blocks) {
      expect(cost).toEqual(txs.reduce((sum, tx) => add(sum, tx.cost), NOTHING));
      expect(fits(cost, BLOCK_LIMIT)).toBe(true);
    }
  });

  test("each sender's nonces increase without gaps", () => {
    const next = new Map<string, number>();
    for (const { tx } of canonicalTransactions(chain)) {
      expect(tx.nonce).toBe(next.get(tx.sender) ?? 0);
      next.set(tx.sender, tx.nonce + 1);
    }
  });

  test("every kind of transaction, outcome and event occurs", () => {
    const all = [...canonicalTransactions(chain)].map(({ tx }) => tx);
    const kinds = new Set(
      all.flatMap(({ events }) => events.map((event) => event.kind + ("movement" in event ? event.movement : ""))),
    );

    expect([...new Set(all.map(({ type }) => type))]).toEqual(
      expect.arrayContaining(["token_transfer", "contract_call", "smart_contract", "coinbase", "tenure_change"]),
    );
    expect(new Set(all.map(({ status }) => status)).size).toBe(3);
    expect([...kinds].sort()).toEqual([
      "ftburn",
      "ftmint",
      "fttransfer",
      "nftburn",
      "nftmint",
      "nfttransfer",
      "print",
      "stxburn",
      "stxmint",
      "stxtransfer",
    ]);
    expect(all.some(({ sponsor }) => sponsor !== null)).toBe(true);
    expect(
      all.some(({ events }) => events.some((event) => event.kind === "ft" && event.amount === 2n ** 128n - 1n)),
    ).toBe(true);
  });
});

test("the indexes agree with the blocks", () => {
  const chain = testChain({ history: 200 });
  chain.reorg(3);
  const { logger } = chain.accounts.contracts;
  const mined = [...canonicalTransactions(chain)].map(({ tx }) => tx);

  for (const user of chain.accounts.users) {
    const listed = chain.ledger.principals.of(user).entries.map(({ tx }) => tx);
    expect(listed.filter(({ sender }) => sender === user)).toEqual(mined.filter(({ sender }) => sender === user));
  }
  expect(chain.ledger.transactions.entries.map(({ tx }) => tx)).toEqual(mined);
  expect(countPrints(chain, logger)).toBe(chain.ledger.prints.of(logger).total);
});

test("old blocks are dropped, totals still include them", () => {
  const full = testChain({ history: 120 });
  const short = testChain({ history: 120, keepBlocks: 40 });
  const user = full.accounts.users[0] ?? "";

  expect(short.ledger.blocks).toHaveLength(40);
  expect(short.ledger.tip?.hash).toBe(full.ledger.tip?.hash);
  expect(short.ledger.atHeight(80)).toBeUndefined();
  expect(short.ledger.atHeight(81)?.hash).toBe(full.ledger.atHeight(81)?.hash);
  expect(short.ledger.transactions.entries).toHaveLength([...canonicalTransactions(short)].length);
  expect(short.ledger.transactions.total).toBe(full.ledger.transactions.total);
  expect(short.ledger.principals.of(user).total).toBe(full.ledger.principals.of(user).total);
});
