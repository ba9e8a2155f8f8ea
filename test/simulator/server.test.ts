// Clock, gateway, request log, unusual requests and remote control.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../simulator/server.ts";
import { json, START, send, stillSimulator } from "./support.ts";

const running: Simulator[] = [];
const start = async (options: SimulatorOptions = {}) => {
  const simulator = await stillSimulator({ history: 30, ...options });
  running.push(simulator);
  return simulator;
};
afterEach(async () => {
  await Promise.all(running.splice(0).map((simulator) => simulator.close()));
});

const FEES = "/extended/v2/mempool/fees";

describe("time", () => {
  test("follows the clock times the scale at each request", async () => {
    let now = START * 1000;
    const simulator = await startSimulator({ now: () => now, timeScale: 60, history: 5 });
    running.push(simulator);
    now += 10_000;
    expect(simulator.chain.now).toBe(START);

    await send(`${simulator.url}/extended`);

    expect(simulator.chain.now).toBe(START + 600);
  });

  test("advances on command, from any start", async () => {
    const simulator = await start({ start: 1_000_000_000 });
    simulator.advance(90);
    await send(`${simulator.url}/extended`);

    expect(simulator.chain.now).toBe(1_000_000_090);
  });
});

describe("the gateway", () => {
  test("limits requests per minute and reports how many remain", async () => {
    let now = START * 1000;
    const simulator = await startSimulator({ now: () => now, history: 5, gateway: { perMinute: 2 } });
    running.push(simulator);
    const get = () => send(simulator.url + FEES);

    expect(await get()).toMatchObject({ status: 200, headers: { "ratelimit-limit": "2", "ratelimit-remaining": "1" } });
    now += 20_000;
    await get();
    const refused = await get();
    expect(refused).toMatchObject({ status: 429, headers: { "retry-after": "40", "ratelimit-remaining": "0" } });
    now += 40_000;
    expect((await get()).status).toBe(200);
  });

  test("requires its key", async () => {
    const simulator = await start({ gateway: { key: { header: "X-Api-Key", value: "secret" } } });

    expect((await send(simulator.url + FEES)).status).toBe(401);
    expect((await send(simulator.url + FEES, { headers: { "x-api-key": "wrong" } })).status).toBe(401);
    expect((await send(simulator.url + FEES, { headers: { "x-api-key": "secret" } })).status).toBe(200);
  });
});

test("the log has every request with its operation and status", async () => {
  const simulator = await start();
  await send(`${simulator.url}/extended/v1/block/by_height/3?x=1`, {
    headers: { "if-none-match": '"tag"', "x-more": "1" },
  });
  await send(`${simulator.url}/extended/v1/block/by_height/4`);
  await send(`${simulator.url}/nowhere`);
  await send(`${simulator.url}/_sim/state`);

  expect(simulator.requests).toHaveLength(3);
  expect(simulator.requests[0]).toMatchObject({
    at: START * 1000,
    method: "GET",
    path: "/extended/v1/block/by_height/3?x=1",
    template: "/extended/v1/block/by_height/{height}",
    status: 200,
    ifNoneMatch: '"tag"',
    headers: { "x-more": "1" },
  });
  expect(simulator.log.counts()).toEqual({ "/extended/v1/block/by_height/{height} 200": 2, "unknown 404": 1 });
});

describe("unusual requests", () => {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await stillSimulator({ history: 3 });
  });
  afterAll(() => simulator.close());

  const hash = "ab".repeat(32);
  const cases: [string, number][] = [
    [`${FEES}/`, 200],
    [`${FEES}?nonsense=1`, 200],
    ["/extended/v1/block/0xabcd", 404],
    ["/extended/v1/block/0xabc", 400],
    ["/extended/v1/block/0xnothex", 400],
    ["/extended/v1/block/by_height/0", 404],
    ["/extended/v1/block/by_height/-1", 400],
    ["/extended/v1/block/by_height/1.5", 400],
    ["/extended/v1/block/by_height/latest", 400],
    ["/extended/v1/block/by_height/2147483648", 500],
    ["/extended/v1/contract/anything at all/events", 200],
    ["/extended/v2/blocks/nonsense", 400],
    ["/extended/v2/blocks/99999", 404],
    [`/extended/v2/addresses/SP000000000000000000002Q6VF70/transactions`, 200],
    [`/extended/v2/addresses/sp000000000000000000002q6vf78/transactions`, 400],
    ["/extended/v2/addresses/SP000000000000000000002Q6VF78/transactions?exclude_function_args=maybe", 400],
    [`/extended/v2/addresses/SP000000000000000000002Q6VF78/transactions/0x${hash}/events`, 404],
    [`/extended/v2/addresses/SP000000000000000000002Q6VF78/transactions/${hash}/events`, 500],
    [`/extended/v2/addresses/SP000000000000000000002Q6VF78/transactions/0x12/events`, 400],
    ["/extended/v1/contract/%E0%A4%A/events", 200],
  ];
  test.each(cases)("%s is a %d", async (path, status) => {
    expect((await send(simulator.url + path.replaceAll(" ", "%20"))).status).toBe(status);
  });

  test("a hash without 0x is redirected", async () => {
    const tip = simulator.chain.ledger.tip?.hash ?? "";
    const response = await send(`${simulator.url}/extended/v1/block/${tip.slice(2)}`);

    expect(response).toMatchObject({ status: 302, headers: { location: `/extended/v1/block/${tip}` } });
  });
});

describe("the control", () => {
  const post = (simulator: Simulator, command: string) => send(`${simulator.url}/_sim/${command}`, { method: "POST" });

  test("lists the commands, and reports the state", async () => {
    const simulator = await start();

    expect((await send(`${simulator.url}/_sim/`)).body).toContain("POST /_sim/spike");
    expect(json(await send(`${simulator.url}/_sim/state`))).toMatchObject({
      virtual_time: START,
      height: 30,
      scenarios: ["calm"],
      mempool_size: simulator.chain.mempool.size,
      contracts: simulator.chain.accounts.contracts,
    });
  });

  test("starts and ends scenarios", async () => {
    const simulator = await start();
    for (const kind of ["spike", "flood", "stuck"]) {
      expect(json(await post(simulator, `${kind}?seconds=60&strength=0.5`))).toMatchObject({ scenarios: [kind] });
      await post(simulator, "calm");
    }
    expect(json(await post(simulator, "empty"))).toMatchObject({ scenarios: ["empty"], mempool_size: 0 });
    expect(json(await post(simulator, "calm"))).toMatchObject({ scenarios: ["calm"] });
  });

  test("advances time, replaces blocks", async () => {
    const simulator = await start();
    await post(simulator, "advance?seconds=300");
    expect(simulator.chain.now).toBe(START + 300);
    const tip = simulator.chain.ledger.tip?.hash;

    const { orphaned } = json<{ orphaned: string[] }>(await post(simulator, "reorg?depth=2"));

    expect(orphaned).toHaveLength(2);
    expect(orphaned.at(-1)).toBe(tip);
  });

  test("adds and removes faults", async () => {
    const simulator = await start();
    await post(simulator, `fault?kind=429&retryAfter=3&count=1&path=${FEES}`);
    expect(simulator.faults.list()).toEqual([{ kind: "429", retryAfter: 3, count: 1, path: FEES }]);
    await post(simulator, "fault?kind=retired");
    expect((await send(simulator.url + FEES)).headers["retry-after"]).toBe("3");
    await post(simulator, "clear");

    expect(simulator.faults.list()).toEqual([]);
  });

  test.each([
    ["fault?kind=unknown", "kind must be one of"],
    ["fault?kind=500&retryAfter=3", "retryAfter is not a field of 500"],
    ["fault?kind=cut&part=half", 'part cannot be "half"'],
    ["fault?kind=slow-headers", "slow-headers needs seconds"],
    ["spike?seconds=-1", "seconds must be a number above 0"],
  ])("reports the error in %s", async (command, message) => {
    const response = await post(await start(), command);

    expect(response.status).toBe(400);
    expect(json<{ error: string }>(response).error).toContain(message);
  });
});
