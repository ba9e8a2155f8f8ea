// Counters of addresses and contracts while servers lag, return wrong values or lose operations, and while blocks
// change.
import { describe, expect, test } from "@jest/globals";
import { ApiError } from "../../src/api/errors.ts";
import type { StacksApi } from "../../src/api/operation.ts";
import { addresses } from "../../src/collectors/addresses/addresses.ts";
import type { AddressTotals } from "../../src/collectors/addresses/totals.ts";
import { blocks } from "../../src/collectors/blocks/blocks.ts";
import type { Chain } from "../../src/collectors/chain/chain.ts";
import type { AnyCollector } from "../../src/collectors/collector.ts";
import { contracts } from "../../src/collectors/contracts/contracts.ts";
import { cannedApi } from "../support/canned-api.ts";
import { CONTRACT, ModelWorld, PRINCIPAL, type WorldTx } from "../support/model-world.ts";
import { observe } from "../support/observe.ts";
import { restarted } from "../support/plain-data.ts";
import { countedOf, eventsOf, expectedOf, netOf, printsOf, type StoryResult } from "../support/story.ts";

type Name = "blocks" | "addresses" | "contracts";
const COLLECTORS = { blocks, addresses, contracts } as unknown as Record<Name, AnyCollector>;
const KEYS: Readonly<Record<Name, string>> = { blocks: "", addresses: PRINCIPAL, contracts: CONTRACT };

interface Facts {
  readonly nonces: { readonly sender?: { readonly value: number } };
  readonly backlog: number;
}

interface Seen {
  readonly blocks: { readonly chain: Chain };
  readonly addresses: {
    readonly totals: AddressTotals;
    readonly facts: Facts;
    readonly floor: { readonly height: number };
  };
  readonly contracts: {
    readonly totals: { readonly events: object; readonly reverted: number; readonly restored: number };
  };
}

/** Polls a world like the exporter: a failed poll keeps the previous observation. */
class Exporter {
  readonly world = new ModelWorld();
  readonly canned = cannedApi(this.world.respond, () => this.world.now);
  api: StacksApi = this.canned;
  readonly observations: Record<string, unknown> = {};
  /** Collector and reason of each failed poll. */
  readonly reasons: string[] = [];
  readonly notes: string[] = [];
  readonly confirmations: number;
  readonly #options: object;
  #from: number | undefined;
  #before: ReadonlySet<string> = new Set();

  constructor(confirmations = 3, options: object = {}) {
    this.confirmations = confirmations;
    this.#options = options;
  }

  get seen(): Seen {
    return this.observations as unknown as Seen;
  }

  async poll(names: readonly Name[] = ["blocks", "addresses", "contracts"], seconds = 30): Promise<void> {
    for (const name of names) {
      this.world.now += (seconds * 1000) / names.length;
      await this.#observe(name);
    }
    if (this.#from !== undefined || this.observations.addresses === undefined) return;
    this.#from = this.seen.addresses.floor.height;
    this.#before = new Set(this.world.between(0, this.world.tip).map(({ id }) => id));
  }

  async #observe(name: Name): Promise<void> {
    const principal = KEYS[name];
    const watched = { principal, name: "p", group: "", labels: {} };
    const chain =
      this.observations.blocks === undefined ? undefined : COLLECTORS.blocks.chainView?.(this.observations.blocks);
    try {
      this.observations[name] = await observe(COLLECTORS[name], this.api, this.observations[name], {
        options: name === "addresses" ? this.#options : {},
        now: this.world.now,
        target: { key: principal, watched, confirmations: this.confirmations } as never,
        chain,
        isFollowed: true,
        note: (message) => this.notes.push(message),
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.reasons.push(`${name} ${error.reason}`);
    }
  }

  /** Polls a server without lag until everything is counted. */
  async finish(): Promise<void> {
    this.world.serve({ kind: "fresh" });
    this.world.mine(empty(this.confirmations + 2));
    for (let polls = 0; polls < 6; polls += 1) {
      this.world.mine([0]);
      await this.poll();
    }
  }

  get result(): StoryResult {
    const { world, observations } = this;
    const chain = {
      reasons: new Map<string, number>(),
      firstTip: 0,
      below: new Set<string>(),
      chainFrom: 0,
      chainBelow: new Set<string>(),
      callFrom: 0,
      callBelow: new Set<string>(),
    };
    return { world, observations, from: this.#from ?? 0, before: this.#before, ...chain };
  }
}

const empty = (count: number) => new Array<number>(count).fill(0);
const busy = (count: number) => new Array<number>(count).fill(4);

/** An exporter that has counted transactions and events. */
async function running(confirmations = 3): Promise<Exporter> {
  const exporter = new Exporter(confirmations);
  exporter.world.mine(busy(20));
  await exporter.poll();
  for (let polls = 0; polls < 6; polls += 1) {
    exporter.world.mine(busy(2));
    await exporter.poll();
  }
  await exporter.finish();
  expectExact(exporter);
  expect(netOf(exporter.result)).toBeGreaterThan(40);
  expect(eventsOf(exporter.result).counted).toBeGreaterThan(10);
  return exporter;
}

/** Everything is counted once, and nothing is reverted. */
function expectExact({ result, seen }: Exporter): void {
  expect(countedOf(result)).toEqual(expectedOf(result));
  const { reverted, restored, gap } = seen.addresses.totals;
  expect({ reverted, restored, gap }).toEqual({ reverted: 0, restored: 0, gap: 0 });
  expect(eventsOf(result)).toEqual({ counted: printsOf(result), net: printsOf(result), reverted: 0 });
}

test("while a server lags for two polls, no event is reverted or counted again", async () => {
  const exporter = await running();
  const { totals } = exporter.seen.contracts;
  exporter.world.mine(busy(2));
  for (let polls = 0; polls < 2; polls += 1) {
    await exporter.poll(["blocks"]);
    exporter.world.serve({ kind: "lag", changes: 24 });
    await exporter.poll(["contracts"]);
    exporter.world.serve({ kind: "fresh" });
  }

  expect(exporter.reasons).toEqual(["contracts behind", "contracts behind"]);
  expect(exporter.seen.contracts.totals).toEqual(totals);
  await exporter.finish();
  expectExact(exporter);
});

test.each([{ kind: "empty" as const }, { kind: "lag" as const, changes: 24 }])(
  "while a server is behind for 75 seconds, no transaction is reverted or restored: %j",
  async (server) => {
    const exporter = await running();
    const { totals } = exporter.seen.addresses;
    for (let polls = 0; polls < 5; polls += 1) {
      exporter.world.serve({ kind: "fresh" });
      await exporter.poll(["blocks"], 7.5);
      exporter.world.serve(server);
      await exporter.poll(["addresses"], 7.5);
    }

    expect(exporter.reasons).toEqual(new Array(5).fill("addresses behind"));
    expect(exporter.seen.addresses.totals).toEqual(totals);
    exporter.world.mine(busy(2));
    await exporter.finish();
    expectExact(exporter);
  },
);

test("while a server is behind for every collector, nothing is reverted", async () => {
  const exporter = await running();
  exporter.world.serve({ kind: "lag", changes: 24 });
  for (let polls = 0; polls < 5; polls += 1) await exporter.poll();
  exporter.world.serve({ kind: "empty" });
  for (let polls = 0; polls < 5; polls += 1) await exporter.poll();

  expect(new Set(exporter.reasons)).toEqual(new Set(["blocks behind", "addresses behind", "contracts behind"]));
  exporter.world.mine(busy(2));
  await exporter.finish();
  expectExact(exporter);
});

describe("a state file of version 1 whose height is 1,000 blocks above the tip", () => {
  /** An exporter with the state that version 1 kept after a server had returned such a tip. */
  async function withHighTip(last: "counted" | "deep"): Promise<Exporter> {
    const exporter = await running();
    const { world } = exporter;
    if (last === "counted") {
      // With such a tip, every listed transaction counted at once.
      world.mine(busy(2));
    }
    const { facts, totals, isNew, hasTransfers } = exporter.observations.addresses as Record<string, object>;
    const counted = { ...totals, transactions: { x: [...world.between(exporter.result.from, world.tip)].length } };
    const newest = world.blocks.findLast(({ txs }) => txs.length > 0);
    const version1 = {
      horizon: {
        height: world.tip + 1_000 - 5,
        floor: { height: exporter.result.from, index: 0 },
        window: [],
        reverted: [],
        checkedAt: world.now,
      },
      totals: { ...counted, reverted: { vanished: 2 } },
      facts: { ...facts, lastHeight: newest?.height, lastTimes: { sent: 1 }, nonces: { sender: 7 } },
      isNew,
      hasTransfers,
      isBackfilling: false,
      freshAt: world.now,
      held: undefined,
      seen: [],
      etag: undefined,
    };
    exporter.observations.addresses = addresses.durable.upgrade(restarted(version1));
    return exporter;
  }
  const sumOf = ({ transactions }: AddressTotals) => Object.values(transactions).reduce((sum, count) => sum + count, 0);

  test.each(["counted", "deep"] as const)("counting resumes, with a warning (%s)", async (last) => {
    const exporter = await withHighTip(last);
    const before = sumOf(exporter.seen.addresses.totals);
    await exporter.poll();

    expect(sumOf(exporter.seen.addresses.totals)).toBe(before);
    expect(exporter.seen.addresses.totals).toMatchObject({ reverted: 2, irregularities: { impossible_height: 1 } });
    expect(exporter.notes).toEqual([
      expect.stringMatching(/^the start height \d+ was above the tip \d+: counting resumes/),
    ]);
    exporter.world.mine(busy(3));
    await exporter.finish();

    expect(sumOf(exporter.seen.addresses.totals)).toBe(before + 12);
    expect(exporter.notes).toHaveLength(1);
    expect(exporter.seen.addresses.totals.irregularities).toMatchObject({ impossible_height: 1 });
  });
});

test("after a reorganisation, a page boundary between counted events reverts none of them", async () => {
  const exporter = await running();
  exporter.world.mine(busy(2));
  await exporter.poll();
  exporter.world.reorg(2, [true, true]);
  await exporter.poll();
  await exporter.finish();
  // The boundary of the first page moves past every event that was counted around the reorganisation.
  for (let steps = 0; steps < 40; steps += 1) {
    exporter.world.mine([4, 0]);
    await exporter.poll();
  }
  await exporter.finish();

  expect(exporter.reasons).toEqual([]);
  expectExact(exporter);
});

describe("with a small budget", () => {
  interface Budgeted {
    readonly exporter: Exporter;
    /** Number of requests for lists and transfers. Requests for blocks have their own budget. */
    spent(): number;
    pollAll(seconds: number): Promise<void>;
  }

  function budgeted(room: number, confirmations: number, options: object = {}): Budgeted {
    const exporter = new Exporter(confirmations, options);
    let left = room;
    let isLimited = false;
    const limited = (call: keyof StacksApi) =>
      ((operation: { name: string }, ...rest: unknown[]) => {
        if (isLimited) left -= 1;
        if (left < 0) return Promise.reject(new ApiError("budget", operation.name, "nothing left"));
        return (exporter.canned[call] as (...all: unknown[]) => unknown)(operation, ...rest);
      }) as never;
    exporter.api = {
      ...exporter.canned,
      room: () => left,
      get: limited("get"),
      find: limited("find"),
      getWhole: limited("getWhole"),
      getIfChanged: limited("getIfChanged"),
    };
    let spent = 0;
    return {
      exporter,
      spent: () => spent,
      async pollAll(seconds) {
        await exporter.poll(["blocks"], seconds / 2);
        const before = exporter.canned.requests.length;
        isLimited = true;
        left = room;
        await exporter.poll(["addresses"], seconds / 2);
        isLimited = false;
        left = room;
        spent += exporter.canned.requests.length - before;
      },
    };
  }

  /** Number of blocks with transfers that are not in the list: one request each. */
  const transferRequests = ({ world }: Exporter, from: number) =>
    world.blocks.filter(({ height, txs }) => height >= from && txs.some(({ ft }) => ft > 0n)).length;

  test("a payout of 385 transactions in 7 blocks is counted with 10 requests a minute", async () => {
    const { exporter, spent, pollAll } = budgeted(10, 6);
    exporter.world.mine(busy(20));
    await pollAll(60);
    exporter.world.mine(empty(6));
    await pollAll(60);
    const before = spent();
    const counted = () => netOf(exporter.result);
    const first = counted();
    const above = exporter.world.tip + 1;
    exporter.world.mine(new Array(7).fill(55));
    let polls = 0;
    for (; polls < 9 && counted() < first + 385; polls += 1) {
      await pollAll(60);
      exporter.world.mine(empty(6));
    }

    expect(counted()).toBe(first + 385);
    expect(countedOf(exporter.result)).toEqual(expectedOf(exporter.result));
    expect(exporter.reasons).toEqual([]);
    expect(spent() - before).toBeLessThanOrEqual(2 * (Math.ceil(385 / 50) + transferRequests(exporter, above)));
  });

  test("2,000 transactions a day are counted with 100 confirmations and 10 requests a poll", async () => {
    const { exporter, spent, pollAll } = budgeted(10, 100);
    exporter.world.mine(new Array(150).fill(1));
    await pollAll(300);
    const minutes = 1_440;
    const perPoll = 5;
    for (let minute = 0; minute < minutes; minute += perPoll) {
      exporter.world.mine(Array.from({ length: perPoll }, (_, n) => ((minute + n) % 18 < 7 ? 2 : 1)));
      await pollAll(300);
    }
    const day = spent();
    expect(exporter.reasons).toEqual([]);
    // Every poll reads one page, because the list has changed.
    const min = 1 + minutes / perPoll + transferRequests(exporter, 151);
    expect(day).toBeLessThanOrEqual(2 * min);
    exporter.world.mine(empty(100));
    for (let polls = 0; polls < 20; polls += 1) await pollAll(300);

    expect(exporter.world.between(151, exporter.world.tip).length).toBeGreaterThanOrEqual(2_000);
    expect(countedOf(exporter.result)).toEqual(expectedOf(exporter.result));
  }, 120_000);
});

test("after a fork removes the only transaction, the values of its block are absent", async () => {
  const world = new ModelWorld();
  world.mine([0, 0, 1, 0]);
  const of = {
    target: { key: PRINCIPAL, watched: { principal: PRINCIPAL, name: "p", group: "", labels: {} }, confirmations: 3 },
  };
  const api = cannedApi(world.respond, () => world.now);
  const poll = (seen: unknown) => observe(addresses, api, seen, { ...of, chain: world.view, now: world.now });
  const first = (await poll(undefined)) as { facts: { last?: object } };
  expect(first.facts.last).toBeDefined();
  const { blocks } = world;
  world.reorg(2, [false]);
  // The new blocks have no transaction of the address.
  world.history.push(world.blocks.map((block) => ({ ...block, txs: blocks.includes(block) ? block.txs : [] })));

  const { facts } = (await poll(first)) as { facts: { last?: object; lastTimes: object; nonces: object } };
  expect(facts).toMatchObject({ last: undefined, lastTimes: {}, nonces: {} });
});

test("after a fork, the nonce is the canonical one, even if it is lower", async () => {
  let lower = 0;
  for (let more = 0; more < 5; more += 1) {
    const exporter = new Exporter();
    exporter.world.mine([...busy(10), more]);
    await exporter.poll();
    const before = exporter.seen.addresses.facts.nonces.sender?.value ?? 0;
    exporter.world.reorg(2, [false]);
    exporter.world.mine([0]);
    await exporter.poll();

    const { world } = exporter;
    const nonce = world.between(0, world.tip).findLast(({ isSender }) => isSender)?.nonce ?? 0;
    expect(exporter.seen.addresses.facts.nonces.sender?.value).toBe(nonce);
    if (nonce < before) lower += 1;
  }
  expect(lower).toBeGreaterThan(0);
});

/** Mines transactions of a replaced block again. */
function mineAgain({ world }: Exporter, txs: readonly WorldTx[]): void {
  world.mine([0]);
  const { blocks } = world;
  const last = blocks.at(-1);
  if (last === undefined) throw new Error("there is no block");
  world.history.push([...blocks.slice(0, -1), { ...last, txs }]);
}

/** Removes counted transactions with a fork. */
async function withLost(exporter: Exporter): Promise<readonly WorldTx[]> {
  exporter.world.mine(busy(2));
  await exporter.finish();
  const { world } = exporter;
  const depth = exporter.confirmations + 10;
  const lost = world.between(world.tip - depth + 1, world.tip);
  expect(lost).toHaveLength(8);
  world.reorg(depth, [false]);
  return lost;
}

describe("a counted transaction whose block was replaced", () => {
  test("is reverted once, when the new blocks have their confirmations, and restored once", async () => {
    const exporter = await running();
    const lost = await withLost(exporter);
    const { transactions } = exporter.seen.addresses.totals;
    const of = () => {
      const { reverted, restored } = exporter.seen.addresses.totals;
      return { reverted, restored };
    };
    for (let polls = 0; polls < 8; polls += 1) {
      exporter.world.mine([0]);
      await exporter.poll();
    }
    expect(of()).toEqual({ reverted: lost.length, restored: 0 });
    mineAgain(exporter, lost);
    await exporter.finish();
    await exporter.finish();

    expect(of()).toEqual({ reverted: lost.length, restored: lost.length });
    const sum = (sums: Readonly<Record<string, number>>) => Object.values(sums).reduce((all, one) => all + one, 0);
    // The fork adds one transaction.
    expect(sum(exporter.seen.addresses.totals.transactions)).toBe(sum(transactions) + 1);
    expect(netOf(exporter.result)).toBe(exporter.world.between(exporter.result.from, exporter.world.tip).length);
  });
});

describe("counted events whose block was replaced", () => {
  const requestsOf = ({ canned }: Exporter) => canned.requests.filter((url) => url.startsWith("transaction ")).length;
  const printed = (txs: readonly WorldTx[]) => txs.reduce((sum, { prints }) => sum + prints, 0);

  test("are reverted only if the operation for transactions has no block for theirs", async () => {
    const exporter = await running();
    const lost = await withLost(exporter);
    const before = eventsOf(exporter.result);
    exporter.world.status.set("transaction", 500);
    for (let polls = 0; polls < 6; polls += 1) {
      exporter.world.mine([0, 0]);
      await exporter.poll();
    }
    expect(exporter.reasons).toContain("contracts http_server");
    expect(eventsOf(exporter.result)).toEqual(before);

    exporter.world.status.delete("transaction");
    await exporter.finish();
    expect(printed(lost)).toBeGreaterThan(0);
    expect(eventsOf(exporter.result).reverted).toBe(printed(lost));
    expect(eventsOf(exporter.result).net).toBe(printsOf(exporter.result));
    expect(requestsOf(exporter)).toBeGreaterThan(0);

    mineAgain(exporter, lost);
    await exporter.finish();
    expect(exporter.seen.contracts.totals).toMatchObject({ reverted: printed(lost), restored: printed(lost) });
    expect(eventsOf(exporter.result).net).toBe(printsOf(exporter.result));
  });

  test("stay counted if their transaction is mined again, without a request for it", async () => {
    const exporter = await running();
    exporter.world.mine(busy(2));
    await exporter.finish();
    exporter.world.reorg(13, [true]);
    await exporter.finish();

    expect(eventsOf(exporter.result)).toEqual({
      counted: printsOf(exporter.result),
      net: printsOf(exporter.result),
      reverted: 0,
    });
    expect(requestsOf(exporter)).toBe(0);
  });

  test("stay counted if the list lacks them temporarily and the operation for transactions has their block", async () => {
    const exporter = await running();
    exporter.world.mine(busy(2));
    await exporter.finish();
    const { world } = exporter;
    const moved = new Set(world.between(world.tip - 12, world.tip).map(({ id }) => id));
    world.reorg(13, [true]);
    // Like a server that writes events later than their block.
    const { getWhole } = exporter.canned;
    exporter.api = {
      ...exporter.canned,
      getWhole: (async (operation: never, parameters: never) => {
        const response = await getWhole(operation, parameters);
        const { results = [] } = response.body as { readonly results?: readonly { readonly tx_id?: string }[] };
        const rest = results.filter(({ tx_id = "" }) => !moved.has(tx_id));
        return { ...response, body: { ...(response.body as object), results: rest } };
      }) as StacksApi["getWhole"],
    };
    for (let polls = 0; polls < 8; polls += 1) {
      world.mine([0, 0]);
      await exporter.poll(["blocks", "contracts"]);
    }
    expect(requestsOf(exporter)).toBeGreaterThan(0);
    exporter.api = exporter.canned;
    await exporter.finish();

    expect(eventsOf(exporter.result)).toEqual({
      counted: printsOf(exporter.result),
      net: printsOf(exporter.result),
      reverted: 0,
    });
    expect(exporter.seen.contracts.totals.restored).toBe(0);
  });

  test.each(["gone", "not_found"] as const)(
    "stay counted, with a warning, if the operation for transactions is removed (%s)",
    async (reason) => {
      const exporter = await running();
      const status = reason === "gone" ? 410 : 404;
      exporter.api = {
        ...exporter.canned,
        find: ((operation: never, parameters: never) => {
          if ((operation as { name: string }).name !== "transaction")
            return exporter.canned.find(operation, parameters);
          const error = new ApiError(reason, "transaction", "no such path", { status, routeMissing: true });
          return Promise.reject(error);
        }) as StacksApi["find"],
      };
      const lost = await withLost(exporter);
      const { counted } = eventsOf(exporter.result);
      await exporter.finish();

      expect(printed(lost)).toBeGreaterThan(0);
      expect(eventsOf(exporter.result)).toMatchObject({ reverted: 0 });
      expect(eventsOf(exporter.result).counted).toBeGreaterThanOrEqual(counted);
      const message = `${printed(lost)} counted events may be reverted; the server cannot prove it, so they stay counted`;
      expect(exporter.notes).toContain(message);
    },
  );
});

test("when the older operations are removed, counting continues without errors", async () => {
  const exporter = await running();
  exporter.world.mine(busy(2));
  await exporter.poll();
  for (const operation of ["address_transactions", "transactions_with_transfers", "contract_events"]) {
    exporter.world.status.set(operation, 410);
  }
  for (const operation of ["address_transaction_events", "block_by_height", "block_by_hash"]) {
    exporter.world.status.set(operation, 410);
  }
  for (let polls = 0; polls < 5; polls += 1) {
    exporter.world.mine(busy(2));
    await exporter.poll();
  }
  await exporter.finish();

  expect(exporter.reasons).toEqual([]);
  expectExact(exporter);
});
