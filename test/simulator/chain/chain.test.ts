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

describe("a mint rush", () => {
  const causesOf = (chain: Chain) =>
    chain.ledger.blocks.flatMap(({ time, txs }) =>
      txs.flatMap(({ payload }) =>
        payload.type === "tenure_change" && time > START ? [{ time, cause: payload.cause }] : [],
      ),
    );

  test.each([600, 144, 36])("has budgets that are renewed after %d s, reads first, and tenures", (renewal) => {
    const chain = testChain({ renewal });
    chain.begin("spike");
    chain.advanceTo(START + 1800);
    const changes = causesOf(chain);

    expect(changes.map(({ cause }) => cause)).toEqual(
      expect.arrayContaining(["block_found", "extended_read_length", ...(renewal < 600 ? ["extended"] : [])]),
    );
    for (const [index, { time, cause }] of changes.entries()) {
      if (cause !== "block_found") expect(time - (changes[index - 1]?.time ?? 0)).toBeGreaterThanOrEqual(renewal);
    }
  });

  test("keeps calls waiting, and transfers only behind a transaction of their sender", () => {
    const chain = testChain();
    chain.begin("spike");
    chain.advanceTo(START + 600);
    const ready = [...chain.mempool.values()].filter(({ readyAt }) => readyAt < START + 580);
    const next = ready.filter(({ sender, nonce }) => nonce === chain.ledger.nonceOf(sender));

    expect(next.filter(({ type }) => type === "contract_call").length).toBeGreaterThan(500);
    expect(next.filter(({ type }) => type === "token_transfer")).toEqual([]);
  });
});

test("the slow hours before the history have a block every half an hour", () => {
  const { ledger } = testChain({ history: 20, slowHours: 60 });
  const times = ledger.blocks.map(({ time }) => time);

  expect(times).toHaveLength(140);
  expect((times[1] as number) - (times[0] as number)).toBe(1800);
  expect(times.at(-1)).toBe(START);
});
