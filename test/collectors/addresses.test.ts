import { describe, expect, test } from "@jest/globals";
import { ApiError } from "../../src/api/errors.ts";
import type { AddressTotals } from "../../src/collectors/address-totals.ts";
import { addresses as collector } from "../../src/collectors/addresses.ts";
import type { AnyCollector } from "../../src/collectors/collector.ts";
import { type Canned, cannedApi, captured } from "../support/canned-api.ts";
import { expectGolden, textOf } from "../support/golden.ts";
import { ModelLedger, PRINCIPAL } from "../support/model-ledger.ts";
import { observe } from "../support/observe.ts";
import { parseExposition } from "../support/parser.ts";

const addresses = collector as unknown as AnyCollector;
const ADDRESS = "ST3W8Y9CGDA3APW7H3FV5WGNTGNHR8S01630SZY14";

const targetOf = (principal: string, confirmations = 6) => ({
  key: principal,
  watched: { principal, name: "desk", group: "exchange", labels: { owner: "treasury" } },
  confirmations,
});
const target = targetOf(ADDRESS);
const chain = { tipHeight: 60, reorgs: 0, seenAt: 0 };

interface Tx {
  readonly tx: { readonly block_height: number };
}

/** What the operations answered, for the twenty transactions that were captured. */
function answers(url: string, operation: string): Canned {
  if (operation === "address_transactions") {
    // As if the whole history had been captured, and not its newest page.
    return { json: { ...(captured("address-transactions.ok-default").json as object), limit: 50 } };
  }
  const { json } = captured("transactions-with-transfers.ok-default");
  const { results } = json as { results: Tx[] };
  const height = Number(new URL(url, "http://api").searchParams.get("height"));
  return { json: { results: results.filter(({ tx }) => tx.block_height === height) } };
}

describe("captured answers become these samples:", () => {
  test("what was there at first sight is not counted", async () => {
    const api = cannedApi(answers);
    const seen = await observe(addresses, api, undefined, { target, chain });

    expectGolden("address-transactions.first-sight", await textOf(addresses, seen, "testnet", target));
    expect(api.asked).toHaveLength(1);
  });

  test("a history read back, as far as it is deep enough", async () => {
    const api = cannedApi(answers);
    const options = { backfill: "all" };

    const seen = await observe(addresses, api, undefined, { target, chain, options });

    expectGolden("address-transactions.ok-default", await textOf(addresses, seen, "testnet", target));
  });

  test("the replacement, which tells less", async () => {
    const api = cannedApi((_, operation) =>
      operation === "principal_transactions"
        ? { json: { ...(captured("extended-v3-principal-transactions").json as object), cursor: { next: null } } }
        : { status: 410 },
    );
    const options = { backfill: "all", zeros: false };

    const seen = await observe(addresses, api, undefined, { target: targetOf(ADDRESS, 1), chain, options });

    expectGolden("extended-v3-principal-transactions", await textOf(addresses, seen, "testnet", target));
  });
});

describe("requests", () => {
  test("of an idle address are one a poll", async () => {
    const ledger = new ModelLedger();
    ledger.mine([3, 3, 3, 0, 0, 0, 0, 0]);
    const api = cannedApi(ledger.answer);
    const of = { target: targetOf(PRINCIPAL), chain: ledger.view };
    let seen = await observe(addresses, api, undefined, of);
    const before = api.asked.length;

    for (let polls = 0; polls < 3; polls += 1) seen = await observe(addresses, api, seen, of);

    expect(api.asked.length - before).toBe(3);
  });

  test("after a reorganisation that may concern it are not answered from what is stored", async () => {
    const asked: string[] = [];
    const ledger = new ModelLedger();
    ledger.mine([1, 1, 1, 1, 0, 0, 0, 0, 0, 0]);
    const plain = cannedApi(ledger.answer);
    const api: typeof plain = {
      ...plain,
      getWhole: (operation, parameters) => {
        asked.push("whole");
        return plain.getWhole(operation, parameters);
      },
      getIfChanged: (operation, parameters, etag) => {
        asked.push("if changed");
        return plain.getIfChanged(operation, parameters, etag);
      },
    };
    const at = (now: number) => ({ target: targetOf(PRINCIPAL), chain: ledger.view, now });
    let seen = await observe(addresses, api, undefined, at(ledger.now));
    seen = await observe(addresses, api, seen, at(ledger.now + 1_000));
    ledger.now += 10_000;
    ledger.reorg(8, [true, true, true, true]);
    ledger.mine([0, 0, 0, 0, 0, 0]);

    seen = await observe(addresses, api, seen, at(ledger.now + 1_000));
    seen = await observe(addresses, api, seen, at(ledger.now + 120_000));
    await observe(addresses, api, seen, at(ledger.now + 180_000));

    expect(asked).toEqual(["whole", "if changed", "whole", "whole", "if changed"]);
  });

  test("an unchanged list costs nothing but its request, and its horizon goes on with the chain", async () => {
    const ledger = new ModelLedger();
    ledger.mine([1, 2, 0, 0, 0, 0, 0, 0]);
    const api = cannedApi(ledger.answer);
    const at = () => ({
      target: targetOf(PRINCIPAL),
      chain: ledger.view,
      now: ledger.now,
      options: { backfill: "all" },
    });
    const heightOf = (observation: unknown) => (observation as { horizon: { height: number } }).horizon.height;
    const first = await observe(addresses, api, undefined, at());
    ledger.mine([0, 0, 0]);
    const second = await observe(addresses, api, first, at());

    expect((second as { totals: object }).totals).toBe((first as { totals: object }).totals);
    expect(heightOf(second)).toBe(heightOf(first) + 3);
    expect(api.asked.filter((url) => url.startsWith("address_transactions"))).toHaveLength(2);
  });
});

test.each([5, 7, 12, 40])("with %i requests a poll, a day of downtime is caught up, oldest first", async (room) => {
  const ledger = new ModelLedger();
  ledger.mine([1, 1, 0, 0, 0, 0, 0, 0]);
  const plain = cannedApi(ledger.answer);
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
  const at = () => ({ target: targetOf(PRINCIPAL), chain: ledger.view, now: ledger.now });
  let seen = (await observe(addresses, api, undefined, at())) as { totals: AddressTotals; facts: { backlog: number } };
  ledger.mine([...Array.from({ length: 600 }, () => 1), 0, 0, 0, 0, 0, 0]);
  const counts: number[] = [];
  let failed = 0;
  for (let polls = 0; polls < 400 && (counts.at(-1) ?? 0) < 600; polls += 1) {
    left = room;
    ledger.now += 60_000;
    try {
      seen = (await observe(addresses, api, seen, at())) as typeof seen;
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== "budget") throw error;
      failed += 1;
    }
    counts.push(Object.values(seen.totals.transactions).reduce((sum, count) => sum + count, 0));
  }

  expect(counts.at(-1)).toBe(600);
  expect(failed).toBe(0);
  expect(seen.totals.gap).toBe(0);
});

describe("a list that grows by more than a page between two requests", () => {
  // As of an address in the middle of a rush, whose requests wait for the budget: a block comes with every third.
  const growing = (ledger: ModelLedger, every: readonly number[]) => {
    let isGrowing = false;
    ledger.afterAnswer = () => {
      if (isGrowing && ledger.answers % 3 === 0) ledger.mine(every);
    };
    return { api: cannedApi(ledger.answer), grow: (is: boolean) => (isGrowing = is) };
  };
  const countOf = (seen: unknown) =>
    Object.values((seen as { totals: AddressTotals }).totals.transactions).reduce((sum, count) => sum + count, 0);

  test.each([[[70]], [[1, 30, 29]], [[3]], [[100]]])("is read from the newest down: %j", async (every) => {
    const ledger = new ModelLedger();
    ledger.mine([1, 0]);
    const { api, grow } = growing(ledger, every);
    const options = { transfers: false };
    const at = () => ({ target: targetOf(PRINCIPAL, 1), chain: ledger.view, now: ledger.now, options });
    let seen = await observe(addresses, api, undefined, at());
    ledger.mine([...Array.from({ length: 20 }, () => 9)]);
    grow(true);
    seen = await observe(addresses, api, seen, at());
    grow(false);
    for (let polls = 0; polls < 20; polls += 1) seen = await observe(addresses, api, seen, at());

    const canonical = [...ledger.between(3, ledger.tip)].length;
    expect(countOf(seen)).toBe(canonical);
    expect((seen as { totals: AddressTotals }).totals.gap).toBe(0);
  });

  test("is caught up from below", async () => {
    const ledger = new ModelLedger();
    ledger.mine([1, 0]);
    const { api, grow } = growing(ledger, [40]);
    const at = () => ({
      target: targetOf(PRINCIPAL, 1),
      chain: ledger.view,
      now: ledger.now,
      options: { transfers: false, pages: 4 },
    });
    let seen = await observe(addresses, api, undefined, at());
    ledger.mine([...Array.from({ length: 200 }, () => 9)]);
    grow(true);
    seen = await observe(addresses, api, seen, at());
    grow(false);
    for (let polls = 0; polls < 40; polls += 1) seen = await observe(addresses, api, seen, at());

    expect(countOf(seen)).toBe([...ledger.between(3, ledger.tip)].length);
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

describe("transfers that are not told by block", () => {
  const of = { ...targetOf(PRINCIPAL, 1) };
  const isTransfer = (key: string) => /^stacks_address_(stx|ft|nft)_transfer/.test(key);
  const isEvents = (asked: string) => asked.startsWith("address_transaction_events");

  /** Read to the end, in as many polls as it takes; `spoil` stands between the ledger and the collector. */
  async function readAll(
    options: object,
    spoil: (canned: Canned, operation: string, url: string) => Canned,
    sizes = [4, 3, 5],
  ) {
    const ledger = new ModelLedger();
    ledger.mine(sizes);
    const api = cannedApi((url, operation) => {
      const canned = spoil(ledger.answer(url, operation), operation, url);
      if (typeof canned === "object" && "status" in canned && canned.status === 410) api.retired.add(operation);
      return canned;
    });
    let seen: unknown;
    for (let polls = 0; polls < 6; polls += 1) {
      const poll = { target: of, chain: ledger.view, options: { backfill: "all", ...options } };
      seen = await observe(addresses, api, seen, poll);
    }
    return { asked: api.asked, values: await values(seen, of) };
  }
  const asTheyAre = (canned: Canned) => canned;
  const goneByBlock = (canned: Canned, operation: string): Canned =>
    operation === "transactions_with_transfers" ? { status: 410 } : canned;
  const transfersOf = (seen: ReadonlyMap<string, number>) => [...seen].filter(([key]) => isTransfer(key));

  test("are asked for by transaction where the operation for blocks is gone, and come out the same", async () => {
    const told = await readAll({}, asTheyAre);
    const looked = await readAll({ transaction_events: true }, goneByBlock);

    expect(transfersOf(told.values).some(([, value]) => value > 2 ** 127)).toBe(true);
    expect(transfersOf(looked.values)).toEqual(transfersOf(told.values));
    expect(told.asked.filter(isEvents)).toEqual([]);
    expect(new Set(looked.asked.filter(isEvents)).size).toBe(looked.asked.filter(isEvents).length);
    expect(looked.values.get("stacks_address_irregularities_total transfers_missing")).toBe(0);
  });

  test("are absent, and nobody asks for them, unless that was wished for", async () => {
    const { asked, values: seen } = await readAll({}, goneByBlock);

    expect(transfersOf(seen)).toEqual([]);
    expect(asked.filter(isEvents)).toEqual([]);
  });

  test("are asked for where a block lacks a transaction, and for that one only", async () => {
    const told = await readAll({}, asTheyAre);
    let lost: string | undefined;
    const { asked, values: seen } = await readAll({ transaction_events: true }, (canned, operation) => {
      if (operation !== "transactions_with_transfers" || !("json" in Object(canned))) return canned;
      const { results, ...rest } = (canned as { json: { results: { tx: { tx_id: string }; ft_transfers: [] }[] } })
        .json;
      lost ??= results.find(({ ft_transfers }) => ft_transfers.length > 0)?.tx.tx_id;
      return { json: { ...rest, results: results.filter(({ tx }) => tx.tx_id !== lost) } };
    });

    expect(lost).toBeDefined();
    expect(asked.filter(isEvents)).toEqual([expect.stringContaining(`/transactions/${lost}/events`)]);
    expect(transfersOf(seen)).toEqual(transfersOf(told.values));
  });

  test("of a long list of events come page by page", async () => {
    const { asked, values: seen } = await readAll(
      { transaction_events: true },
      (canned, operation, url) => {
        if (operation !== "address_transaction_events") return goneByBlock(canned, operation);
        const query = new URL(url, "http://api").searchParams;
        const [offset, limit] = [Number(query.get("offset")), Number(query.get("limit"))];
        const event = { type: "nft", data: { type: "mint", asset_identifier: "a::b", recipient: PRINCIPAL } };
        const results = Array.from({ length: Math.min(limit, 120 - offset) }, () => event);
        return { json: { limit, offset, total: 120, results } };
      },
      [8],
    );

    const looked = asked.filter(isEvents).length;
    expect(looked).toBeGreaterThanOrEqual(3);
    const minted = [...seen].filter(([key]) => /^stacks_address_nft_transfers_total .*a::b/.test(key));
    expect(minted.map(([, value]) => value).filter((value) => value > 0)).toEqual([(looked / 3) * 120]);
  });

  test.each<[string, Canned]>([
    ["an unknown transaction", { status: 404 }],
    ["one without events, as one that changes its block", { json: { limit: 50, offset: 0, total: 0, results: [] } }],
    [
      "more events than anybody reads",
      { json: { limit: 50, offset: 0, total: 10_000, results: [{ type: "stx", data: {} }] } },
    ],
  ])("are waited for, then counted without and said: %s", async (_, answer) => {
    const { values: seen } = await readAll({ transaction_events: true }, (canned, operation) =>
      operation === "address_transaction_events" ? answer : goneByBlock(canned, operation),
    );

    const counted = [...seen].filter(([key]) => key.startsWith("stacks_address_transactions_total"));
    expect(counted.reduce((sum, [, value]) => sum + value, 0)).toBe(12);
    expect(seen.get("stacks_address_irregularities_total transfers_missing")).toBeGreaterThan(0);
  });

  test("of a crowded block are not asked for one by one", async () => {
    const { asked, values: seen } = await readAll({ transaction_events: true }, goneByBlock, [80]);

    expect(asked.filter(isEvents)).toEqual([]);
    expect(seen.get("stacks_address_irregularities_total transfers_missing")).toBeGreaterThan(10);
  });

  test("are absent when both operations are gone", async () => {
    const { values: seen } = await readAll({ transaction_events: true }, (canned, operation) =>
      operation === "address_transaction_events" ? { status: 410 } : goneByBlock(canned, operation),
    );

    expect(transfersOf(seen)).toEqual([]);
  });
});

describe("bad answers", () => {
  const spoiled = (
    change: (result: { tx: Record<string, unknown>; [key: string]: unknown }, index: number) => void,
  ) => {
    const ledger = new ModelLedger();
    ledger.mine([4, 0, 0]);
    return cannedApi((url, operation) => {
      const canned = ledger.answer(url, operation);
      if (operation === "address_transactions" && typeof canned === "object" && "json" in canned) {
        const { results } = canned.json as { results: { tx: Record<string, unknown> }[] };
        for (const [index, result] of results.entries()) change(result, index);
      }
      return canned;
    });
  };
  const read = async (api: ReturnType<typeof cannedApi>) => {
    const of = targetOf(PRINCIPAL, 1);
    const options = { backfill: "all", transfers: false };
    const seen = await observe(addresses, api, undefined, {
      target: of,
      chain: { tipHeight: 3, reorgs: 0, seenAt: 0 },
      options,
    });
    return { api, values: await values(seen, of) };
  };
  const countOf = (seen: ReadonlyMap<string, number>) =>
    [...seen].filter(([key]) => key.startsWith("stacks_address_transactions_total")).reduce((sum, [, v]) => sum + v, 0);

  test("an amount that is no number spoils only itself", async () => {
    const { api, values: seen } = await read(
      spoiled((result, index) => {
        if (index === 1) result.stx_sent = "12x";
      }),
    );

    expect(countOf(seen)).toBe(4);
    expect(seen.get("stacks_address_irregularities_total bad_amount")).toBe(1);
    expect(api.drift).toContain("address_transactions stx_sent type");
  });

  test("unknown types and statuses pass, up to a bound", async () => {
    const { values: seen } = await read(
      spoiled(({ tx }, index) => {
        tx.tx_type = index === 0 ? "Bad Type!" : `new_type_${index}`;
      }),
    );

    expect(countOf(seen)).toBe(4);
    expect([...seen.keys()].filter((key) => /transactions_total (new_type_|other )/.test(key)).length).toBe(4);
  });

  test("a list out of order is counted, and said", async () => {
    const { values: seen } = await read(
      spoiled(({ tx }, index) => {
        tx.tx_index = index;
      }),
    );

    expect(countOf(seen)).toBe(4);
    expect(seen.get("stacks_address_irregularities_total unordered")).toBe(1);
  });
});

test("assets beyond the bound become other, and sums stay right", async () => {
  const ledger = new ModelLedger();
  ledger.mine([40]);
  let made = 0;
  const api = cannedApi((url, operation) => {
    const canned = ledger.answer(url, operation);
    if (operation === "transactions_with_transfers" && typeof canned === "object" && "json" in canned) {
      const { results } = canned.json as { results: { ft_transfers: { asset_identifier: string }[] }[] };
      for (const transfer of results.flatMap(({ ft_transfers }) => ft_transfers)) {
        made += 1;
        transfer.asset_identifier = `asset-${made}`;
      }
    }
    return canned;
  });
  const of = targetOf(PRINCIPAL, 1);
  const options = { backfill: "all", max_assets: 2 };

  const seen = await values(
    await observe(addresses, api, undefined, { target: of, chain: { tipHeight: 1, reorgs: 0, seenAt: 0 }, options }),
    of,
  );

  const moved = [...seen].filter(([key, value]) => key.startsWith("stacks_address_ft_transfers_total") && value > 0);
  expect(made).toBeGreaterThan(3);
  expect(moved).toHaveLength(3);
  expect(moved.reduce((sum, [, value]) => sum + value, 0)).toBe(made);
  expect(seen.get("stacks_address_label_overflow_total ft")).toBe(made - 2);
});
