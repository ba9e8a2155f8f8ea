import { describe, expect, test } from "@jest/globals";
import { ApiError } from "../../../src/api/errors.ts";
import { addresses as collector } from "../../../src/collectors/addresses/addresses.ts";
import type { AddressTotals } from "../../../src/collectors/addresses/totals.ts";
import type { AnyCollector } from "../../../src/collectors/collector.ts";
import { type Canned, cannedApi, captured } from "../../support/canned-api.ts";
import { expectGolden, textOf } from "../../support/golden.ts";
import { chainOf } from "../../support/known-chain.ts";
import { ModelWorld, PRINCIPAL } from "../../support/model-world.ts";
import { observe } from "../../support/observe.ts";
import { parseExposition } from "../../support/parser.ts";

const addresses = collector as unknown as AnyCollector;
const ADDRESS = "ST3W8Y9CGDA3APW7H3FV5WGNTGNHR8S01630SZY14";

const targetOf = (principal: string, confirmations = 6) => ({
  key: principal,
  watched: { principal, name: "desk", group: "exchange", labels: { owner: "treasury" } },
  confirmations,
});
const target = targetOf(ADDRESS);

const sumOf = (sums: Readonly<Record<string, number>>) => Object.values(sums).reduce((sum, count) => sum + count, 0);

interface Tx {
  readonly tx: { readonly tx_id: string; readonly block_height: number; readonly block_hash: string };
}

const listed = captured("address-transactions.ok-default").json as { readonly results: readonly Tx[] };
const moved = captured("transactions-with-transfers.ok-default").json as { readonly results: readonly Transfers[] };

interface Transfers extends Tx {
  readonly ft_transfers: readonly object[];
}

// With the blocks of the captured transactions.
const chain = chainOf(
  60,
  listed.results.map(({ tx }) => [tx.block_height, { hash: tx.block_hash }]),
);

/** The captured responses, with twenty transactions. */
function respond(url: string, operation: string): Canned {
  if (operation === "address_transactions") {
    // The captured page is served as the whole list.
    return { json: { ...listed, limit: 50 } };
  }
  const { results } = moved;
  const height = Number(new URL(url, "http://api").searchParams.get("height"));
  return { json: { results: results.filter(({ tx }) => tx.block_height === height) } };
}

describe("samples of captured responses:", () => {
  test("transactions of the first poll are not counted", async () => {
    const api = cannedApi(respond);
    const maxOutflow = { stx: 20_000_000_000n, [`${ADDRESS}.token::coin`]: 5n };
    const watched = { ...target.watched, maxOutflow, silentAfterMs: 7_200_000, needsPostConditions: true };
    const limited = { ...target, watched };
    const seen = await observe(addresses, api, undefined, { target: limited, chain });

    expectGolden("address-transactions.first-sight", await textOf(addresses, seen, "testnet", limited));
    expect(api.requests).toHaveLength(1);
  });

  test("older transactions with enough confirmations, with backfill", async () => {
    const api = cannedApi(respond);
    const options = { backfill: "all" };

    const seen = await observe(addresses, api, undefined, { target, chain, options });

    expectGolden("address-transactions.ok-default", await textOf(addresses, seen, "testnet", target));
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
    const options = { backfill: "all" };

    const seen = await observe(addresses, api, undefined, { target: targetOf(ADDRESS, 1), chain, options });

    expectGolden("extended-v3-principal-transactions", await textOf(addresses, seen, "testnet", target));
  });
});

describe("requests", () => {
  test("one request per poll of an idle address", async () => {
    const world = new ModelWorld();
    world.mine([3, 3, 3, 0, 0, 0, 0, 0]);
    const api = cannedApi(world.respond);
    const of = { target: targetOf(PRINCIPAL), chain: world.view };
    let seen = await observe(addresses, api, undefined, of);
    const before = api.requests.length;

    for (let polls = 0; polls < 3; polls += 1) seen = await observe(addresses, api, seen, of);

    expect(api.requests.length - before).toBe(3);
  });

  /** An API that records which requests of the list are conditional. */
  function watching(world: ModelWorld) {
    const kinds: string[] = [];
    const plain = cannedApi(world.respond);
    const api: typeof plain = {
      ...plain,
      getWhole: (operation, parameters) => {
        if (operation.name === "address_transactions") kinds.push("whole");
        return plain.getWhole(operation, parameters);
      },
      getIfChanged: (operation, parameters, etag) => {
        kinds.push("if changed");
        return plain.getIfChanged(operation, parameters, etag);
      },
    };
    return { api, kinds };
  }

  test("requests are not conditional while a known transaction is in a replaced block", async () => {
    const world = new ModelWorld();
    world.mine([1, 1, 1, 1, 0, 0, 0, 0, 0, 0]);
    const { api, kinds } = watching(world);
    const at = () => ({ target: targetOf(PRINCIPAL), chain: world.view, options: { backfill: "all" } });
    let seen = await observe(addresses, api, undefined, at());
    seen = await observe(addresses, api, seen, at());
    // Every transaction is mined again in the same order: the validator of the list does not change.
    world.reorg(8, [true, true]);
    seen = await observe(addresses, api, seen, at());
    world.mine([0, 0, 0, 0, 0, 0]);
    seen = await observe(addresses, api, seen, at());
    await observe(addresses, api, seen, at());

    expect(kinds).toEqual(["whole", "if changed", "whole", "if changed", "if changed"]);
    const { totals } = seen as { readonly totals: AddressTotals };
    expect({ counted: sumOf(totals.transactions), reverted: totals.reverted }).toEqual({ counted: 5, reverted: 0 });
  });

  test("one request per poll of an unchanged list, from which waiting transactions are counted", async () => {
    const world = new ModelWorld();
    world.mine([1, 2, 0, 0, 0, 3, 0, 0]);
    const api = cannedApi(world.respond);
    const at = () => ({ target: targetOf(PRINCIPAL), chain: world.view, options: { backfill: "all" } });
    const count = (observation: unknown) => sumOf((observation as { totals: AddressTotals }).totals.transactions);
    const first = await observe(addresses, api, undefined, at());
    const unchanged = await observe(addresses, api, first, at());
    world.mine([0, 0, 0]);
    const third = await observe(addresses, api, unchanged, at());

    expect([first, unchanged, third].map(count)).toEqual([3, 3, 6]);
    expect((unchanged as { totals: object }).totals).toBe((first as { totals: object }).totals);
    expect(api.requests.filter((url) => url.startsWith("address_transactions"))).toEqual(
      new Array(3).fill(api.requests[0]),
    );
  });
});

test.each([5, 7, 12, 40])("with %i requests per poll, polls catch up after a day of downtime", async (room) => {
  const world = new ModelWorld();
  world.mine([1, 1, 0, 0, 0, 0, 0, 0]);
  const plain = cannedApi(world.respond);
  let left = room;
  const api: typeof plain = {
    ...plain,
    room: () => left,
    getWhole: (operation, parameters) => {
      left -= 1;
      if (left < 0) return Promise.reject(new ApiError("budget", operation.name, "nothing left"));
      return plain.getWhole(operation, parameters);
    },
  };
  const at = () => ({ target: targetOf(PRINCIPAL), chain: world.view, now: world.now });
  let seen = (await observe(addresses, api, undefined, at())) as { totals: AddressTotals; facts: { backlog: number } };
  world.mine([...Array.from({ length: 600 }, () => 1), 0, 0, 0, 0, 0, 0]);
  const counts: number[] = [];
  let failed = 0;
  for (let polls = 0; polls < 400 && (counts.at(-1) ?? 0) < 600; polls += 1) {
    left = room;
    world.now += 60_000;
    try {
      seen = (await observe(addresses, api, seen, at())) as typeof seen;
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== "budget") throw error;
      failed += 1;
    }
    counts.push(sumOf(seen.totals.transactions));
  }

  expect(counts.at(-1)).toBe(600);
  expect(failed).toBe(0);
  expect(seen.totals.gap).toBe(0);
});

test("an address is polled early as long as transactions could be counted, and first if the budget ended", async () => {
  const world = new ModelWorld();
  world.mine([0]);
  const plain = cannedApi(world.respond);
  let left = Number.POSITIVE_INFINITY;
  const api: typeof plain = {
    ...plain,
    getWhole: (operation, parameters) => {
      left -= 1;
      if (left < 0) return Promise.reject(new ApiError("budget", operation.name, "nothing left"));
      return plain.getWhole(operation, parameters);
    },
  };
  const target = targetOf(PRINCIPAL);
  let seen: Parameters<typeof collector.hints>[0] | undefined;
  const hintsAfter = async (blocks: readonly number[], requests = Number.POSITIVE_INFINITY, options = {}) => {
    world.mine(blocks);
    left = requests;
    const of = { target, chain: world.view, now: world.now, options };
    seen = (await observe(addresses, api, seen, of)) as NonNullable<typeof seen>;
    return collector.hints(seen, target);
  };
  const none = { moved: [], isWaiting: false, isBehind: false };

  expect(await hintsAfter([0])).toEqual(none);
  expect(await hintsAfter([6])).toEqual({ ...none, isWaiting: true });
  expect(await hintsAfter([0, 0, 0, 0, 0, 0], 0)).toEqual({ ...none, moved: [PRINCIPAL] });
  expect(await hintsAfter([])).toEqual(none);
  const many = Array.from({ length: 40 }, () => 3);
  expect(await hintsAfter([...many, 0, 0, 0, 0, 0, 0], 2, { pages: 2 })).toEqual({ ...none, isBehind: true });
});

describe("a list that grows by more than a page between two requests", () => {
  // Like a busy address whose requests wait for the budget: every third request brings a block.
  const growing = (world: ModelWorld, every: readonly number[]) => {
    let isGrowing = false;
    world.afterResponse = () => {
      if (isGrowing && world.responses % 3 === 0) world.mine(every);
    };
    return { api: cannedApi(world.respond), grow: (is: boolean) => (isGrowing = is) };
  };
  const countOf = (seen: unknown) => sumOf((seen as { totals: AddressTotals }).totals.transactions);

  test.each([
    ["completely", [70], 20, 10],
    ["completely", [1, 30, 29], 20, 10],
    ["completely", [3], 20, 10],
    ["completely", [100], 20, 10],
    ["by the next polls if it grows by more than the pages of one poll", [40], 200, 4],
  ])("is read %s: %j", async (_, every, blocks, pages) => {
    const world = new ModelWorld();
    world.mine([1, 0]);
    const { api, grow } = growing(world, every);
    const options = { transfers: false, pages };
    const at = () => ({ target: targetOf(PRINCIPAL, 1), chain: world.view, now: world.now, options });
    let seen = await observe(addresses, api, undefined, at());
    world.mine(Array.from({ length: blocks }, () => 9));
    grow(true);
    seen = await observe(addresses, api, seen, at());
    grow(false);
    for (let polls = 0; polls < 40; polls += 1) seen = await observe(addresses, api, seen, at());

    expect(countOf(seen)).toBe(world.between(3, world.tip).length);
    expect((seen as { totals: AddressTotals }).totals.gap).toBe(0);
  });
});

async function values(seen: unknown, of = target): Promise<Map<string, number>> {
  const text = await textOf(addresses, seen, "mainnet", of);
  return new Map(
    parseExposition(text, "classic")
      .flatMap(({ samples }) => samples)
      .map(({ name, labels, value }) => [
        [name, ...[...labels].filter(([key]) => !["network", "name", "address"].includes(key)).map(([, v]) => v)].join(
          " ",
        ),
        value,
      ]),
  );
}

describe("transfers that are not in the response for their block", () => {
  const of = { ...targetOf(PRINCIPAL, 1) };
  const isTransfer = (key: string) => /^stacks_address_(stx|ft|nft)_transfer/.test(key);
  const isEvents = (url: string) => url.startsWith("address_transaction_events");
  const isNewEvents = (url: string) => url.startsWith("transaction_events");

  /** Polls several times; `change` changes responses. */
  async function readAll(
    options: object,
    change: (canned: Canned, operation: string, url: string) => Canned,
    sizes = [4, 3, 5],
    polls = 6,
  ) {
    const world = new ModelWorld();
    world.mine(sizes);
    const api = cannedApi((url, operation) => {
      const canned = change(world.respond(url, operation), operation, url);
      if (typeof canned === "object" && "status" in canned && canned.status === 410) api.retired.add(operation);
      return canned;
    });
    let seen: unknown;
    const requests: number[] = [];
    for (let poll = 0; poll < polls; poll += 1) {
      const before = api.requests.length;
      world.now += 300_000;
      const surroundings = { target: of, chain: world.view, now: world.now, options: { backfill: "all", ...options } };
      seen = await observe(addresses, api, seen, surroundings);
      requests.push(api.requests.slice(before).filter((url) => isEvents(url) || isNewEvents(url)).length);
    }
    return { urls: api.requests, requests, values: await values(seen, of) };
  }
  const asServed = (canned: Canned) => canned;
  const withoutByBlock = (canned: Canned, operation: string): Canned =>
    operation === "transactions_with_transfers" ? { status: 410 } : canned;
  const withoutTransfers = (canned: Canned, operation: string): Canned =>
    operation.endsWith("transaction_events") ? { status: 410 } : withoutByBlock(canned, operation);
  const transfersOf = (seen: ReadonlyMap<string, number>) => [...seen].filter(([key]) => isTransfer(key));

  test("are requested by transaction if the operation for blocks is removed, with the same result", async () => {
    const byBlock = await readAll({}, asServed);
    const byTransaction = await readAll({ transaction_events: true }, withoutByBlock);

    expect(transfersOf(byBlock.values).some(([, value]) => value > 2 ** 127)).toBe(true);
    expect(transfersOf(byTransaction.values)).toEqual(transfersOf(byBlock.values));
    expect(byBlock.urls.filter(isEvents)).toEqual([]);
    expect(new Set(byTransaction.urls.filter(isEvents)).size).toBe(byTransaction.urls.filter(isEvents).length);
    expect(byTransaction.values.get("stacks_address_irregularities_total transfers_missing")).toBeUndefined();
  });

  test("are requested from the remaining operation, unless the settings select the other one", async () => {
    const byBlock = await readAll({}, asServed);
    const { urls, values: seen } = await readAll({}, withoutByBlock);

    expect(transfersOf(seen)).toEqual(transfersOf(byBlock.values));
    expect(urls.filter(isEvents)).toEqual([]);
    expect(urls.filter(isNewEvents).length).toBeGreaterThan(1);
    expect(new Set(urls.filter(isNewEvents)).size).toBe(urls.filter(isNewEvents).length);
    expect(byBlock.urls.filter(isNewEvents)).toEqual([]);
  });

  test("are absent and not requested if they are disabled", async () => {
    const { requests, values: seen } = await readAll({ transfers: false }, asServed);

    expect(transfersOf(seen)).toEqual([]);
    expect(requests.reduce((sum, count) => sum + count, 0)).toBe(0);
  });

  test("are requested only for the transaction that the block lacks", async () => {
    const byBlock = await readAll({}, asServed);
    let lost: string | undefined;
    const { urls, values: seen } = await readAll({ transaction_events: true }, (canned, operation) => {
      if (operation !== "transactions_with_transfers" || !("json" in Object(canned))) return canned;
      const { results, ...rest } = (canned as { json: { results: { tx: { tx_id: string }; ft_transfers: [] }[] } })
        .json;
      lost ??= results.find(({ ft_transfers }) => ft_transfers.length > 0)?.tx.tx_id;
      return { json: { ...rest, results: results.filter(({ tx }) => tx.tx_id !== lost) } };
    });

    expect(lost).toBeDefined();
    expect(urls.filter(isEvents)).toEqual([expect.stringContaining(`/transactions/${lost}/events`)]);
    expect(transfersOf(seen)).toEqual(transfersOf(byBlock.values));
  });

  test("are read page by page", async () => {
    const { urls, values: seen } = await readAll(
      { transaction_events: true },
      (canned, operation, url) => {
        if (operation !== "address_transaction_events") return withoutByBlock(canned, operation);
        const query = new URL(url, "http://api").searchParams;
        const [offset, limit] = [Number(query.get("offset")), Number(query.get("limit"))];
        const event = {
          type: "nft",
          data: { type: "mint", asset_identifier: "SP000000000000000000002Q6VF78.a::b", recipient: PRINCIPAL },
        };
        const results = Array.from({ length: Math.min(limit, 120 - offset) }, () => event);
        return { json: { limit, offset, total: 120, results } };
      },
      [8],
    );

    const eventRequests = urls.filter(isEvents).length;
    expect(eventRequests).toBeGreaterThanOrEqual(3);
    const minted = [...seen].filter(([key]) => /^stacks_address_nft_transfers_total .*\.a::b/.test(key));
    expect(minted.map(([, value]) => value).filter((value) => value > 0)).toEqual([(eventRequests / 3) * 120]);
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
    const { values: early } = await readAll({ transaction_events: true }, withoutEvents, [4, 3, 5], 12);
    const { values: seen } = await readAll({ transaction_events: true }, withoutEvents, [4, 3, 5], 14);

    expect(early.get("stacks_address_irregularities_total transfers_missing")).toBeUndefined();
    const counted = [...seen].filter(([key]) => key.startsWith("stacks_address_transactions_total"));
    expect(counted.reduce((sum, [, value]) => sum + value, 0)).toBe(12);
    expect(seen.get("stacks_address_irregularities_total transfers_missing")).toBeGreaterThan(0);
  });

  test("of a large block are requested by several polls, each once", async () => {
    const byBlock = await readAll({}, asServed, [600]);
    const { urls, requests, values: seen } = await readAll({}, withoutByBlock, [600]);

    expect(Math.max(...requests)).toBeLessThanOrEqual(60);
    expect(urls.filter(isNewEvents).length).toBeGreaterThan(60);
    expect(new Set(urls.filter(isNewEvents)).size).toBe(urls.filter(isNewEvents).length);
    expect(transfersOf(seen)).toEqual(transfersOf(byBlock.values));
    expect(seen.get("stacks_address_irregularities_total transfers_missing")).toBeUndefined();
  });

  test("that no server returns do not stop counting, even for more transactions than one poll requests", async () => {
    const isLost = (canned: Canned, operation: string): Canned =>
      operation === "transaction_events" ? { status: 404 } : withoutByBlock(canned, operation);

    const { values: seen } = await readAll({}, isLost, [600, 5], 30);

    const counted = [...seen].filter(([key]) => key.startsWith("stacks_address_transactions_total"));
    expect(counted.reduce((sum, [, value]) => sum + value, 0)).toBe(605);
    expect(seen.get("stacks_address_irregularities_total transfers_missing")).toBeGreaterThan(60);
  });

  test("are absent if every operation is removed", async () => {
    const { values: seen } = await readAll({ transaction_events: true }, withoutTransfers);

    expect(transfersOf(seen)).toEqual([]);
    expect(seen.get("stacks_address_irregularities_total transfers_missing")).toBeUndefined();
  });
});

/** The API of a world, with each result of one operation changed. */
function apiWith<Result>(world: ModelWorld, operation: string, change: (result: Result, index: number) => void) {
  return cannedApi((url, requested) => {
    const canned = world.respond(url, requested);
    if (requested === operation && typeof canned === "object" && "json" in canned) {
      const { results } = canned.json as { results: Result[] };
      for (const [index, result] of results.entries()) change(result, index);
    }
    return canned;
  });
}

describe("bad responses", () => {
  const changedApi = (
    change: (result: { tx: Record<string, unknown>; [key: string]: unknown }, index: number) => void,
  ) => {
    const world = new ModelWorld();
    world.mine([4, 0, 0]);
    return apiWith(world, "address_transactions", change);
  };
  const read = async (api: ReturnType<typeof cannedApi>) => {
    const of = targetOf(PRINCIPAL, 1);
    const options = { backfill: "all", transfers: false };
    const seen = await observe(addresses, api, undefined, {
      target: of,
      chain: chainOf(3),
      options,
    });
    return { api, values: await values(seen, of) };
  };
  const countOf = (seen: ReadonlyMap<string, number>) =>
    [...seen].filter(([key]) => key.startsWith("stacks_address_transactions_total")).reduce((sum, [, v]) => sum + v, 0);

  test("an amount that is not a number invalidates only itself", async () => {
    const { api, values: seen } = await read(
      changedApi((result, index) => {
        if (index === 1) result.stx_sent = "12x";
      }),
    );

    expect(countOf(seen)).toBe(4);
    expect(seen.get("stacks_address_irregularities_total bad_amount")).toBe(1);
    expect(api.drift).toContain("address_transactions stx_sent type");
  });

  test("unknown types become label values, up to a limit", async () => {
    const { values: seen } = await read(
      changedApi(({ tx }, index) => {
        tx.tx_type = index === 0 ? "Bad Type!" : `new_type_${index}`;
      }),
    );

    expect(countOf(seen)).toBe(4);
    expect([...seen.keys()].filter((key) => /transactions_total (new_type_|other )/.test(key)).length).toBe(4);
  });

  test("a list that is not in chain order is counted", async () => {
    const { values: seen } = await read(
      changedApi(({ tx }, index) => {
        tx.tx_index = index;
      }),
    );

    expect(countOf(seen)).toBe(4);
  });
});

interface WithTokens {
  readonly ft_transfers: { asset_identifier: string; sender: string }[];
}

test("assets beyond the limit become other, and sums are complete", async () => {
  const world = new ModelWorld();
  world.mine([40]);
  let made = 0;
  const api = apiWith(world, "transactions_with_transfers", ({ ft_transfers }: WithTokens) => {
    for (const transfer of ft_transfers) transfer.asset_identifier = `${PRINCIPAL}.tokens::asset-${++made}`;
  });
  const of = targetOf(PRINCIPAL, 1);
  const options = { backfill: "all", max_assets: 2 };

  const seen = await values(await observe(addresses, api, undefined, { target: of, chain: chainOf(1), options }), of);

  const moved = [...seen].filter(([key, value]) => key.startsWith("stacks_address_ft_transfers_total") && value > 0);
  expect(made).toBeGreaterThan(3);
  expect(moved).toHaveLength(3);
  expect(moved.reduce((sum, [, value]) => sum + value, 0)).toBe(made);
  expect(seen.get("stacks_address_label_overflow_total ft")).toBe(made - 2);
});

test.each([
  ["a tab", "SP000000000000000000002Q6VF78.token::co\tin"],
  ["NUL", "SP000000000000000000002Q6VF78.token::co\0in"],
  ["an escape sequence", "SP000000000000000000002Q6VF78.token::\u001B[2Jcoin"],
  ["right-to-left text", "SP000000000000000000002Q6VF78.token::\u202Enioc"],
  ["a million characters", `SP000000000000000000002Q6VF78.token::${"a".repeat(1_000_000)}`],
])("an identifier with %s is neither stored nor exposed, and its transfers count as other", async (_, identifier) => {
  const world = new ModelWorld();
  world.mine([40]);
  let made = 0;
  const api = apiWith(world, "transactions_with_transfers", ({ ft_transfers }: WithTokens) => {
    made += ft_transfers.length;
    for (const transfer of ft_transfers) Object.assign(transfer, { asset_identifier: identifier, sender: identifier });
  });
  const of = { target: targetOf(PRINCIPAL, 1), chain: world.view, options: { backfill: "all" } };

  const seen = await observe(addresses, api, undefined, of);
  const page = await textOf(addresses, seen, "mainnet", of.target);

  expect(made).toBeGreaterThan(3);
  expect(page).toContain(`asset="other",direction="in"} ${made}\n`);
  expect(page).toContain(`asset_class="ft"} ${made}\n`);
  for (const text of [page, JSON.stringify(seen, (__, value) => (typeof value === "bigint" ? `${value}` : value))]) {
    expect(text).not.toContain("token::");
    expect(text.length).toBeLessThan(100_000);
  }
});
