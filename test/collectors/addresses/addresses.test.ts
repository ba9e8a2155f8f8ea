import { describe, expect, test } from "@jest/globals";
import { ApiError } from "../../../src/api/errors.ts";
import { addresses } from "../../../src/collectors/addresses/addresses.ts";
import { type Canned, type CannedApi, cannedApi, captured } from "../../support/canned-api.ts";
import { CollectorRun, type Samples, targetOf } from "../../support/collect.ts";
import { expectGolden } from "../../support/golden.ts";
import { chainOf } from "../../support/known-chain.ts";
import { CONTRACT, ModelWorld, PRINCIPAL } from "../../support/model-world.ts";

const ADDRESS = "ST3W8Y9CGDA3APW7H3FV5WGNTGNHR8S01630SZY14";
const COUNTED = "address_transactions_total";
const MISSING = "address_irregularities_total transfers_missing";

const deskAt = (confirmations = 6, more: object = {}) =>
  targetOf(ADDRESS, confirmations, { name: "desk", group: "exchange", labels: { owner: "treasury" }, ...more });

interface Tx {
  readonly tx: { readonly tx_id: string; readonly block_height: number; readonly block_hash: string };
  readonly ft_transfers?: readonly object[];
}

const listed = captured("address-transactions.ok-default").json as { readonly results: readonly Tx[] };
const moved = captured("transactions-with-transfers.ok-default").json as { readonly results: readonly Tx[] };

describe("samples of captured responses:", () => {
  // With the blocks of the captured transactions.
  const chain = chainOf(
    60,
    listed.results.map(({ tx }) => [tx.block_height, { hash: tx.block_hash }]),
  );
  /** The captured responses, with twenty transactions. */
  function respond(url: string, operation: string): Canned {
    // The captured page is served as the whole list.
    if (operation === "address_transactions") return { json: { ...listed, limit: 50 } };
    const height = Number(new URL(url, "http://api").searchParams.get("height"));
    return { json: { results: moved.results.filter(({ tx }) => tx.block_height === height) } };
  }

  /** The page after one poll. */
  async function pageOf(api: CannedApi, target: ReturnType<typeof deskAt>, options: object = {}): Promise<string> {
    return (await new CollectorRun(addresses, api, { network: "testnet", target, chain, options }).poll()).page;
  }

  test("transactions of the first poll are not counted", async () => {
    const api = cannedApi(respond);
    const maxOutflow = { stx: 20_000_000_000n, [`${ADDRESS}.token::coin`]: 5n };
    const target = deskAt(6, { maxOutflow, silentAfterMs: 7_200_000 });

    expectGolden("address-transactions.first-sight", await pageOf(api, target));
    expect(api.requests).toHaveLength(1);
  });

  test("older transactions with enough confirmations, with backfill", async () => {
    const page = await pageOf(cannedApi(respond), deskAt(), { backfill: "all" });

    expectGolden("address-transactions.ok-default", page);
  });

  test("the replacement operation", async () => {
    const api = cannedApi((url, operation) => {
      if (operation === "principal_transactions") {
        return { json: { ...(captured("extended-v3-principal-transactions").json as object), cursor: { next: null } } };
      }
      if (operation !== "transaction_events") return { status: 410 };
      // The transfers that `transactions_with_transfers` has of the same transaction.
      const { ft_transfers = [] } = moved.results.find(({ tx }) => url.includes(tx.tx_id)) ?? {};
      const results = ft_transfers.map((ft_asset) => ({ type: "ft_asset", ft_asset }));
      return { json: { total: results.length, cursor: { next: null }, results } };
    });

    expectGolden("extended-v3-principal-transactions", await pageOf(api, deskAt(1), { backfill: "all" }));
  });
});

/** A world, and polls of its address. */
function running(
  sizes: readonly number[],
  options: object = {},
  { confirmations = 6, apiOf = (world: ModelWorld) => cannedApi(world.respond) } = {},
) {
  const world = new ModelWorld();
  world.mine(sizes);
  const api = apiOf(world);
  const target = targetOf(PRINCIPAL, confirmations);
  const run = new CollectorRun(addresses, api, () => ({ target, chain: world.view, now: world.now, options }));
  return { world, api, run, counted: () => run.samples.sum(COUNTED) };
}

/** The API of a world with a budget of requests. */
function limitedApi(world: ModelWorld): CannedApi & { left: number } {
  const plain = cannedApi(world.respond);
  const api: CannedApi & { left: number } = {
    ...plain,
    left: Number.POSITIVE_INFINITY,
    room: () => api.left,
    get: (operation, parameters) => {
      api.left -= 1;
      if (api.left < 0) return Promise.reject(new ApiError("budget", operation.name, "nothing left"));
      return plain.get(operation, parameters);
    },
    getIfChanged: (operation, parameters, etag) => {
      if (etag === undefined) return api.get(operation, parameters);
      return plain.getIfChanged(operation, parameters, etag);
    },
  };
  return api;
}

test("transactions of microblocks, in which the index begins again, count with backfill", async () => {
  const places = [
    [40, 2_147_483_647, 1],
    [40, 2_147_483_647, 0],
    [40, 1, 0],
    [40, 0, 7],
    [40, 0, 0],
    [39, 5, 0],
  ];
  const results = places.map(([block_height, microblock_sequence, tx_index], id) => {
    const [template] = listed.results;
    const place = { block_height, block_hash: `0xhash${block_height}`, microblock_sequence, tx_index };
    return { ...template, tx: { ...template?.tx, tx_id: `0x${id}`, ...place } };
  });
  const api = cannedApi((url) => {
    const offset = Number(new URL(url, "http://api").searchParams.get("offset") ?? 0);
    return { json: { limit: 3, total: results.length, results: results.slice(offset, offset + 3) } };
  });
  const options = { backfill: "all", transfers: false };
  const run = new CollectorRun(addresses, api, { target: deskAt(), chain: chainOf(60), options });
  await run.polls(4);

  expect([run.samples.sum(COUNTED), run.failures]).toEqual([places.length, []]);
});

test("one request per poll of an unchanged list, from which waiting transactions are counted", async () => {
  const { world, api, run } = running([1, 2, 0, 0, 0, 3, 0, 0], { backfill: "all" });
  const counts = [(await run.poll()).sum(COUNTED), (await run.poll()).sum(COUNTED)];
  world.mine([0, 0, 0]);
  counts.push((await run.poll()).sum(COUNTED));
  const listed = api.requests.filter((url) => url.startsWith("address_transactions"));
  const before = api.requests.length;
  await run.polls(3);

  expect(counts).toEqual([3, 3, 6]);
  expect([...listed, ...api.requests.slice(before)]).toEqual(new Array(6).fill(api.requests[0]));
});

test.each([5, 7, 12, 40])("with %i requests per poll, polls catch up after a day of downtime", async (room) => {
  const { world, api, run, counted } = running([1, 1, 0, 0, 0, 0, 0, 0], {}, { apiOf: limitedApi });
  const limited = api as ReturnType<typeof limitedApi>;
  limited.left = room;
  await run.poll();
  world.mine([...Array.from({ length: 600 }, () => 1), 0, 0, 0, 0, 0, 0]);
  for (let polls = 0; polls < 400 && counted() < 600; polls += 1) {
    limited.left = room;
    world.now += 60_000;
    await run.poll();
    run.restart();
  }

  expect([counted(), run.failures]).toEqual([600, []]);
});

test.each([7, 1])("smaller pages are read when one of more than %d rows is too large", async (largest) => {
  const { world, run, counted } = running([3, 0, 0, 0, 0, 0]);
  world.status.set("address_transactions", 413);
  world.largest = largest;
  await run.poll();
  world.mine([...Array.from({ length: 60 }, () => 1), 0, 0, 0, 0, 0]);
  await run.polls(12);

  expect([counted(), run.failures]).toEqual([60, []]);
});

test("an address is polled early as long as transactions could be counted, and first if the budget ended", async () => {
  const { world, api, run } = running([0], {}, { apiOf: limitedApi });
  const hintsAfter = async (blocks: readonly number[], requests = Number.POSITIVE_INFINITY, options = {}) => {
    world.mine(blocks);
    (api as ReturnType<typeof limitedApi>).left = requests;
    await run.poll({ options });
    return run.hints;
  };
  const none = { moved: [], seen: [], isWaiting: false, isUrgent: false, isBehind: false };

  expect(await hintsAfter([0])).toEqual(none);
  expect(await hintsAfter([6])).toEqual({ ...none, isWaiting: true });
  expect(await hintsAfter([0, 0, 0, 0, 0, 0], 1)).toEqual({ ...none, moved: [PRINCIPAL] });
  expect(await hintsAfter([])).toEqual(none);
  const many = Array.from({ length: 40 }, () => 3);
  expect(await hintsAfter([...many, 0, 0, 0, 0, 0, 0], 2, { pages: 2 })).toEqual({ ...none, isBehind: true });
});

describe("transfers that are not in the response for their block", () => {
  const isEvents = (url: string) => url.startsWith("address_transaction_events");
  const isNewEvents = (url: string) => url.startsWith("transaction_events");

  /** Polls several times; `change` changes responses. */
  async function readAll(
    options: object = {},
    change: (canned: Canned, operation: string, url: string) => Canned = (canned) => canned,
    sizes = [4, 3, 5],
    polls = 6,
  ) {
    const apiOf = (world: ModelWorld) => {
      const api = cannedApi((url, operation) => {
        const canned = change(world.respond(url, operation), operation, url);
        if (typeof canned === "object" && "status" in canned && canned.status === 410) api.retired.add(operation);
        return canned;
      });
      return api;
    };
    const { world, api, run } = running(sizes, { backfill: "all", ...options }, { confirmations: 1, apiOf });
    const perPoll: number[] = [];
    for (let poll = 0; poll < polls; poll += 1) {
      const before = api.requests.length;
      world.now += 300_000;
      await run.poll();
      perPoll.push(api.requests.slice(before).filter((url) => isEvents(url) || isNewEvents(url)).length);
    }
    return { urls: api.requests, perPoll, samples: run.samples, transfers: transfersOf(run.samples) };
  }
  const transfersOf = (samples: Samples) => {
    const keys = samples.keys(/^address_(stx|ft|nft)_transfer/);
    return Object.fromEntries(keys.map((key) => [key, samples.text(key)]));
  };
  const withoutByBlock = (canned: Canned, operation: string): Canned =>
    operation === "transactions_with_transfers" ? { status: 410 } : canned;

  test.each([
    ["is removed", 410],
    ["fails, as for an address with millions of events", 500],
  ])("are requested by transaction, with the same result, if the operation for blocks %s", async (_, status) => {
    const byBlock = await readAll();
    const { urls, transfers, samples } = await readAll({}, (canned, operation) =>
      operation === "transactions_with_transfers" ? { status } : canned,
    );

    expect(Object.values(byBlock.transfers).some((value) => BigInt(value ?? 0) > 2n ** 127n)).toBe(true);
    expect(transfers).toEqual(byBlock.transfers);
    expect(byBlock.urls.filter(isEvents)).toEqual([]);
    const requested = urls.filter(isEvents);
    expect(new Set(requested).size).toBe(requested.length);
    expect([samples.sum(COUNTED), samples.get(MISSING)]).toEqual([12, undefined]);
  });

  test("are absent and not requested if they are disabled", async () => {
    const { perPoll, transfers } = await readAll({ transfers: false });

    expect([transfers, perPoll]).toEqual([{}, [0, 0, 0, 0, 0, 0]]);
  });

  test.each<[string, Canned]>([
    ["an unknown transaction", { status: 404 }],
    [
      "a transaction without events, while it moves to another block",
      { json: { limit: 50, offset: 0, total: 0, results: [] } },
    ],
    ["too many events", { json: { limit: 50, offset: 0, total: 10_000, results: [{ type: "stx", data: {} }] } }],
  ])("after some polls, the transaction is counted without them: %s", async (_, response) => {
    const withoutEvents = (canned: Canned, operation: string): Canned => {
      if (operation === "transaction_events") return { status: 404 };
      return operation === "address_transaction_events" ? response : withoutByBlock(canned, operation);
    };
    const early = await readAll({}, withoutEvents, [4, 3, 5], 12);
    const { samples } = await readAll({}, withoutEvents, [4, 3, 5], 14);

    expect(early.samples.get(MISSING)).toBeUndefined();
    expect(samples.sum(COUNTED)).toBe(12);
    expect(samples.get(MISSING)).toBeGreaterThan(0);
  });

  test("of a transaction with too many events are not awaited", async () => {
    const json = { total: 501, cursor: { next: "1" }, results: [{ event_index: 0, type: "contract_log" }] };
    const hasMany = (canned: Canned, operation: string): Canned => {
      if (operation === "transaction_events") return { json };
      return operation === "address_transaction_events" ? { status: 410 } : withoutByBlock(canned, operation);
    };
    const { samples } = await readAll({}, hasMany, [4, 3, 5], 3);

    expect(samples.sum(COUNTED)).toBe(12);
    expect(samples.get(MISSING)).toBeGreaterThan(0);
  });

  test("that no server returns do not stop counting, even for more transactions than one poll requests", async () => {
    const isLost = (canned: Canned, operation: string): Canned =>
      operation.endsWith("transaction_events") ? { status: 404 } : withoutByBlock(canned, operation);
    const { samples } = await readAll({}, isLost, [600, 5], 30);

    expect(samples.sum(COUNTED)).toBe(605);
    expect(samples.get(MISSING)).toBeGreaterThan(60);
  });
});

/** The API of a world, with each result of one operation changed. */
const changing =
  <Result>(operation: string, change: (result: Result, index: number) => void) =>
  (world: ModelWorld) =>
    cannedApi((url, requested) => {
      const canned = world.respond(url, requested);
      if (requested === operation && typeof canned === "object" && "json" in canned) {
        for (const [index, result] of (canned.json as { results: Result[] }).results.entries()) change(result, index);
      }
      return canned;
    });

interface ListedTx {
  readonly tx: Record<string, unknown>;
  stx_sent: string;
}

test("the time of a sent transaction is known although received ones fill the newest page", async () => {
  const apiOf = changing<ListedTx>("address_transactions", ({ tx }) => {
    tx.sender_address = tx.block_height === 2 ? PRINCIPAL : CONTRACT;
  });
  const { world, run, counted } = running([0], { transfers: false }, { apiOf });
  await run.poll();
  world.mine([1, 60, 0, 0, 0, 0, 0]);
  const sentAt = (await run.poll()).get("address_last_transaction_timestamp_seconds sent");

  expect([counted(), sentAt]).toEqual([61, world.blocks[1]?.time]);
});

test.each<[string, (result: ListedTx, index: number) => void, object, readonly string[]]>([
  [
    "an amount that is not a number, or above the supply, invalidates only itself",
    (result, index) => {
      if (index === 1) result.stx_sent = "12x";
      if (index === 2) result.stx_sent = "4000000000000001"; // above the supply
    },
    { "address_irregularities_total bad_amount": 2 },
    ["address_transactions stx_sent type", "address_transactions stx_sent type"],
  ],
  [
    "a list that is not in chain order is counted",
    ({ tx }, index) => {
      tx.tx_index = index;
    },
    {},
    [],
  ],
])("%s", async (_, change, expected, drift) => {
  const apiOf = changing("address_transactions", change);
  const { run, api, counted } = running([4, 0, 0], { backfill: "all", transfers: false }, { confirmations: 1, apiOf });
  const samples = await run.poll();

  expect(counted()).toBe(4);
  expect(samples.of(/irregularities/)).toEqual(expected);
  expect(new Set(api.drift)).toEqual(new Set(drift));
});

test.each([
  ["a tab", "co\tin"],
  ["NUL", "co\0in"],
  ["an escape sequence", "\u001B[2Jcoin"],
  ["right-to-left text", "\u202Enioc"],
  ["a million characters", "a".repeat(1_000_000)],
])("an identifier with %s is neither stored nor exposed, and its transfers count as other", async (_, name) => {
  const identifier = `SP000000000000000000002Q6VF78.token::${name}`;
  let made = 0;
  const apiOf = changing<{ ft_transfers: object[] }>("transactions_with_transfers", ({ ft_transfers }) => {
    made += ft_transfers.length;
    for (const transfer of ft_transfers) Object.assign(transfer, { asset_identifier: identifier, sender: identifier });
  });
  const { run } = running([40], { backfill: "all" }, { confirmations: 1, apiOf });
  const samples = await run.poll();

  expect(made).toBeGreaterThan(3);
  expect(samples.get("address_ft_transfers_total other in")).toBe(made);
  for (const text of [samples.page, run.saved]) {
    expect(text).not.toContain("token::");
    expect(text.length).toBeLessThan(100_000);
  }
});
