// Each fault, on real sockets.
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { Simulator } from "../../../simulator/server.ts";
import { captured } from "../captured.ts";
import { send, stillSimulator } from "../support.ts";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await stillSimulator();
});
afterEach(() => simulator.faults.clear());
afterAll(() => simulator.close());

const FEES = "/extended/v2/mempool/fees";
const get = (path = FEES) => send(simulator.url + path);

test("404 with a path: a server that lacks some operations, as the real one responds to an unknown route", async () => {
  const real = captured("unknown-route.404");
  const list = "/extended/v3/transactions";
  simulator.faults.add({ kind: "404", path: list });
  const response = await get(`${list}?limit=50`);

  expect(response.status).toBe(real.status);
  expect(response.body).toBe(real.body.replace("/extended/v9/none", `${list}?limit=50`));
  for (const name of ["content-type", "cache-control", "x-api-version", "access-control-allow-origin", "etag"]) {
    expect([name, response.headers[name]]).toEqual([name, real.headers.get(name)]);
  }
  expect((await get("/extended/v3/mempool/transactions")).status).toBe(200);
  simulator.faults.set({ kind: "404", path: "/extended/v3/*" });
  expect((await get("/extended/v3/mempool/transactions")).status).toBe(404);
  expect((await get()).status).toBe(200);
});
