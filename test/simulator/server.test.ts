// The gateway, and errors of the remote control.
import { afterEach, describe, expect, test } from "@jest/globals";
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

describe("the control", () => {
  const post = (simulator: Simulator, command: string) => send(`${simulator.url}/_sim/${command}`, { method: "POST" });

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
