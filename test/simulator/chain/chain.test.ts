// Time, seeds, blocks, indexes and totals of the chain.
import { describe, expect, test } from "@jest/globals";
import type { Chain } from "../../../simulator/chain/chain.ts";
import { canonicalTransactions, countPrints } from "../../../simulator/chain/expected-totals.ts";
import { mempoolStatistics } from "../../../simulator/chain/mempool-statistics.ts";
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
