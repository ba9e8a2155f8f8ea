// Broken connections and slow responses, on real sockets and without a real clock.
import { once } from "node:events";
import { request } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Schedule } from "../../../simulator/http/deliver.ts";
import type { Simulator } from "../../../simulator/server.ts";
import { send, stillSimulator } from "../support.ts";

// Delays end on command.
const pending = new Set<() => void>();
const schedule: Schedule = (act) => {
  const fire = () => {
    pending.delete(fire);
    act();
  };
  pending.add(fire);
  return () => pending.delete(fire);
};

let simulator: Simulator;
beforeAll(async () => {
  simulator = await stillSimulator({ schedule });
});
afterEach(() => simulator.faults.clear());
afterAll(() => simulator.close());

const FEES = "/extended/v2/mempool/fees";
const get = () => send(simulator.url + FEES);

describe("a broken connection", () => {
  test("reset: before any byte", async () => {
    simulator.faults.add({ kind: "reset" });

    await expect(get()).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(simulator.requests.at(-1)).toMatchObject({ path: FEES, status: 0 });
  });

  test("cut: within the body, with the full content-length", async () => {
    const whole = await get();
    simulator.faults.add({ kind: "cut", part: 0.25 });
    const sent = request(simulator.url + FEES, { agent: false }).end();
    const [response] = await once(sent, "response");
    let received = 0;
    response.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    const [error] = await once(response, "error");

    expect(error).toMatchObject({ code: "ECONNRESET" });
    expect(response.headers["content-length"]).toBe(whole.headers["content-length"]);
    expect(received).toBeLessThan(whole.body.length);
  });
});

describe("a slow response", () => {
  // Waits for a delay to start.
  const isWaiting = async () => {
    while (pending.size === 0) await new Promise((resolve) => setImmediate(resolve));
  };
  const passTime = () => {
    for (const fire of [...pending]) fire();
  };

  test("with slow headers arrives after the delay", async () => {
    simulator.faults.add({ kind: "slow-headers", seconds: 3600 });
    const pendingResponse = get();
    await isWaiting();
    passTime();

    expect((await pendingResponse).status).toBe(200);
  });

  test("with a slow body arrives piece by piece", async () => {
    const whole = await get();
    simulator.faults.add({ kind: "slow-body", seconds: 60, bytes: 100 });
    const sent = request(simulator.url + FEES, { agent: false }).end();
    const [response] = await once(sent, "response");
    const pieces: number[] = [];
    response.on("data", (chunk: Buffer) => pieces.push(chunk.length));
    const ended = once(response, "end");
    while (pieces.reduce((sum, piece) => sum + piece, 0) < whole.body.length) {
      await new Promise((resolve) => setImmediate(resolve));
      passTime();
    }
    await ended;

    expect(pieces.length).toBeGreaterThan(1);
    expect(Math.max(...pieces)).toBeLessThanOrEqual(200);
  });

  test("that stalls never ends, and an abort cancels the delay", async () => {
    simulator.faults.add({ kind: "slow-body", stalls: true });
    const stalled = request(simulator.url + FEES, { agent: false }).end();
    const [response] = await once(stalled, "response");
    await once(response, "data");
    expect(pending.size).toBe(0);
    response.on("error", () => {});
    stalled.destroy();

    simulator.faults.set({ kind: "slow-headers", seconds: 3600 });
    const controller = new AbortController();
    const pendingResponse = send(simulator.url + FEES, { signal: controller.signal });
    await isWaiting();
    controller.abort();
    await expect(pendingResponse).rejects.toThrow();
    while (pending.size > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  test("ends when the simulator closes", async () => {
    const other = await stillSimulator({ history: 5 });
    other.faults.add({ kind: "slow-headers", seconds: 3600 });
    const pendingResponse = send(other.url + FEES);
    pendingResponse.catch(() => {});
    while (other.log.total === 0) await new Promise((resolve) => setImmediate(resolve));
    await other.close();

    await expect(pendingResponse).rejects.toMatchObject({ code: "ECONNRESET" });
  });
});

test("faults combine: a slow redirect", async () => {
  simulator.faults.add({ kind: "redirect", to: "same-host" });
  simulator.faults.add({ kind: "slow-headers", seconds: 5 });
  const pendingResponse = get();
  while (pending.size === 0) await new Promise((resolve) => setImmediate(resolve));
  for (const fire of [...pending]) fire();

  expect((await pendingResponse).status).toBe(302);
});
