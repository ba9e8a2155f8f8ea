import { describe, expect, test } from "@jest/globals";
import type { ChainView } from "../../../src/collectors/chain/chain-view.ts";
import type { AnyCollector } from "../../../src/collectors/collector.ts";
import { keyOf } from "../../../src/collectors/counters.ts";
import type { Observation } from "../../../src/collectors/transactions/state.ts";
import { transactions as collector } from "../../../src/collectors/transactions/transactions.ts";
import { type Canned, type CannedApi, cannedApi, captured } from "../../support/canned-api.ts";
import { expectGolden, textOf } from "../../support/golden.ts";
import { chainOf } from "../../support/known-chain.ts";
import { ModelWorld } from "../../support/model-world.ts";
import { observe } from "../../support/observe.ts";
import { parseExposition } from "../../support/parser.ts";
import { restarted } from "../../support/plain-data.ts";

const transactions = collector as unknown as AnyCollector;
const CONFIRMATIONS = 3;
const target = { key: "", confirmations: CONFIRMATIONS };

interface Item {
  readonly [field: string]: unknown;
  readonly block: { readonly height: number; readonly hash: string };
}
const listed = captured("v3-transactions.limit50").json as { readonly results: readonly Item[] };
const NEWEST_MS = 1_795_301_663_000;

/** A server that has only these rows. */
const serverOf = (results: () => readonly object[]) => {
  const rows = () => results().slice(0, 50);
  return cannedApi((url): Canned => {
    const isFirst = !url.includes("cursor");
    return { json: { total: 50, limit: 50, cursor: { next: null }, results: isFirst ? rows() : [] } };
  });
};

/** The chain whose blocks are those of the rows. */
const chainWith = (tipHeight: number, rows: readonly Item[]): ChainView =>
  chainOf(tipHeight, new Map(rows.map(({ block }) => [block.height, { hash: block.hash }])));

/** Polls of a world, with the counters and the page that follow from them. */
class Exporter {
  readonly world = new ModelWorld();
  readonly api: CannedApi = cannedApi(this.world.respond, () => this.world.now);
  observation: unknown;

  async poll(options: object = {}): Promise<string[]> {
    const before = this.api.requests.length;
    const { world, api, observation } = this;
    const of = { options, target, chain: world.view, now: world.now };
    this.observation = await observe(transactions, api, observation, of);
    return this.api.requests
      .slice(before)
      .map((request) => decodeURIComponent(request).replace(/^.*\?limit=50(&cursor=)?/, ""));
  }

  get state(): Observation {
    return this.observation as Observation;
  }

  get view() {
    return collector.minedView(this.state);
  }

  /** Number of counted transactions. */
  get counted(): number {
    return Object.values(this.state.totals.transactions).reduce((sum, count) => sum + count, 0);
  }
}

const empty = (count: number) => new Array<number>(count).fill(0);
const busy = (count: number, size = 4) => new Array<number>(count).fill(size);

/** An exporter that follows a chain of some blocks, and has sampled what there is. */
async function running(blocks = 30): Promise<Exporter> {
  const exporter = new Exporter();
  exporter.world.mine(busy(blocks));
  await exporter.poll();
  return exporter;
}

/** The samples of a page, by name and labels. */
async function samplesOf(observation: unknown): Promise<ReadonlyMap<string, number>> {
  const families = parseExposition(await textOf(transactions, observation), "classic");
  return new Map(
    families.flatMap(({ samples }) =>
      samples.map(({ name, labels, value }) => {
        const values = [...labels].filter(([label]) => label !== "network").map(([, text]) => text);
        return [[name.replace("stacks_chain_", ""), ...values].join(" "), value] as const;
      }),
    ),
  );
}

test("samples of captured responses", async () => {
  const { results } = listed;
  let shown = results.filter(({ block }) => block.height < 57);
  const api = serverOf(() => shown);
  const at = (tipHeight: number) => ({ target, chain: chainWith(tipHeight, results), now: NEWEST_MS + 20_000 });

  let observation = await observe(transactions, api, undefined, at(56));
  shown = [...results];
  observation = await observe(transactions, api, observation, at(60));

  expectGolden("v3-transactions.limit50", await textOf(transactions, observation));
});

describe("counting", () => {
  test("nothing that is older than the first poll counts", async () => {
    const exporter = await running();
    exporter.world.mine(empty(CONFIRMATIONS));
    await exporter.poll();
    // Those of the first poll that had too few confirmations.
    expect(exporter.counted).toBe(4 * (CONFIRMATIONS - 1));

    exporter.world.mine([...busy(2, 70), ...empty(CONFIRMATIONS)]);
    await exporter.poll();

    expect(exporter.counted).toBe(4 * (CONFIRMATIONS - 1) + 140);
  });

  test("without a collector that follows the chain, the newest transaction is its tip", async () => {
    const { results } = listed;
    let shown = results.slice(10);
    const api = serverOf(() => shown);
    const of = { target: { key: "", confirmations: 2 }, now: NEWEST_MS, isFollowed: false };
    let observation = await observe(transactions, api, undefined, of);
    shown = [...results];

    observation = await observe(transactions, api, observation, of);

    const counts = Object.values((observation as Observation).totals.transactions);
    const confirmed = results.filter(({ block }) => block.height === 59);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(confirmed.length);
  });

  test("a fee that is not a whole number is left out of the fees, and the transaction counts", async () => {
    const [template] = listed.results as [Item];
    const fees = ["12.5", "-3", -1, null, undefined, "1e3", "9".repeat(30), {}, "200"];
    let shown: object[] = [];
    const api = serverOf(() => shown);
    const of = { target: { key: "", confirmations: 1 }, chain: chainWith(60, [template]), now: NEWEST_MS };
    let observation = await observe(transactions, api, undefined, of);
    shown = fees.map((fee_rate, n) => ({ ...template, tx_id: `0x${n}`, fee_rate }));
    const chain = chainOf(61, [[60, template.block]]);
    const moved = { ...of, chain };
    observation = await observe(
      transactions,
      api,
      { ...(observation as object), floor: { height: 60, index: 0 } },
      moved,
    );

    const { totals } = observation as Observation;
    expect(totals.transactions[keyOf("token_transfer", "success")]).toBe(fees.length);
    expect(totals.fees.token_transfer?.sum).toBe(200n);
    const samples = await samplesOf(observation);
    expect(samples.get("mined_fee_sample_transactions all")).toBe(1);
    expect(samples.get("mined_fee_microstx all p25")).toBe(200);
    expect(api.drift).toHaveLength(fees.length - 1);
    expect(new Set(api.drift.map((drift) => drift.split(" ")[1]))).toEqual(new Set(["fee_rate"]));
  });

  test("unknown types and statuses become label values, up to a limit, and other beyond it", async () => {
    const [template] = listed.results as [Item];
    let shown: object[] = [];
    const api = serverOf(() => shown);
    const of = { target: { key: "", confirmations: 1 }, chain: chainWith(60, [template]), now: NEWEST_MS };
    const first = await observe(transactions, api, undefined, of);
    const types = [...Array.from({ length: 12 }, (_, n) => `type_${n}`), "Not A Type", "x".repeat(100_000)];
    shown = types.map((type, n) => ({ ...template, tx_id: `0x${n}`, type, status: `${type}_status` }));

    const observation = await observe(transactions, api, { ...(first as object), floor: { height: 60, index: 0 } }, of);

    const { transactions: counted, fees } = (observation as Observation).totals;
    expect(counted).toMatchObject({ [keyOf("type_11", "type_11_status")]: 1, [keyOf("other", "other")]: 6 });
    expect(Object.values(counted).reduce((sum, count) => sum + count, 0)).toBe(types.length);
    expect(Object.keys(fees)).toHaveLength(3 + 9);
    expect(JSON.stringify(counted).length).toBeLessThan(2000);
  });
});

describe("principals", () => {
  const confirmed = ({ state }: Exporter, after: number, to: number) => [
    ...new Set(collector.confirmed(state, after, to)),
  ];
  // The principal of the world, and the contracts that it calls.
  const parties = async () => {
    const exporter = await running(1);
    return [...new Set(exporter.view?.rows.flatMap((row) => row.parties))].sort();
  };

  test("have moved once the chain confirms their listed transactions, which is announced once", async () => {
    const exporter = await running();
    const { world } = exporter;
    world.mine(empty(CONFIRMATIONS));
    await exporter.poll();
    world.mine([4]);
    await exporter.poll();
    expect(collector.hints(exporter.state).moved).toEqual([]);
    expect(confirmed(exporter, -1, world.tip - 1)).toEqual([]);
    expect(confirmed(exporter, world.tip, world.tip + 1)).toEqual([]);
    expect(confirmed(exporter, world.tip - 1, world.tip).sort()).toEqual(await parties());

    const before = exporter.counted;
    world.mine(empty(CONFIRMATIONS));
    await exporter.poll();

    expect(exporter.counted).toBe(before + 4);
    expect(collector.hints(exporter.state).moved).toEqual([]);
    expect(confirmed(exporter, -1, world.tip)).toEqual([]);
  });

  test("have moved when their transactions are listed after their confirmations", async () => {
    const exporter = await running();
    exporter.world.mine([4, ...empty(CONFIRMATIONS)]);
    await exporter.poll();
    expect([...collector.hints(exporter.state).moved].sort()).toEqual(await parties());

    await exporter.poll();
    expect(collector.hints(exporter.state).moved).toEqual([]);
  });

  test("have moved when their transactions are counted, without a collector that follows the chain", async () => {
    const { results } = listed;
    let shown = results.slice(10);
    const api = serverOf(() => shown);
    const of = { target: { key: "", confirmations: 2 }, now: NEWEST_MS, isFollowed: false };
    let observation = await observe(transactions, api, undefined, of);
    shown = [...results];
    observation = await observe(transactions, api, observation, of);

    expect(collector.hints(observation as Observation).moved.length).toBeGreaterThan(0);
  });
});

describe("the mined transactions of the last minutes", () => {
  test("need no confirmations", async () => {
    const exporter = await running();
    exporter.world.mine([3]);

    await exporter.poll();

    const { view, world } = exporter;
    expect(view?.rows.slice(0, 3).map(({ id }) => id)).toEqual(
      world.blocks
        .at(-1)
        ?.txs.map(({ id }) => id)
        .toReversed(),
    );
    expect(view?.rows).toHaveLength(30 * 4 + 3);
    expect(view?.readAt).toBe(world.now);
    const [block, tx] = [world.blocks.at(-1), world.blocks.at(-1)?.txs[2]];
    expect(view?.rows[0]).toMatchObject({
      fee: Number(tx?.fee),
      type: tx?.type,
      nonce: tx?.nonce,
      at: block?.time,
      height: block?.height,
      hash: block?.hash,
    });
    expect(view?.rows[0]?.parties).toContain(view?.rows[0]?.sender);
  });

  test("leave when their block is replaced", async () => {
    const exporter = await running();
    exporter.world.reorg(5, [false]);

    await exporter.poll();

    const ids = exporter.world.between(1, exporter.world.tip).map(({ id }) => id);
    expect(exporter.view?.rows.map(({ id }) => id)).toEqual(ids.toReversed());
  });

  test("leave after 15 minutes, also while nothing is mined", async () => {
    const exporter = await running();
    const read = exporter.view?.rows.length;
    exporter.world.now += 10 * 60_000;
    expect(await exporter.poll()).toEqual([""]);
    expect(exporter.view?.rows).toHaveLength(read ?? 0);
    const samples = await samplesOf(exporter.observation);
    expect(samples.get("mined_fee_sample_transactions all")).toBe(0);
    expect(samples.has("mined_fee_microstx all p25")).toBe(false);

    exporter.world.now += 86_400_000;
    expect(await exporter.poll()).toEqual([""]);
    expect(exporter.view).toEqual({ rows: [], readAt: exporter.world.now });
  });

  test("are read for ten minutes at the first poll", async () => {
    const exporter = new Exporter();
    exporter.world.mine(busy(100, 5));

    const requests = await exporter.poll();

    // 60 blocks with five transactions are six pages; one page is a sample of the usual fees.
    expect(requests.filter((request) => request !== "")).toHaveLength(6);
    expect((await samplesOf(exporter.observation)).get("mined_fee_sample_transactions all")).toBe(60 * 5);
    expect(exporter.counted).toBe(0);
    expect(exporter.state.feed.open).toBeUndefined();
  });

  test("without a valid time are left out", async () => {
    const api = serverOf(() => listed.results.map((row) => ({ ...row, block: { ...row.block, time: 0 } })));

    const observation = await observe(transactions, api, undefined, { target, now: NEWEST_MS });

    expect(collector.minedView(observation as Observation)?.rows).toEqual([]);
  });
});

describe("after a pause", () => {
  test("polls read the rest in several polls, and the newest ones at once", async () => {
    const exporter = await running();
    exporter.world.mine(busy(360, 2));
    await exporter.poll({ pages: 2 });
    expect(exporter.state.feed.open).toBeDefined();
    // Two pages do not reach the transactions that were known before.
    expect(exporter.view?.readAt).toBeLessThan(exporter.world.now);

    exporter.world.mine([3]);
    await exporter.poll({ pages: 2 });

    expect(exporter.view?.rows.slice(0, 3).map(({ height }) => height)).toEqual(new Array(3).fill(exporter.world.tip));
    expect(exporter.view?.readAt).toBe(exporter.world.now);
    for (let polls = 0; polls < 8; polls += 1) {
      exporter.observation = restarted(exporter.observation);
      await exporter.poll({ pages: 2 });
    }
    expect(exporter.state.feed.open).toBeUndefined();
    const from = 30 - CONFIRMATIONS + 2;
    expect(exporter.counted).toBe(exporter.world.between(from, exporter.world.tip - CONFIRMATIONS + 1).length);
    expect(exporter.state.totals.gap).toBe(0);
  });

  test("transactions beyond catch_up are a gap", async () => {
    const exporter = await running();
    exporter.world.mine([...busy(60, 10), ...empty(CONFIRMATIONS)]);

    for (let polls = 0; polls < 10; polls += 1) await exporter.poll({ pages: 2, catch_up: 100 });

    const waiting = 4 * (CONFIRMATIONS - 1);
    expect(exporter.counted + exporter.state.totals.gap).toBe(waiting + 600);
    expect(exporter.state.totals.gap).toBeGreaterThanOrEqual(500);
  });
});

describe("requests", () => {
  test("an unchanged list costs one, and the observation keeps its validator", async () => {
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
    const chain = exporter.world.view;
    exporter.world.serve({ kind: "lag", changes: 2 });

    const polling = observe(transactions, exporter.api, exporter.observation, {
      target,
      chain,
      now: exporter.world.now,
    });

    await expect(polling).rejects.toMatchObject({ reason: "behind" });
  });

  test.each<[string, (cursor: string) => string]>([
    ["newer", () => "9999999:2147483647:0"],
    ["older", (cursor) => `${Number(cursor.split(":")[0]) - 20}:2147483647:0`],
  ])("a response to a cursor with %s rows causes no wrong count", async (_, wrong) => {
    const exporter = await running();
    const { world } = exporter;
    world.mine(busy(60));
    const api = cannedApi(
      (url, operation) => {
        const cursor = new URL(url, "http://m").searchParams.get("cursor");
        const isSample = cursor?.endsWith(":0");
        const requested = cursor === null || isSample ? url : url.replace(/cursor=.*/, `cursor=${wrong(cursor)}`);
        return world.respond(requested, operation);
      },
      () => world.now,
    );
    const of = { options: { pages: 2 }, target, chain: world.view, now: world.now };

    await expect(observe(transactions, api, exporter.observation, of)).rejects.toMatchObject({ reason: "bad_body" });

    // The next server responds correctly.
    for (let polls = 0; polls < 6; polls += 1) await exporter.poll({ pages: 2 });
    const from = 30 - CONFIRMATIONS + 2;
    expect(exporter.counted).toBe(world.between(from, world.tip - CONFIRMATIONS + 1).length);
  });

  test("an empty list is not a failure", async () => {
    const observation = await observe(
      transactions,
      cannedApi(() => ({ json: captured("v3-transactions.past-end").json })),
      undefined,
      { target },
    );

    const samples = await samplesOf(observation);
    expect(samples.get("mined_fee_sample_transactions all")).toBe(0);
    expect(samples.has("mined_fee_baseline_microstx all p25")).toBe(false);
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
    return exporter;
  }
  const ofPast = (requests: readonly string[]) => requests.filter((request) => request.endsWith(":2147483647:0"));

  test("are sampled by one page a poll", async () => {
    const exporter = await eightDays();
    await exporter.poll();
    const perPoll: number[] = [];
    for (let polls = 0; polls < 60; polls += 1) perPoll.push(ofPast(await exporter.poll()).length);

    expect(Math.max(...perPoll)).toBe(1);
    expect(perPoll.slice(40)).toEqual(new Array(20).fill(0));
    expect(exporter.state.baseline.periods.filter(({ fees }) => fees !== undefined)).toHaveLength(24);
    const samples = await samplesOf(exporter.observation);
    expect(samples.get("mined_fee_baseline_microstx all p50")).toBeGreaterThan(100);
  }, 30_000);

  test.each([
    ["a server that fails", 500],
    ["a server that refuses the cursor", 404],
  ])(
    "do not matter to the counters: %s",
    async (_, status) => {
      const exporter = await eightDays();
      await exporter.poll();
      const { world } = exporter;
      const api = cannedApi(
        (url, operation) => (url.endsWith("%3A0") ? { status } : world.respond(url, operation)),
        () => world.now,
      );
      const before = exporter.state.baseline;
      world.mine([5, ...empty(CONFIRMATIONS)]);
      let observation = exporter.observation;
      for (let polls = 0; polls < 3; polls += 1)
        observation = await observe(transactions, api, observation, { target, chain: world.view, now: world.now });

      const { totals, baseline } = observation as Observation;
      expect(totals.transactions[keyOf("token_transfer", "success")]).toBeGreaterThan(0);
      const missesOf = ({ periods }: typeof baseline) => periods.reduce((sum, { misses }) => sum + misses, 0);
      expect(missesOf(baseline) - missesOf(before)).toBe(status === 500 ? 0 : 3);
      expect(baseline.points).toEqual(before.points);
    },
    30_000,
  );
});
