// Servers without the operations of version 3: few requests in each poll, and large responses.
import { describe, expect, test } from "@jest/globals";
import { expectExact, expectNet, ModelExporter, type Name } from "../support/model-exporter.ts";

const NEWER = ["contract_logs", "transaction", "principal_transactions", "transactions"];
/** A result, or a value of an event, of over 5 MB of JSON. */
const LARGE = { hex: `0x${"61".repeat(1_000_000)}`, repr: "none ".repeat(1_000_000) };
/** A text of 120 kB. */
const TEXT = { hex: `0x02000001d4c0${"61".repeat(120_000)}`, repr: `0x${"61".repeat(120_000)}` };

interface Body {
  readonly results: readonly { readonly tx: object; readonly contract_log: object }[];
}

/** An exporter after its first polls, at a server that lacks operations. `change` is what later responses have. */
async function startedAt(lacked: readonly string[], names: readonly Name[]) {
  // Shorter than the pause after a refused request: the clock does not pass for a poll that waits for its end.
  const collectors = Object.fromEntries(names.map((name) => [name, { timeout: "1m" }]));
  const model = await ModelExporter.start({ collectors });
  const { world, api } = model;
  const { respond } = world;
  const changes = new Map<string, (body: Body, url: URL) => object>();
  world.respond = (path, operation) => {
    const canned = respond(path, operation);
    if ("status" in canned) return canned;
    if (lacked.includes(operation)) return { status: 404, isRouteMissing: true };
    const changed = changes.get(operation)?.(canned.json as Body, new URL(path, api.url));
    return changed === undefined ? canned : { json: changed };
  };
  const polls = async (times: number) => {
    for (let done = 0; done < times; done += 1) await model.poll(names, 300);
  };
  world.mine(new Array(60).fill(1));
  await polls(3);
  return { model, world, api, changes, polls };
}

test.each([
  ["without those operations", NEWER],
  ["without the events of a contract by cursor", ["contract_logs"]],
  ["with all of them", []],
])("a server %s counts events with one request in each poll", async (_, lacked) => {
  const { model, world, polls } = await startedAt(lacked, ["blocks", "contracts"]);
  await using _model = model;
  world.mine([9, 9, 9, 0, 0, 0, 0]);
  world.allowance = 1;
  await polls(60);
  expectExact(model, ["contracts"]);
});

test("the first poll that knows the chain reads one page of events, also after one that does not", async () => {
  await using model = await ModelExporter.start({ collectors: { contracts: {}, blocks: {} } });
  const { world, api, exporter } = model;
  for (const operation of NEWER) world.status.set(operation, 410);
  world.mine(new Array(100).fill(30));
  for (const name of ["contracts", "blocks", "contracts"]) await exporter.poll(name);
  expect(api.requests.filter((one) => one.startsWith("contract_events"))).toHaveLength(2);
});

describe("large responses", () => {
  test("of a page of events: it gets smaller", async () => {
    const { model, world, changes, polls } = await startedAt(NEWER, ["blocks", "contracts"]);
    await using _model = model;
    changes.set("contract_events", ({ results, ...body }) => ({
      ...body,
      results: results.map((event) => ({ ...event, contract_log: { ...event.contract_log, value: TEXT } })),
    }));
    world.mine([160, 0, 0, 0, 0]);
    await polls(2);
    expectNet(model, "contracts");
    expect(model.exporter.failures).toEqual([]);
  });

  test("of a transaction: its events are not requested", async () => {
    const { model, world, changes, polls } = await startedAt(NEWER, ["blocks", "contracts"]);
    await using _model = model;
    changes.set("original_transaction", (body, url) => {
      const limit = Number(url.searchParams.get("event_limit") ?? 20);
      return { ...body, events: new Array(Math.min(limit, 3)).fill({ value: LARGE }) };
    });
    world.mine([9, 0, 0, 0, 0]);
    await polls(2);
    expectExact(model, ["contracts"]);
    expect(model.exporter.failures).toEqual([]);
  });

  test.each([
    ["a server without those operations", NEWER],
    ["a server with them, whose newer list has no results", []],
  ])("of transactions with large results at %s: pages get smaller", async (_, lacked) => {
    const { model, world, changes, polls } = await startedAt(lacked, ["blocks", "addresses", "contract_calls"]);
    await using _model = model;
    world.mine([40, 0, 0, 0, 0]);
    // Results of calls that do not fail.
    const large = new Set(world.between(61, 61).flatMap(({ id, status }) => (status === "success" ? [id] : [])));
    const isLarge = (id: unknown) => [...large].slice(0, 3).includes(String(id));
    changes.set("address_transactions", ({ results, ...body }) => ({
      ...body,
      results: results.map(({ tx, ...row }) => {
        const isChanged = isLarge((tx as { tx_id?: unknown }).tx_id);
        return { ...row, tx: isChanged ? { ...tx, tx_result: LARGE } : tx };
      }),
    }));
    await polls(6);
    expectExact(model, ["addresses", "contract_calls"]);
    expect(model.exporter.failures).toEqual([]);
  });
});
