// Each fault, on real sockets.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { FaultRule } from "../../../simulator/faults/fault.ts";
import type { Simulator } from "../../../simulator/server.ts";
import { captured } from "../captured.ts";
import { START, send, stillSimulator } from "../support.ts";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await stillSimulator();
});
afterEach(() => simulator.faults.clear());
afterAll(() => simulator.close());

const FEES = "/extended/v2/mempool/fees";
const STATS = "/extended/v1/tx/mempool/stats";
const get = (path = FEES) => send(simulator.url + path);

describe("a status", () => {
  const cases: [string, FaultRule, number, Record<string, string>, string][] = [
    ["429 with seconds", { kind: "429", retryAfter: 7 }, 429, { "retry-after": "7" }, "Too Many Requests"],
    [
      "429 with a date",
      { kind: "429", retryAfter: 90, asDate: true },
      429,
      { "retry-after": new Date((START + 90) * 1000).toUTCString() },
      "Too Many Requests",
    ],
    [
      "429 with rate headers",
      { kind: "429", retryAfter: 5, withHeaders: true, body: "empty" },
      429,
      { "ratelimit-limit": "50", "ratelimit-remaining": "0", "ratelimit-reset": "5" },
      "",
    ],
    [
      "a redirect to another host",
      { kind: "redirect", to: "other-host" },
      302,
      { location: `http://elsewhere.invalid${FEES}` },
      "",
    ],
  ];
  test.each(cases)("%s", async (_, fault, status, headers, body) => {
    simulator.faults.add(fault);

    const response = await get();

    expect(response).toMatchObject({ status, headers, body });
  });
});

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

describe("a scope", () => {
  test("with a count ends after that many requests", async () => {
    simulator.faults.add({ kind: "500", count: 2 });

    const statuses = [await get(), await get(), await get()].map(({ status }) => status);

    expect(statuses).toEqual([500, 500, 200]);
    expect(simulator.faults.list()).toEqual([]);
  });

  const height = "/extended/v1/block/by_height/3";
  const scopes: [string, string, string, boolean][] = [
    ["exact", FEES, FEES, true],
    ["exact", FEES, STATS, false],
    ["star", "/extended/v2/*", FEES, true],
    ["star", "/extended/v2/*", STATS, false],
    ["template", "/extended/v1/block/by_height/{height}", height, true],
    ["template", "/extended/v1/block/{hash}", height, false],
  ];
  test.each(scopes)("%s %s for %s: %s", async (_, path, requested, hits) => {
    simulator.faults.add({ kind: "500", path });

    expect((await get(requested)).status).toBe(hits ? 500 : 200);
  });
});

test("retired: deprecated operations give 410, the others work", async () => {
  simulator.faults.add({ kind: "retired" });

  expect((await get("/extended/v1/block/by_height/1")).status).toBe(410);
  expect((await get(FEES)).status).toBe(200);
  expect((await get("/extended/v2/blocks/latest")).status).toBe(200);
});

describe("a wrong body", () => {
  const garbage: [FaultRule, RegExp][] = [
    [{ kind: "garbage" }, /^this is not JSON$/],
    [{ kind: "garbage", form: "truncated" }, /^\{"all":[^}]+$|^\{"all":.+[^}]$/],
    [{ kind: "garbage", form: "html" }, /^<html>/],
    [{ kind: "garbage", form: "empty" }, /^$/],
  ];
  test.each(garbage)("%j", async (fault, body) => {
    simulator.faults.add(fault);
    const response = await get();

    expect(response.status).toBe(200);
    expect(response.body).toMatch(body);
    expect(() => JSON.parse(response.body)).toThrow();
  });

  const shapes: [FaultRule, (json: unknown) => void][] = [
    [{ kind: "wrong-shape" }, (body) => expect(body).toEqual({ hello: "world", items: [1, 2, 3] })],
    [{ kind: "wrong-shape", form: "list" }, (body) => expect(body).toBeInstanceOf(Array)],
    [{ kind: "wrong-shape", form: "nulls" }, (body) => expect(body).toHaveProperty("all.no_priority", null)],
    [
      { kind: "wrong-shape", form: "strings" },
      (body) => expect(body).toHaveProperty("all.no_priority", expect.stringMatching(/^\d+$/)),
    ],
    [{ kind: "wrong-shape", form: "missing" }, (body) => expect(body).not.toHaveProperty("all")],
  ];
  test.each(shapes)("%j", async (fault, check) => {
    simulator.faults.add(fault);
    const response = await get();

    expect(response.status).toBe(200);
    check(JSON.parse(response.body));
  });
});
