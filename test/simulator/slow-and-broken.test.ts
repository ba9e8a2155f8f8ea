// Connections that break and answers that take their time, on real sockets and without a real clock.
import { once } from "node:events";
import { request } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Schedule } from "../../simulator/http/deliver.ts";
import type { Simulator } from "../../simulator/server.ts";
import { ask, stillSimulator } from "./support.ts";

// Delays end when a test says so.
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
const get = () => ask(simulator.url + FEES);

describe("a connection that breaks", () => {
  test("reset: before any byte", async () => {
    simulator.faults.add({ kind: "reset" });

    await expect(get()).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(simulator.requests.at(-1)).toMatchObject({ path: FEES, status: 0 });
  });

  test("cut: within the body, whose full length was announced", async () => {
    const whole = await get();
    simulator.faults.add({ kind: "cut", part: 0.25 });
    const asked = request(simulator.url + FEES, { agent: false }).end();
    const [response] = await once(asked, "response");
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

describe("a slow answer", () => {
  // Waits until the server waits.
  const isWaiting = async () => {
    while (pending.size === 0) await new Promise((resolve) => setImmediate(resolve));
  };
  const passTime = () => {
    for (const fire of [...pending]) fire();
  };

  test("with late headers comes when the time has passed", async () => {
    simulator.faults.add({ kind: "slow-headers", seconds: 3600 });
    const answer = get();
    await isWaiting();
    passTime();

    expect((await answer).status).toBe(200);
  });

  test("dripping comes piece by piece", async () => {
    const whole = await get();
    simulator.faults.add({ kind: "slow-body", seconds: 60, bytes: 100 });
    const asked = request(simulator.url + FEES, { agent: false }).end();
    const [response] = await once(asked, "response");
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

  test("stalling never ends, and giving up calls its delay off", async () => {
    simulator.faults.add({ kind: "slow-body", stalls: true });
    const stalled = request(simulator.url + FEES, { agent: false }).end();
    const [response] = await once(stalled, "response");
    await once(response, "data");
    expect(pending.size).toBe(0);
    response.on("error", () => {});
    stalled.destroy();

    simulator.faults.set({ kind: "slow-headers", seconds: 3600 });
    const gaveUp = new AbortController();
    const answer = ask(simulator.url + FEES, { signal: gaveUp.signal });
    await isWaiting();
    gaveUp.abort();
    await expect(answer).rejects.toThrow();
    while (pending.size > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  test("is ended by closing the simulator", async () => {
    const other = await stillSimulator({ history: 5 });
    other.faults.add({ kind: "slow-headers", seconds: 3600 });
    const answer = ask(other.url + FEES);
    answer.catch(() => {});
    while (other.log.total === 0) await new Promise((resolve) => setImmediate(resolve));
    await other.close();

    await expect(answer).rejects.toMatchObject({ code: "ECONNRESET" });
  });
});

test("faults add up: a slow redirect is both", async () => {
  simulator.faults.add({ kind: "redirect", to: "same-host" });
  simulator.faults.add({ kind: "slow-headers", seconds: 5 });
  const answer = get();
  while (pending.size === 0) await new Promise((resolve) => setImmediate(resolve));
  for (const fire of [...pending]) fire();

  expect((await answer).status).toBe(302);
});
