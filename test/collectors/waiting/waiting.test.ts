import { describe, expect, test } from "@jest/globals";
import { ApiError } from "../../../src/api/errors.ts";
import type { StacksApi } from "../../../src/api/operation.ts";
import { waitingViewOf } from "../../../src/collectors/mempool-transactions/listed.ts";
import { waiting } from "../../../src/collectors/waiting/waiting.ts";
import { Fixture } from "../../api/fixture.ts";
import { json, type Scene } from "../../api/scripted-server.ts";
import { cannedApi, captured } from "../../support/canned-api.ts";
import { CollectorRun, targetOf } from "../../support/collect.ts";
import { expectGolden } from "../../support/golden.ts";
import { WaitingWorld } from "../../support/waiting-world.ts";

const PRINCIPAL = "SP2EE91RRJWEH74FPB4132P0A3C3NG1XBBTBQ6Q3Z";
const OTHER = "SP1ZAEN70T5XDS7T8E4VS7GJM328V7GPMYJ79DW6B";
const CONTRACT = "SPYBWR5611F6BK794ZM384GNCAPF46CCTAFWPCNV.logger";
const NOW = 1_795_301_800_000;
const MINUTE = 60;

const walletOf = (principal: string) => targetOf(principal, 3, { name: "wallet" });
const runOf = (api: StacksApi, principal = PRINCIPAL) =>
  new CollectorRun(waiting, api, { target: walletOf(principal), now: NOW });
/** An API with a list and the nonces of a principal. */
const apiOf = (list: unknown, nonces: unknown) =>
  cannedApi((_, operation) => ({ json: operation === "principal_mempool" ? list : nonces }));

const listOf = (name: string) => captured(`v3-principal-mempool.${name}`).json;
const noncesOf = (name: string) => captured(`v3-nonces.${name}`).json;
const { results } = listOf("pending") as { results: { sender: { nonce: number } }[] };
const gap = { ...(listOf("pending") as object), results: results.filter(({ sender }) => sender.nonce !== 3) };

test.each([
  ["pending.SP2EE", PRINCIPAL, listOf("pending"), noncesOf("pending")],
  ["account.SP2EE", PRINCIPAL, listOf("account"), noncesOf("account")],
  ["unused.SP2EE", PRINCIPAL, listOf("unused"), noncesOf("unused")],
  ["pending.SP1ZA", OTHER, listOf("pending"), noncesOf("pending")],
  ["pending.SPYBW", CONTRACT, listOf("pending"), noncesOf("pending")],
  // A missing nonce.
  ["gap", PRINCIPAL, gap, noncesOf("pending")],
])("golden v3-principal-mempool.%s", async (name, principal, list, nonces) => {
  const run = runOf(apiOf(list, nonces), principal);
  await run.poll();
  expectGolden(`v3-principal-mempool.${name}`, run.samples.page);
});

/** A world with one wallet that has sent two transactions. */
async function oneWallet() {
  const world = await WaitingWorld.start({ seed: "wallet", activity: 0 }, ({ accounts }) => [
    accounts.unused(2_000_000),
  ]);
  const [wallet = ""] = world.principals;
  for (const fee of [3000, 3000]) world.chain.send(wallet, { fee });
  await world.pass(10 * MINUTE);
  return { world, wallet, samples: () => world.samplesOf(wallet) };
}
const REMOVED = "mempool_removed_transactions_total";

describe("requests", () => {
  test("a quiet wallet costs one request in three hours, and none between", async () => {
    const { world, wallet } = await oneWallet();
    await using _ = world;
    await world.pass(3 * 3600);
    expect(await world.poll(wallet)).toEqual([]);
    const { requests } = world.simulator;
    const before = requests.length;
    await world.pass(3 * 3600);
    const own = requests.slice(before).filter(({ path }) => path.includes(wallet));
    expect(own.map(({ path, status }) => [path.includes("/mempool/"), status])).toEqual([[true, 200]]);
  });

  test("a transaction that waits for long is read again, the older the less often", async () => {
    const { world, wallet } = await oneWallet();
    await using _ = world;
    world.chain.send(wallet, { fee: 100 });
    const { requests } = world.simulator;
    const reads = async (seconds: number) => {
      const before = requests.length;
      await world.pass(seconds);
      return requests.slice(before).filter(({ path }) => path.includes("/mempool/") && path.includes(wallet)).length;
    };
    const [first, second, later] = [await reads(3600), await reads(3600), await reads(6 * 3600)];
    expect([first, second < first, later < 10]).toEqual([5, true, true]);
  });

  test("without the lists of the whole chain, the list of the principal is read every five minutes", async () => {
    const { world, wallet, samples } = await oneWallet();
    await using _ = world;
    world.hasViews = false;
    await world.restart();
    await world.pass(20 * MINUTE);
    const before = world.simulator.requests.length;
    world.chain.send(wallet, { fee: 100 });
    await world.pass(20 * MINUTE);
    const own = world.simulator.requests.slice(before).filter(({ path }) => path.includes("/mempool/"));
    expect(own).toHaveLength(4);
    expect(await samples()).toMatchObject({ "mempool_transactions out token_transfer": 1 });
  });

  test("when the lists of the whole chain are old, a poll that reads nothing does not count as fresh", async () => {
    const { world, wallet } = await oneWallet();
    await using _ = world;
    world.simulator.faults.add({ kind: "503" });
    await world.pass(30 * MINUTE);
    expect(world.failures.length).toBeGreaterThan(10);
    await world.poll(wallet);
    expect(world.failures.at(-1)).toBe("http_server");
  });
});

describe("a missing nonce", () => {
  test("is found while nothing is confirmed and the server reports none", async () => {
    await using world = await WaitingWorld.start({ seed: "new", activity: 0 }, ({ accounts }) => [accounts.unused(9)]);
    const [wallet = ""] = world.principals;
    for (const nonce of [1, 2]) world.chain.send(wallet, { nonce });
    await world.pass(7 * MINUTE);
    expect(await world.samplesOf(wallet)).toMatchObject({ missing_nonce: 0, mempool_blocked_transactions: 2 });
  });

  const row = (nonce: number) => ({
    tx_id: `0x${String(nonce).padStart(64, "0")}`,
    type: "token_transfer",
    sender: { address: PRINCIPAL, nonce },
    fee_rate: "3000",
    receipt_time: NOW / 1000 - 3600,
  });
  const list = (waiting: readonly number[]) => ({ total: 1, cursor: { next: null }, results: waiting.map(row) });
  /** The responses of one poll: waiting nonces; the confirmed, last and pending ones. */
  const poll = (
    waiting: readonly number[],
    confirmed: number,
    last: number | null,
    pending: readonly number[] = [],
  ) => {
    const nonces = { last_confirmed_nonce: confirmed, mempool: { last_nonce: last, pending_nonces: pending } };
    return apiOf(list(waiting), nonces);
  };

  test.each<[string, StacksApi[], number | undefined]>([
    ["is there when list and nonces agree", [poll([7, 8], 5, 8, [7])], 6],
    ["is not there without a gap", [poll([6, 7], 5, 7, [6])], undefined],
    ["is not there when a sponsored transaction has the nonce", [poll([7], 5, 7, [6])], undefined],
    ["is not confirmed by nonces that lack the newest transaction", [poll([9], 5, 8, [6, 8])], undefined],
    [
      "is not confirmed by a server that knows a lower confirmed nonce",
      [poll([9], 8, 9), poll([9], 5, 9, [6, 8])],
      undefined,
    ],
    [
      "is confirmed when a reorganisation has lowered the confirmed nonce",
      [poll([9], 8, 9), poll([9], 5, 9, [6, 8]), poll([9], 5, 9, [6, 8])],
      7,
    ],
    ["stays when a later response cannot confirm it", [poll([7], 5, 7), poll([7], 5, null)], 6],
    ["ends when the nonce is confirmed", [poll([7], 5, 7), poll([7], 6, 7)], undefined],
  ])("%s", async (_, polls, missing) => {
    const run = runOf(apiOf(list([]), {}));
    // An hour apart.
    for (const [index, api] of polls.entries()) {
      run.restart();
      await run.poll({ api, now: NOW + index * 3_600_000 });
    }
    expect(run.samples.get("address_missing_nonce")).toBe(missing);
  });

  test.each(["budget", "timeout"] as const)(
    "ends when a poll without a request for nonces (%s) is over",
    async (reason) => {
      const run = runOf(poll([7], 5, 7));
      await run.poll();
      const after = poll([7], 6, 7);
      for (let hour = 1; hour <= 4; hour += 1) {
        const sent = after.requests.length;
        const get: typeof after.get = (operation, parameters) =>
          after.requests.length > sent
            ? Promise.reject(new ApiError(reason, operation.name, "no room"))
            : after.get(operation, parameters);
        await run.poll({ api: { ...after, get }, now: NOW + hour * 3_600_000 });
      }
      expect([run.samples.get("address_missing_nonce"), run.failures]).toEqual([undefined, []]);
    },
  );
});

test("a read that the budget cuts off is repeated when it can be longer, and later ones keep what is known", async () => {
  const rows = Array.from({ length: 60 }, (_, index) => ({
    tx_id: `0x${String(60 - index).padStart(64, "0")}`,
    type: "token_transfer",
    sender: { address: PRINCIPAL, nonce: 60 - index },
    fee_rate: "3000",
    receipt_time: NOW / 1000 - 60,
  }));
  const canned = cannedApi((url, operation) => {
    if (operation !== "principal_mempool")
      return { json: { last_confirmed_nonce: 0, mempool: { last_nonce: 60, pending_nonces: [] } } };
    const from = Number(/cursor=\d+(?::|%3A)(\d+)/.exec(url)?.[1] ?? 0);
    const next = from === 0 ? `${NOW / 1000}:50` : null;
    return { json: { total: 60, cursor: { next }, results: rows.slice(from, from + 50) } };
  });
  let room = 2;
  const run = runOf({ ...canned, room: () => room });
  const waits = async (minutes: number, more: number) => {
    room = more;
    const now = NOW + minutes * 60_000;
    const views = { mined: { rows: [], readAt: now }, waiting: waitingViewOf([], now) };
    const samples = await run.poll({ ...views, now });
    return [canned.requests.length, samples.get("address_mempool_transactions out token_transfer")];
  };

  expect(await waits(0, 2)).toEqual([2, undefined]);
  // One page would be no more than is known.
  expect(await waits(1, 2)).toEqual([2, undefined]);
  expect(await waits(2, 5)).toEqual([5, 60]);
  expect(await waits(4 * 60, 2)).toEqual([7, 60]);
});

test("a list that is too long to read has counters only, and is logged", async () => {
  const page = (from: number) => ({
    total: 1000,
    cursor: { next: `1:${from}` },
    results: Array.from({ length: 50 }, (_, n) => ({
      tx_id: `0x${String(from + n).padStart(64, "0")}`,
      type: "contract_call",
      sender: { address: OTHER, nonce: from + n },
      fee_rate: "1",
      receipt_time: 1,
      contract_call: { contract_id: CONTRACT },
    })),
  });
  let pages = 0;
  const api = cannedApi(() => {
    pages += 1;
    return { json: page(pages * 50) };
  });
  const run = runOf(api, CONTRACT);
  const samples = await run.poll();

  expect([pages, run.notes.length]).toEqual([20, 1]);
  expect(samples.of(/(?:)/)).toEqual({ [`address_${REMOVED} in replaced`]: 0, [`address_${REMOVED} in dropped`]: 0 });
});

test.each([
  ["is stuck", 20, 1],
  ["is known to lag", 8 * MINUTE, 0],
])("a server that %s removes no transaction", async (_, seconds, success) => {
  const { world, wallet, samples } = await oneWallet();
  await using _world = world;
  const { simulator, chain, exporter } = world;
  await world.pass(3600);
  const stuckAt = chain.height - 1;
  chain.send(wallet, { fee: 100 });
  await world.pass(seconds);
  for (const name of ["blocks", "transactions", "mempool_transactions", "waiting"]) await exporter.poll(name);
  world.onPolls = () => simulator.replicas.use([{ kind: "lag", blocks: chain.height - stuckAt }]);
  await world.pass(50 * MINUTE);
  const page = await exporter.page();
  expect(page.value("stacks_exporter_collector_success", { collector: "waiting" })).toBe(success);
  world.onPolls = () => undefined;
  simulator.replicas.clear();
  await world.pass(20 * MINUTE);
  expect(await samples()).toMatchObject({
    [`${REMOVED} out dropped`]: 0,
    "mempool_transactions out token_transfer": 1,
  });
});

describe("a bad response", () => {
  const good = { total: 0, cursor: { next: null }, results: [] };
  const polled = async (...scenes: Scene[]) => {
    await using f = await Fixture.start(scenes);
    const run = runOf(f.api());
    await run.poll();
    return { failed: run.failures[0], drifts: f.recorder.drifts };
  };

  test("with a negative nonce fails, and the field is counted", async () => {
    const nonces = { last_confirmed_nonce: 1, mempool: { last_nonce: -5, pending_nonces: [] } };
    const { failed, drifts } = await polled(json(good), json(nonces));
    expect(failed).toMatchObject({ reason: "bad_body", operation: "principal_nonces" });
    expect(drifts).toEqual(["principal_nonces mempool.last_nonce type"]);
  });

  test("of an older server is not a failure", async () => {
    const missing = { message: "Route GET:/extended/v3/x not found", error: "Not Found", statusCode: 404 };
    expect((await polled(json(missing, 404))).failed).toMatchObject({ reason: "not_found", isUnsupported: true });
  });
});

describe("by the lists of the whole chain,", () => {
  const WAITING = "address_mempool_transactions out token_transfer";
  interface Tx {
    readonly id: string;
    readonly nonce: number;
    readonly sender?: string;
    /** Hash of its block, at height 7. */
    readonly hash?: string;
  }
  const txOf = ({ hash = "0x7", ...tx }: Tx) => ({
    ...{ type: "token_transfer", fee: 3000, sender: PRINCIPAL, receiver: undefined, minedAt: undefined, ...tx },
    ...{ receivedAt: NOW / 1000, at: NOW / 1000, index: 0, height: 7, hash, parties: [PRINCIPAL] },
    ...{ status: "success", called: undefined, cause: undefined },
  });

  /** Polls a minute apart, after one poll of a principal without transactions. */
  async function polled() {
    const empty = { total: 0, cursor: { next: null }, results: [] };
    const nonces = { last_confirmed_nonce: 4, mempool: { last_nonce: null, pending_nonces: [] } };
    const api = apiOf(empty, nonces);
    const run = runOf(api);
    await run.poll();
    let now = NOW;
    return async ({ mined = [], age = 0, waits = [] }: { mined?: Tx[]; age?: number; waits?: Tx[] }) => {
      now += 60_000;
      const views = {
        mined: { rows: mined.map(txOf), readAt: now - age },
        waiting: waitingViewOf(waits.map(txOf), now),
      };
      const samples = await run.poll({ ...views, now });
      run.restart();
      expect(api.requests).toHaveLength(2);
      return { waits: samples.get(WAITING), removed: samples.sum(`address_${REMOVED}`), samples };
    };
  }

  test.each([
    ["that was dropped before its address was added does not count as removed", [false, false], 0],
    ["that the first read lacks counts when it is dropped", [false, true], 1],
    ["that the first read has counts when it is dropped", [true, true], 1],
  ])("a transaction %s", async (_, listed, dropped) => {
    const a = { ...txOf({ id: `0x${"a".repeat(64)}`, nonce: 5 }), receivedAt: NOW / 1000 - 600 };
    const sender = { address: PRINCIPAL, nonce: 5 };
    const item = { tx_id: a.id, type: a.type, sender, fee_rate: "1", receipt_time: a.receivedAt };
    const shown: (number | undefined)[] = [];
    const run = runOf(apiOf({}, {}));
    for (const [poll, isListed] of [...listed, false, false].entries()) {
      const now = NOW + poll * 3_600_000;
      const api = cannedApi((_, operation) => {
        if (operation === "principal_nonces") return { json: noncesOf("unused") };
        if (operation === "transaction") return { status: 404 };
        return { json: { cursor: { next: null }, results: isListed ? [item] : [] } };
      });
      const samples = await run.poll({ api, now, mined: { rows: [], readAt: now }, waiting: waitingViewOf([a], now) });
      shown.push(samples.get(WAITING));
      run.restart();
    }

    expect([shown, run.failures]).toEqual([[listed[0] ? 1 : undefined, dropped, dropped, 0], []]);
    expect(run.samples.of(/removed_.* dropped/)).toMatchObject({ [`address_${REMOVED} out dropped`]: dropped });
  });

  const bottom = { receipt_time: NOW / 1000 - 600, tx_id: "0xb", type: "token_transfer", fee_rate: "1" };
  test.each([
    ["the list lacks and was dropped", null, { status: 404 }],
    ["is below the end of a read and was dropped", "1", { status: 404 }],
    ["is below the end of a read and waits", "1", { json: { tx_id: "0xa" } }],
  ])("one of the chain that %s hides the gauges for some minutes", async (_, next, transaction) => {
    const a = { ...txOf({ id: `0x${"a".repeat(64)}`, nonce: 5 }), receivedAt: NOW / 1000 - 42 * 3600 };
    const list = { results: [{ ...bottom, sender: { address: PRINCIPAL, nonce: 0 } }] };
    const run = runOf(apiOf({ ...list, cursor: { next: null } }, noncesOf("unused")));
    await run.poll({ now: NOW });
    const canned = cannedApi((_, operation) => {
      if (operation === "transaction") return transaction;
      return { json: operation === "principal_nonces" ? noncesOf("unused") : { ...list, cursor: { next } } };
    });
    const api = { ...canned, room: () => 3 };
    const absent: number[] = [];
    for (let minute = 1; minute <= 60; minute += 1) {
      const now = NOW + minute * 60_000;
      const waits = minute < 20 ? [a] : [];
      await run.poll({ api, now, mined: { rows: [], readAt: now }, waiting: waitingViewOf(waits, now) });
      if (run.samples.get(WAITING) === undefined) absent.push(minute);
    }

    expect([absent.at(-1), run.failures]).toEqual([9, []]);
  });

  test("what is listed as waiting may have been mined while the mined transactions are not known", async () => {
    const poll = await polled();
    expect(await poll({ age: 600_000, waits: [{ id: "a", nonce: 5 }] })).toMatchObject({ waits: 0 });
  });

  test("a mined transaction waits again when it is listed again", async () => {
    const poll = await polled();
    const a = { id: "a", nonce: 5 };
    expect(await poll({ waits: [a] })).toMatchObject({ waits: 1 });
    expect(await poll({ mined: [a] })).toMatchObject({ waits: 0 });
    // A fork has replaced its block, and it is listed again.
    expect(await poll({ waits: [a] })).toMatchObject({ waits: 1 });
    expect(await poll({ mined: [{ ...a, hash: "0xother" }] })).toMatchObject({ waits: 0 });
    expect(await poll({})).toMatchObject({ waits: 0, removed: 0 });
  });

  test.each([
    ["the higher fee", 4000],
    ["the one that is known, if the other has a lower fee", 2000],
  ])("of two with the same nonce, %s waits", async (_, fee) => {
    const poll = await polled();
    const a = { id: "a", nonce: 5 };
    const b = { ...a, id: "b", fee };
    await poll({ waits: [a] });
    // The order of responses does not matter, and neither does a repetition.
    for (const waits of [[b], [a], [b, a]]) {
      const { samples } = await poll({ waits });
      expect(samples.get(WAITING)).toBe(1);
      expect(samples.get("address_mempool_next_fee_microstx token_transfer")).toBe(Math.max(fee, 3000));
      expect(samples.get(`address_${REMOVED} out replaced`)).toBe(1);
    }
  });
});
