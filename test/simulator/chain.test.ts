// What the chain promises about time, seeds, order and totals.
import { describe, expect, test } from "@jest/globals";
import type { Chain } from "../../simulator/chain/chain.ts";
import { add, fits, NOTHING } from "../../simulator/chain/cost.ts";
import { canonicalTransactions, countPrints } from "../../simulator/chain/expected-totals.ts";
import { mempoolStatistics } from "../../simulator/chain/mempool-statistics.ts";
import { BLOCK_LIMIT } from "../../simulator/chain/tenure.ts";
import { livingChain } from "./living-chain.ts";
import { START } from "./support.ts";

const print = (chain: Chain) => ({
  hashes: chain.ledger.blocks.map(({ hash }) => hash),
  ids: [...canonicalTransactions(chain)].map(({ tx }) => tx.id),
  fees: mempoolStatistics(chain),
  mark: chain.mempool.mark,
});

describe("determinism", () => {
  test("the same seed and times give the same chain", () => {
    const live = (seed: string) => {
      const chain = livingChain({ seed });
      chain.begin("spike", { seconds: 300 });
      chain.advanceTo(START + 600);
      chain.reorg(2);
      chain.advanceTo(START + 900);
      return print(chain);
    };

    expect(live("a")).toEqual(live("a"));
    expect(live("a").hashes).not.toEqual(live("b").hashes);
  });

  test("many small steps lead where one big step leads", () => {
    const one = livingChain();
    const other = livingChain();

    one.advanceTo(START + 500);
    for (let at = 0; at <= 500; at += 0.5) other.advanceTo(START + at);

    expect(print(one)).toEqual(print(other));
  });

  test("going back in time does nothing", () => {
    const chain = livingChain();
    const before = print(chain);

    chain.advanceTo(START - 100);

    expect(print(chain)).toEqual(before);
  });
});

describe("blocks", () => {
  const chain = livingChain({ history: 200 });
  chain.advanceTo(START + 3600);
  const { blocks } = chain.ledger;

  test("the history has as many blocks as asked, the newest at the start", () => {
    expect(livingChain({ history: 37 }).ledger.tip).toMatchObject({ height: 37, time: START });
    expect(livingChain({ history: 0 }).ledger.tip).toBeUndefined();
  });

  test("come about every ten seconds, a burn block about every ten minutes", () => {
    const seconds = START + 3600 - (blocks[0]?.time ?? 0);

    expect(seconds / blocks.length).toBeCloseTo(10, -0.5);
    expect(new Set(blocks.map(({ burn }) => burn.height)).size).toBeGreaterThan(4);
  });

  test("are linked, and opened by a tenure change and a coinbase where the burn block is new", () => {
    for (const [at, block] of blocks.entries()) {
      const parent = blocks[at - 1];
      if (parent === undefined) continue;
      expect(block).toMatchObject({ parentHash: parent.hash, height: parent.height + 1 });
      if (block.burn.hash === parent.burn.hash) continue;
      expect(block.txs.slice(0, 2).map(({ type }) => type)).toEqual(["tenure_change", "coinbase"]);
      expect(block.tenureHeight).toBe(parent.tenureHeight + 1);
    }
  });

  test("cost what their transactions cost, and no more than a block may", () => {
    for (const { txs, cost } of blocks) {
      expect(cost).toEqual(txs.reduce((sum, tx) => add(sum, tx.cost), NOTHING));
      expect(fits(cost, BLOCK_LIMIT)).toBe(true);
    }
  });

  test("each sender's nonces count up without a gap", () => {
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
  const chain = livingChain({ history: 200 });
  chain.reorg(3);
  const { logger } = chain.accounts.contracts;
  const mined = [...canonicalTransactions(chain)].map(({ tx }) => tx);

  for (const user of chain.accounts.users) {
    const listed = chain.ledger.principals.of(user).entries.map(({ tx }) => tx);
    expect(listed.filter(({ sender }) => sender === user)).toEqual(mined.filter(({ sender }) => sender === user));
  }
  expect(countPrints(chain, logger)).toBe(chain.ledger.prints.of(logger).total);
});

test("old blocks are forgotten, totals are not", () => {
  const full = livingChain({ history: 120 });
  const short = livingChain({ history: 120, keepBlocks: 40 });
  const user = full.accounts.users[0] ?? "";

  expect(short.ledger.blocks).toHaveLength(40);
  expect(short.ledger.tip?.hash).toBe(full.ledger.tip?.hash);
  expect(short.ledger.atHeight(80)).toBeUndefined();
  expect(short.ledger.atHeight(81)?.hash).toBe(full.ledger.atHeight(81)?.hash);
  expect(short.ledger.principals.of(user).total).toBe(full.ledger.principals.of(user).total);
});
