import { describe, expect, test } from "@jest/globals";
import { ApiError } from "../../../src/api/errors.ts";
import { mempoolTransactions } from "../../../src/collectors/mempool-transactions/mempool-transactions.ts";
import type { MinedView } from "../../../src/collectors/transactions/recent.ts";
import type { MinedTransaction } from "../../../src/collectors/transactions/source.ts";
import { type Canned, cannedApi, captured } from "../../support/canned-api.ts";
import { CollectorRun } from "../../support/collect.ts";
import { expectGolden } from "../../support/golden.ts";
import { chainOf } from "../../support/known-chain.ts";

const START = 1_795_301_703;
const SENDER = "SP2EE91RRJWEH74FPB4132P0A3C3NG1XBBTBQ6Q3Z";

interface Waiting {
  readonly tx_id: string;
  readonly receipt_time: number;
  readonly sender: { readonly address: string; readonly nonce: number };
  readonly [field: string]: unknown;
}

const idOf = (number: number) => `0x${String(number).padStart(64, "0")}`;

/** A waiting transaction, by default the only one of its sender. */
const waiting = (number: number, receipt_time: number, fields: object = {}): Waiting => ({
  tx_id: idOf(number),
  sender: { address: `SP${number}`, nonce: 0 },
  fee_rate: "3000",
  receipt_time,
  type: "token_transfer",
  ...fields,
});

const mined = (number: number, at: number, fields: Partial<MinedTransaction> = {}): MinedTransaction => ({
  id: idOf(number),
  index: 0,
  type: "token_transfer",
  status: "success",
  fee: 3000,
  at,
  called: undefined,
  cause: undefined,
  sender: `SP${number}`,
  nonce: 0,
  height: at,
  hash: `0x${at}`,
  parties: [],
  ...fields,
});

/** A server of the list, which can be changed between and during polls. */
class Server {
  rows: Waiting[] = [];
  etag: string | undefined;
  now = START;
  /** Called before each response. */
  onRequest: (cursor: string | undefined) => void = () => undefined;
  mined: MinedView | undefined;
  readonly #seen = new Set<Waiting>();
  /** Requests that a poll can still send. */
  room = Number.POSITIVE_INFINITY;
  readonly api = Object.assign(
    cannedApi((url) => {
      return this.#page(new URLSearchParams(url.split("?")[1]));
    }),
    { room: () => this.room },
  );
  readonly run = new CollectorRun(mempoolTransactions, this.api);

  /** Polls once, and returns the cursors of the requests. */
  async poll(): Promise<string[]> {
    const before = this.api.requests.length;
    const chain = chainOf(100, [], this.now * 1000);
    await this.run.poll({ now: this.now * 1000, mined: this.mined, chain });
    for (const row of this.rows) this.#seen.add(row);
    return this.api.requests.slice(before).map((url) => new URLSearchParams(url.split("?")[1]).get("cursor") ?? "");
  }

  /** Numbers of the transactions that wait, as other collectors see them, newest receipt first. */
  get listed(): number[] {
    const isListed = ({ tx_id, sender }: Waiting) =>
      this.run.views.waiting?.of(sender.address).some(({ id }) => id === tx_id);
    const listed = [...this.#seen].filter(isListed).sort((a, b) => b.receipt_time - a.receipt_time);
    return listed.map(({ tx_id }) => Number(tx_id.slice(2)));
  }

  get(key: string): number | undefined {
    return this.run.samples.get(key);
  }

  #page(query: URLSearchParams): Canned {
    const cursor = query.get("cursor") ?? undefined;
    this.onRequest(cursor);
    const [time = Number.POSITIVE_INFINITY, id = ""] = cursor?.split(":") ?? [];
    const isWithin = ({ receipt_time, tx_id }: Waiting) =>
      receipt_time < Number(time) || (receipt_time === Number(time) && tx_id <= id);
    const sorted = this.rows
      .filter(isWithin)
      .sort((a, b) => b.receipt_time - a.receipt_time || (a.tx_id < b.tx_id ? 1 : -1));
    const [results, next] = [sorted.slice(0, 50), sorted[50]];
    const etag = this.etag ?? `"${JSON.stringify(this.rows).length}.${this.rows.at(-1)?.tx_id}"`;
    // The total is a running counter of the server, which can be wrong.
    return { json: { total: -1, cursor: { next: next ? `${next.receipt_time}:${next.tx_id}` : null }, results }, etag };
  }
}

/** Transactions that were received one a second, the newest at a time. */
const everySecond = (count: number, newest: number, first = 1) =>
  Array.from({ length: count }, (_, index) => waiting(first + index, newest - count + 1 + index));

/** One mined transaction a second for 15 minutes. */
const steady = (now: number, fee = 3000): MinedView => ({
  rows: Array.from({ length: 900 }, (_, index) => mined(1_000_000 + index, now - index, { fee })),
  readAt: now * 1000,
});

test("samples of captured responses", async () => {
  const page = captured("v3-mempool-transactions.first-page").json as object;
  const list = captured("v3-transactions.limit50").json as { readonly results: readonly MinedItem[] };
  const rows = list.results.map((row) =>
    mined(0, row.block.time, { id: row.tx_id, type: row.type, fee: Number(row.fee_rate), sender: row.sender.address }),
  );

  const run = new CollectorRun(
    mempoolTransactions,
    cannedApi(() => ({ json: { ...page, cursor: { next: null } } })),
    { now: START * 1000, mined: { rows, readAt: START * 1000 }, chain: chainOf(60, [], START * 1000) },
  );
  await run.poll();

  expectGolden("v3-mempool-transactions.first-page", run.samples.page);
});

interface MinedItem {
  readonly tx_id: string;
  readonly type: string;
  readonly fee_rate: string;
  readonly sender: { readonly address: string };
  readonly block: { readonly time: number };
}

describe("the list", () => {
  test("is read for a day at the first poll, then down to what was received a minute before the known ones", async () => {
    const server = new Server();
    server.rows = Array.from({ length: 400 }, (_, index) => waiting(index, START - 480 * index));

    // 180 transactions a day.
    expect(await server.poll()).toHaveLength(4);
    expect(server.listed).toHaveLength(180);

    server.now += 60;
    server.rows.push(...everySecond(30, server.now, 1000));
    expect(await server.poll()).toEqual([""]);
    expect(server.listed).toHaveLength(180 + 30);
  });

  test("is read whole again after a poll with a clock that was a day ahead", async () => {
    const server = new Server();
    server.rows = everySecond(120, START);
    for (const ahead of [0, 90_000, 0]) {
      server.now = START + ahead;
      await server.poll();
    }
    expect(server.listed).toHaveLength(120);
  });

  test("is read in part when more has arrived than half of the budget can read, and rates are of the part", async () => {
    const server = new Server();
    server.room = 4;
    server.rows = everySecond(60, START);
    server.mined = steady(START);
    await server.poll();
    expect(server.get("fee_estimate_microstx token_transfer 10m")).toBe(3000);

    // Two a second arrive and one is mined: they are not balanced, although the list is shorter than what was mined.
    server.now += 300;
    server.rows.push(...everySecond(300, server.now, 1000), ...everySecond(300, server.now, 2000));
    server.mined = steady(server.now, 100_000);
    expect(await server.poll()).toHaveLength(2);

    expect(server.get("fee_estimate_microstx token_transfer 10m")).toBe(100_000);
    expect(server.listed).toHaveLength(160);
  });

  test("is read again down to what a failed request has left unread", async () => {
    const server = new Server();
    server.rows = everySecond(10, START);
    await server.poll();
    server.now += 300;
    server.rows.push(...everySecond(120, server.now, 1000));
    server.onRequest = (cursor) => {
      if (cursor !== undefined) throw new ApiError("rate_limited", "mempool_transactions", "later");
    };
    await server.poll();
    expect(server.listed).toHaveLength(60);

    server.onRequest = () => undefined;
    server.now += 60;
    await server.poll();
    expect(server.listed).toHaveLength(130);
  });

  test("from a server that ignores the cursor is refused", async () => {
    const server = new Server();
    server.rows = everySecond(120, START);
    const api = cannedApi(() => ({
      json: {
        total: 120,
        cursor: { next: `${START - 49}:${idOf(71)}` },
        results: server.rows.toReversed().slice(0, 50),
      },
    }));

    const run = new CollectorRun(mempoolTransactions, api, { now: START * 1000 });
    await run.poll();

    expect(run.failures).toMatchObject([{ reason: "bad_body" }]);
  });

  test("of a server that is behind adds nothing and removes nothing", async () => {
    const server = new Server();
    server.rows = everySecond(100, START);
    await server.poll();
    server.rows = server.rows.slice(0, 40);

    await server.poll();

    expect(server.listed).toHaveLength(100);
  });
});

describe("a transaction", () => {
  test("that was mined no longer waits, until its block is replaced", async () => {
    const server = new Server();
    server.rows = [waiting(1, START - 5), waiting(2, START - 4)];
    await server.poll();
    const older = mined(9, START - 100);
    server.mined = { rows: [mined(1, START + 20), older], readAt: (START + 30) * 1000 };
    server.now += 30;

    await server.poll();
    expect(server.listed).toEqual([2]);

    server.mined = { rows: [older], readAt: (START + 60) * 1000 };
    await server.poll();
    expect(server.listed).toEqual([2, 1]);
  });

  test("that was mined in a gap of the mined transactions does not wait", async () => {
    const server = new Server();
    server.rows = [waiting(1, START - 5), waiting(2, START - 4)];
    server.mined = steady(START);
    await server.poll();
    server.rows = server.rows.slice(1);
    server.now += 1800;
    server.mined = steady(server.now);
    await server.poll();
    expect(server.listed).toEqual([2]);
  });

  test("that was mined does not wait again when the list of mined ones ends in its block", async () => {
    const server = new Server();
    server.rows = [waiting(1, START - 5), waiting(2, START - 4)];
    await server.poll();
    server.rows = [];
    const block = [mined(2, START + 20), mined(1, START + 20)];
    server.mined = { rows: block, readAt: (START + 30) * 1000 };
    await server.poll();
    server.mined = { rows: [mined(9, START + 90), ...block.slice(0, 1)], readAt: (START + 120) * 1000 };
    await server.poll();
    expect(server.listed).toEqual([]);
  });

  test("is replaced by another one with its nonce, also if only that one was listed as mined", async () => {
    const server = new Server();
    const sender = { address: SENDER, nonce: 7 };
    server.rows = [waiting(1, START - 50, { sender }), waiting(3, START - 50)];
    await server.poll();
    server.rows.push(waiting(2, START, { sender }));
    await server.poll();
    expect(server.listed).toEqual([2, 3]);

    server.mined = { rows: [mined(4, START + 5, { sender: SENDER, nonce: 7 })], readAt: START * 1000 };
    await server.poll();
    expect(server.listed).toEqual([3]);
  });

  test("is dropped after a day", async () => {
    const server = new Server();
    server.rows = [waiting(1, START - 86_000)];
    await server.poll();
    server.now += 700;

    await server.poll();

    expect(server.listed).toEqual([]);
  });
});

describe("the estimate", () => {
  test("rises when a rush has been mined for two minutes", async () => {
    const server = new Server();
    server.mined = steady(START);
    await server.poll();
    expect(server.get("fee_estimate_microstx all 10m")).toBe(3000);

    server.now += 60;
    server.rows = [waiting(1001, START - 10)];
    const { rows, readAt } = steady(server.now);
    server.mined = { rows: rows.map((row, index) => ({ ...row, fee: index < 117 ? 80_000 : row.fee })), readAt };
    await server.poll();

    const { samples } = server.run;
    expect(samples.get("fee_estimate_microstx all 10m")).toBe(80_000);
    // Those of ten minutes, and the one that waits.
    expect(server.run.feeEstimate?.types.all?.observations).toBe(600 + 1);
  });

  test("is for a call of typical cost", async () => {
    const server = new Server();
    // A swap costs four times as much as a claim, and pays as much for its cost.
    const call = (index: number, name: string, fee: number) =>
      mined(1_000_000 + index, START - index, { type: "contract_call", fee, calledFunction: `${SENDER}.a::${name}` });
    const rows = Array.from({ length: 300 }, (_, index) =>
      index % 10 === 1 ? call(index, "swap", 4000) : call(index, "claim", 1000),
    );
    const costsOf = (name: string, cost: number) =>
      [`${SENDER}.a::${name}`, [[`${name} 1`, cost] as const, [`${name} 2`, cost] as const]] as const;
    const costs = { readAt: START, byFunction: [costsOf("swap", 4), costsOf("claim", 1)] };
    server.mined = { rows, costs, readAt: START * 1000 };
    await server.poll();

    // As many calls of each are known: a typical one costs 2.5 times as much as a claim. A twelfth is added.
    expect(server.get("fee_estimate_microstx contract_call 10m")).toBe(2700);
  });

  test.each([
    ["without mined transactions", undefined],
    ["while mined transactions are ten minutes old", 600],
  ])("is absent %s", async (_, seconds) => {
    const server = new Server();
    server.rows = everySecond(20, START);
    server.mined = seconds === undefined ? undefined : { ...steady(START), readAt: (START - seconds) * 1000 };

    await server.poll();

    expect(Object.entries(server.run.samples.of(/(?:)/))).toEqual([]);
  });
});
