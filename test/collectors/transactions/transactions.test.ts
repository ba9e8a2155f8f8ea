import { describe, expect, test } from "@jest/globals";
import { ApiError } from "../../../src/api/errors.ts";
import { DIMENSIONS } from "../../../src/chain/block-source.ts";
import { transactions } from "../../../src/collectors/transactions/transactions.ts";
import { type Canned, type CannedApi, cannedApi, captured } from "../../support/canned-api.ts";
import { CollectorRun, type Surroundings } from "../../support/collect.ts";
import { expectGolden } from "../../support/golden.ts";
import { chainOf } from "../../support/known-chain.ts";
import { ModelWorld } from "../../support/model-world.ts";

const CONFIRMATIONS = 3;
const targetAt = (confirmations: number) => ({ key: "", confirmations });
const target = targetAt(CONFIRMATIONS);
const COUNTED = "chain_mined_transactions_total";
const SAMPLE = "chain_mined_fee_sample_transactions all";
const BASELINE = "chain_mined_fee_baseline_microstx all p50";

interface Item {
  readonly [field: string]: unknown;
  readonly block: { readonly height: number; readonly hash: string; readonly time: number };
}
const { results: listed } = captured("v3-transactions.limit50").json as {
  readonly results: readonly [Item, ...Item[]];
};
const [template] = listed;
const NEWEST_MS = 1_795_301_663_000;

/** A server of which no costs of calls are requested. */
function serverOf(...server: Parameters<typeof cannedApi>): CannedApi {
  const api = cannedApi(...server);
  api.retired.add("transaction_details");
  return api;
}

/** A transaction that costs as much of a budget as it pays. */
const detailsOf = ({ tx_id, fee_rate }: { readonly tx_id?: string; readonly fee_rate?: string }) => {
  const cost = DIMENSIONS.map((one) => [`execution_cost_${one}`, one === "runtime" ? Number(fee_rate) * 500 : 0]);
  return [tx_id, { result: Object.fromEntries(cost) }] as const;
};

/** Polls of a server that has only these rows. */
function listOf(initial: readonly object[], surroundings: Surroundings) {
  const list = { rows: initial };
  const api = serverOf((url, operation): Canned => {
    if (operation === "transaction_details") return { json: Object.fromEntries(list.rows.map(detailsOf)) };
    const isFirst = !url.includes("cursor");
    return { json: { total: 50, limit: 50, cursor: { next: null }, results: isFirst ? list.rows.slice(0, 50) : [] } };
  });
  return { list, api, run: new CollectorRun(transactions, api, { target, now: NEWEST_MS, ...surroundings }) };
}

/** The chain whose blocks are those of the rows. */
const chainWith = (tipHeight: number, rows: readonly Item[]) =>
  chainOf(tipHeight, new Map(rows.map(({ block }) => [block.height, { hash: block.hash }])));

const empty = (count: number) => new Array<number>(count).fill(0);
const busy = (count: number, size = 4) => new Array<number>(count).fill(size);

/** Polls of a world. */
class Exporter {
  readonly world = new ModelWorld();
  readonly api: CannedApi = serverOf(this.world.respond, () => this.world.now);
  readonly run = new CollectorRun(transactions, this.api, () => ({
    target,
    chain: this.world.view,
    now: this.world.now,
  }));

  /** Polls once, and returns the cursors of the requests. */
  async poll(options: object = {}, api = this.api): Promise<string[]> {
    const before = api.requests.length;
    await this.run.poll({ options, api });
    return api.requests
      .slice(before)
      .map((request) => decodeURIComponent(request).replace(/^.*\?limit=50(&cursor=)?/, ""));
  }

  get(key: string): number | undefined {
    return this.run.samples.get(key);
  }

  /** Number of counted transactions. */
  get counted(): number {
    return this.run.samples.sum(COUNTED);
  }

  /** The confirmed transactions above the first poll of `running`. */
  get expected(): number {
    return this.world.between(30 - CONFIRMATIONS + 2, this.world.tip - CONFIRMATIONS + 1).length;
  }
}

/** An exporter that follows a chain of 30 blocks, and has sampled what there is. */
async function running(): Promise<Exporter> {
  const exporter = new Exporter();
  exporter.world.mine(busy(30));
  await exporter.poll();
  return exporter;
}

test("samples of captured responses", async () => {
  const now = NEWEST_MS + 20_000;
  const block = { ...template.block, height: 1, time: now / 1000 - 660 };
  const rows = [...listed.slice(0, -1), { ...template, tx_id: `0x${"0".repeat(64)}`, block }];
  const { list, run } = listOf(
    rows.filter((row) => row.block.height < 57),
    { now },
  );
  await run.poll({ chain: chainWith(56, listed) });
  list.rows = rows;
  await run.poll({ chain: chainWith(60, listed) });

  expectGolden("v3-transactions.limit50", run.samples.page);
});

test("the calls of ten minutes are absent until an older transaction is known", async () => {
  const { run } = listOf(listed, { now: NEWEST_MS + 20_000, chain: chainWith(60, listed) });
  expect((await run.poll()).sum("chain_recent_contract_calls")).toBe(0);
});

test("an older server without the causes of tenure changes: prices and totals are the same, renewals are unknown", async () => {
  const pageOf = async (rows: readonly Item[]) => {
    const { list, run } = listOf(
      rows.filter(({ block }) => block.height < 57),
      { now: NEWEST_MS + 20_000 },
    );
    await run.poll({ chain: chainWith(56, listed) });
    list.rows = rows;
    await run.poll({ chain: chainWith(60, listed) });
    return run;
  };
  const [newer, older] = [await pageOf(listed), await pageOf(listed.map(({ tenure_change: _, ...row }) => row))];

  expect(newer.samples.sum("chain_tenure_changes_total")).toBeGreaterThan(0);
  expect(older.samples.sum("chain_tenure_changes_total")).toBe(0);
  const others = /^(?!chain_tenure_changes_total)/;
  expect(older.samples.of(others)).toEqual(newer.samples.of(others));
});

describe("counting", () => {
  test("nothing counts before a collector follows the chain", async () => {
    const { list, run } = listOf(listed.slice(10), { target: targetAt(2) });
    await run.poll();
    list.rows = listed;

    expect((await run.poll()).sum(COUNTED)).toBe(0);
    expect(run.failures).toEqual([]);
    expect((await run.poll({ chain: chainWith(60, listed) })).sum(COUNTED)).toBeGreaterThan(0);
    expect(run.hints.moved.length).toBeGreaterThan(0);
  });

  /** Polls before and after a block with these rows. */
  async function mined(rows: readonly object[]) {
    const polled = listOf([], { target: targetAt(1) });
    await polled.run.poll({ chain: chainOf(60) });
    polled.list.rows = rows.map((row, n) => {
      const block = { ...template.block, height: 61, hash: "0xhash61", tx_index: rows.length - n };
      return { ...template, tx_id: `0x${n}`, block, ...row };
    });
    return { ...polled, samples: await polled.run.poll({ chain: chainOf(61, [[61, {}]]) }) };
  }

  test("rows that share a position fail the poll: only one of them would count", async () => {
    const block = { ...template.block, height: 61, hash: "0xhash61", tx_index: 0 };

    const { run, samples } = await mined([{ block }, { block }]);

    expect(run.failures).toMatchObject([{ reason: "bad_body" }]);
    expect(samples.sum(COUNTED)).toBe(0);
  });

  test("a fee that is not a whole number is left out of the fees, and the transaction counts", async () => {
    const fees = ["12.5", "-3", -1, null, undefined, "1e3", "9".repeat(30), {}, "200"];
    const { samples, api } = await mined(fees.map((fee_rate) => ({ fee_rate })));

    expect(samples.get(`${COUNTED} token_transfer success`)).toBe(fees.length);
    expect(samples.get(SAMPLE)).toBe(1);
    expect(api.drift).toHaveLength(fees.length - 1);
    expect(new Set(api.drift.map((drift) => drift.split(" ")[1]))).toEqual(new Set(["fee_rate"]));
  });

  test("unknown types and statuses become label values, up to a limit, and other beyond it", async () => {
    const types = [...Array.from({ length: 12 }, (_, n) => `type_${n}`), "Not A Type", "x".repeat(100_000)];
    const { samples, run } = await mined(types.map((type) => ({ type, status: `${type}_status` })));

    expect(samples.get(`${COUNTED} type_11 type_11_status`)).toBe(1);
    expect(samples.get(`${COUNTED} other other`)).toBe(6);
    expect(samples.sum(COUNTED)).toBe(types.length);
    for (const text of [samples.page, run.saved]) expect(text).not.toMatch(/xxx|Not A/);
  });
});

describe("the mined transactions of the last minutes", () => {
  const ids = (exporter: Exporter) => exporter.run.views.mined?.rows.map(({ id }) => id);

  test("need no confirmations", async () => {
    const exporter = await running();
    exporter.world.mine([3]);
    await exporter.poll();

    const { world } = exporter;
    const block = world.blocks.at(-1);
    const rows = exporter.run.views.mined?.rows ?? [];
    expect(ids(exporter)?.slice(0, 3)).toEqual(block?.txs.map(({ id }) => id).toReversed());
    expect(rows).toHaveLength(30 * 4 + 3);
    expect(exporter.run.views.mined?.readAt).toBe(world.now);
    const { fee, type, nonce } = block?.txs[2] ?? {};
    expect(rows[0]).toMatchObject({ type, nonce, fee: Number(fee), at: block?.time, height: 31, hash: block?.hash });
    expect(rows[0]?.parties).toContain(rows[0]?.sender);
  });

  test("stay when a server that is behind lists older ones, without a view of the chain", async () => {
    const exporter = await running();
    const before = ids(exporter);
    exporter.world.serve({ kind: "lag", changes: 2 });
    await exporter.run.poll({ chain: undefined });

    expect(exporter.run.failures).toEqual([]);
    expect(ids(exporter)).toEqual(before);
  });

  test("leave after 15 minutes, also while nothing is mined", async () => {
    const exporter = await running();
    const read = ids(exporter);
    exporter.world.now += 10 * 60_000;
    expect(await exporter.poll()).toEqual([""]);
    expect(ids(exporter)).toEqual(read);
    expect(exporter.run.samples.of(/mined_(fee_sample.* all|fee_microstx)/)).toEqual({ [SAMPLE]: 4 });

    exporter.world.now += 86_400_000;
    await exporter.poll();
    expect(exporter.run.views.mined).toMatchObject({ rows: [], readAt: exporter.world.now });
  });

  test("are read for ten minutes at the first poll", async () => {
    const exporter = new Exporter();
    exporter.world.mine(busy(100, 7));
    const requests = await exporter.poll();

    // 60 blocks with seven transactions are nine pages; one more asks how old the chain is.
    expect(requests).toHaveLength(10);
    expect(ids(exporter)).toHaveLength(9 * 50);
    expect(exporter.counted).toBe(0);
    expect(exporter.run.hints.isBehind).toBe(false);
  });

  test.each([
    ["without a valid time", 0],
    ["far ahead of the clock", NEWEST_MS / 1000 + 901],
  ])("%s are left out", async (_, time) => {
    const { run } = listOf(
      listed.map((row) => ({ ...row, block: { ...row.block, time } })),
      {},
    );
    await run.poll();
    expect(run.views.mined?.rows).toEqual([]);
  });
});

test("the lowest fee is that of a call of typical cost, and other collectors know the costs", async () => {
  // A swap costs four times as much as a claim, and pays as much for its cost.
  const calls = Array.from({ length: 30 }, (_, n) => {
    const [fee_rate, function_name] = n % 2 === 0 ? ["1000", "claim"] : ["4000", "swap"];
    const contract_call = { contract_id: "SP2EE91RRJWEH74FPB4132P0A3C3NG1XBBTBQ6Q3Z.dex", function_name };
    const block = { ...template.block, tx_index: 30 - n };
    const sender = { address: `SP${n}`, nonce: 0 };
    return { ...template, tx_id: `0x${n}`, type: "contract_call", fee_rate, contract_call, sender, block };
  });
  const { run, api } = listOf(calls, { now: NEWEST_MS });
  api.retired.clear();
  await run.poll();

  expect(run.samples.of(/fee_lowest/)).toEqual({ "chain_mined_fee_lowest_microstx contract_call": 2500 });
  expect(run.samples.get("chain_mined_fee_microstx contract_call p10")).toBe(1000);
  expect(run.views.mined?.costs?.byFunction.map(([, known]) => known.length)).toEqual([10, 10]);
  expect(run.saved).toContain("dex::swap");
});

describe("requests", () => {
  test("an unchanged list costs one", async () => {
    const exporter = await running();
    exporter.world.mine(empty(CONFIRMATIONS));
    await exporter.poll();
    const { counted } = exporter;

    expect(await exporter.poll()).toEqual([""]);
    expect(exporter.counted).toBe(counted);
  });

  test("a list without a canonical block is from a server that is behind", async () => {
    const exporter = await running();
    exporter.world.mine(busy(3));
    await exporter.poll();
    const { view: chain } = exporter.world;
    exporter.world.serve({ kind: "lag", changes: CONFIRMATIONS + 2 });
    await exporter.run.poll({ chain });

    expect(exporter.run.failures).toMatchObject([{ reason: "behind" }]);
  });

  test.each<[string, (cursor: string) => string, readonly object[]]>([
    ["newer", () => "9999999:2147483647:0", [{ reason: "bad_body" }]],
    ["older", (cursor) => `${Number(cursor.split(":")[0]) - 20}:2147483647:0`, []],
  ])("a response to a cursor with %s rows causes no wrong count", async (_, wrong, failures) => {
    const exporter = await running();
    const { world, run } = exporter;
    world.mine(busy(60));
    const api = serverOf(
      (url, operation) => {
        const cursor = new URL(url, "http://m").searchParams.get("cursor");
        const isSample = cursor?.endsWith(":0");
        const requested = cursor === null || isSample ? url : url.replace(/cursor=.*/, `cursor=${wrong(cursor)}`);
        return world.respond(requested, operation);
      },
      () => world.now,
    );
    await exporter.poll({ pages: 2 }, api);
    expect(run.failures).toMatchObject(failures);

    // The next server responds correctly.
    for (let polls = 0; polls < 6; polls += 1) await exporter.poll({ pages: 2 });
    expect(exporter.counted).toBe(exporter.expected);
  });

  test("with one of them, every other poll reads the newest page, and the age of the values is that of the last one", async () => {
    const world = new ModelWorld();
    const canned = serverOf(world.respond, () => world.now);
    const run = new CollectorRun(transactions, canned, () => ({ target, chain: world.view }));
    world.mine(new Array(30).fill(4));
    const shown: string[] = [];
    for (let now = world.now; shown.length < 8; now += 180_000) {
      world.mine(new Array(15).fill(6));
      const sent = canned.requests.length;
      const room = () => Math.max(0, sent + 1 - canned.requests.length);
      const get: typeof canned.get = (...request) =>
        room() > 0 ? canned.get(...request) : Promise.reject(new ApiError("budget", "transactions", "no room"));
      await run.poll({ api: { ...canned, room, get }, now });
      const page = canned.requests[sent]?.includes("cursor") ? "older" : "newest";
      shown.push(`${page} ${(now - (run.views.mined?.readAt ?? 0)) / 1000}`);
    }

    expect(shown.slice(-4)).toEqual(["newest 0", "older 180", "newest 0", "older 180"]);
  });

  test("an empty list is not a failure", async () => {
    const { json } = captured("v3-transactions.past-end");
    const run = new CollectorRun(
      transactions,
      cannedApi(() => ({ json })),
      { target },
    );
    const samples = await run.poll();

    expect(samples.get(SAMPLE)).toBe(0);
    expect(samples.get("chain_mined_fee_baseline_microstx all p25")).toBeUndefined();
  });
});

describe("the usual fees", () => {
  /** A world of eight days with some blocks an hour. Samples of the past are the requests with a cursor of index 0. */
  async function eightDays() {
    const exporter = new Exporter();
    exporter.world.mine(busy(1, 60));
    for (let hours = 0; hours < 8 * 24; hours += 1) {
      exporter.world.now += 3_540_000;
      exporter.world.mine(busy(6, 9));
    }
    await exporter.poll();
    return exporter;
  }
  const ofPast = (requests: readonly string[]) => requests.filter((request) => request.endsWith(":2147483647:0"));

  test("are sampled by one page a poll", async () => {
    const exporter = await eightDays();
    const { world } = exporter;
    // At most two transactions of a sender count.
    world.hasManySenders = true;
    const perPoll: number[] = [];
    for (let polls = 0; polls < 60; polls += 1) {
      world.now += 180_000;
      perPoll.push(ofPast(await exporter.poll()).length);
      // Eight samples are enough.
      if (polls === 8) expect(exporter.get(BASELINE)).toBeGreaterThan(100);
    }

    expect(Math.max(...perPoll)).toBe(1);
    expect(perPoll.slice(40)).toEqual(new Array(20).fill(0));
    expect(exporter.get(BASELINE)).toBeGreaterThan(100);
  });

  test.each([
    ["the same page is requested again from a server that fails", 500],
    ["a server that refuses the cursor", 404],
  ])("do not matter to the counters: %s", async (_, status) => {
    const exporter = await eightDays();
    const { world, run } = exporter;
    const api = serverOf(
      (url, operation) => (url.endsWith("%3A0") ? { status } : world.respond(url, operation)),
      () => world.now,
    );
    world.mine([5, ...empty(CONFIRMATIONS)]);
    const pages: string[] = [];
    for (let polls = 0; polls < 9; polls += 1) {
      world.now += 180_000;
      pages.push(...ofPast(await exporter.poll({}, api)));
    }

    expect([run.failures, exporter.get(`${COUNTED} token_transfer success`)]).toEqual([[], expect.any(Number)]);
    expect(exporter.get(BASELINE)).toBeUndefined();
    expect(pages).toHaveLength(9);
    expect(new Set(pages).size === 1).toBe(status === 500);
  });
});
