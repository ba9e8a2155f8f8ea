import { expect, test } from "@jest/globals";
import type { ChainView } from "../../../src/collectors/chain/chain-view.ts";
import type { Listed } from "../../../src/collectors/mempool-transactions/listed.ts";
import { waitingViewOf } from "../../../src/collectors/mempool-transactions/waiting-view.ts";
import type { MinedTransaction } from "../../../src/collectors/transactions/mined-view.ts";
import { type Facts, resolved } from "../../../src/collectors/waiting/resolve.ts";
import { isWaiting, type Known, NOTHING, type Observation } from "../../../src/collectors/waiting/state.ts";
import { chainOf } from "../../support/known-chain.ts";

const WALLET = "SP2EE91RRJWEH74FPB4132P0A3C3NG1XBBTBQ6Q3Z";
const NOW = 1_795_301_800_000;

const one = (id: string, nonce: number, more: Partial<Known> = {}): Known => ({
  id,
  type: "token_transfer",
  direction: "out",
  fee: 3000,
  sender: WALLET,
  nonce,
  receivedAt: 1_795_301_000,
  ...more,
});
const mined = (id: string, nonce: number, hash = "0x7"): MinedTransaction => ({
  ...one(id, nonce),
  at: 1_795_301_100,
  height: 7,
  hash,
  parties: [WALLET],
});
const listed = (id: string, nonce: number, fee = 3000): Listed => ({
  id,
  type: "token_transfer",
  fee,
  sender: WALLET,
  nonce,
  receiver: undefined,
  receivedAt: 1_795_301_000,
  minedAt: undefined,
});

function after(
  before: Partial<Observation>,
  {
    rows = [],
    waiting = [],
    chain,
    now = NOW,
  }: { rows?: MinedTransaction[]; waiting?: Listed[]; chain?: ChainView; now?: number },
): Observation {
  const facts: Facts = {
    principal: WALLET,
    confirmations: 3,
    waiting: waitingViewOf(waiting, now),
    mined: { rows, readAt: now },
    chain,
    now,
  };
  return resolved({ ...NOTHING, ...before }, facts);
}
const idsOf = ({ known }: Observation) => known.filter(isWaiting).map(({ id }) => id);
const removedOf = ({ removed }: Observation) =>
  Object.fromEntries(Object.entries(removed).map(([key, count]) => [key.replace("\t", " "), count]));

test("a mined transaction waits again when its block is replaced, until its block is confirmed", () => {
  const minedOnce = after({ known: [one("a", 5)] }, { rows: [mined("a", 5)] });
  expect([idsOf(minedOnce), minedOnce.known.length]).toEqual([[], 1]);
  const replaced = after(minedOnce, { chain: chainOf(8, [[7, { hash: "0xother" }]]) });
  expect(idsOf(replaced)).toEqual(["a"]);
  const again = after(replaced, { rows: [mined("a", 5, "0xother")], chain: chainOf(8, [[7, { hash: "0xother" }]]) });
  expect([idsOf(again), again.known.length]).toEqual([[], 1]);
  const confirmed = after(again, { chain: chainOf(9, [[7, { hash: "0xother" }]]) });
  expect([confirmed.known, confirmed.ended.a?.as, confirmed.removed]).toEqual([[], "mined", {}]);
  // The view can list it as waiting for longer.
  expect(after(confirmed, { waiting: [listed("a", 5)] }).known).toEqual([]);
});

test("a nonce that another transaction has used replaces the one that waits", () => {
  const observation = after({ known: [one("a", 5), one("b", 6)] }, { rows: [mined("x", 5)] });
  expect([idsOf(observation), removedOf(observation)]).toEqual([["b"], { "out replaced": 1 }]);
});

test.each([
  ["the higher fee", [listed("b", 5, 4000)], ["b"]],
  ["the one that is known, if the other has a lower fee", [listed("b", 5, 2000)], ["a"]],
])("of two with the same nonce, %s waits", (_, waiting, left) => {
  const first = after({ known: [one("a", 5)] }, { waiting });
  // The order of responses does not matter, and neither does a repetition.
  const second = after(first, { waiting: [listed("a", 5), ...waiting].slice(0, 1) });
  expect([idsOf(second), removedOf(second)]).toEqual([left, { "out replaced": 1 }]);
});

test("a replaced transaction counts for its recipient, who does not receive the other one", () => {
  const known = [one("a", 5, { sender: "SP1", direction: "in" })];
  const waiting = [{ ...listed("b", 5, 9000), sender: "SP1" }];
  expect(removedOf(after({ known }, { waiting }))).toEqual({ "in replaced": 1 });
});

test("ended transactions are dropped: mined ones after hours, removed ones after a week", () => {
  const ended = { m: { at: NOW, as: "mined" }, d: { at: NOW, as: "dropped" } } as const;
  const left = (hours: number) => Object.keys(after({ ended }, { now: NOW + hours * 3_600_000 }).ended);
  expect([left(1), left(3), left(24 * 8)]).toEqual([["m", "d"], ["d"], []]);
});
