import type { Server } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import request from "supertest";
import type { Task } from "../../src/collectors/collector.ts";
import { Exposition } from "../../src/exposition/exposition.ts";
import { counter, gauge, type Sample } from "../../src/exposition/family.ts";
import { MetricsPage } from "../../src/http/page.ts";
import { closeServer } from "../../src/http/server.ts";
import { dataOf } from "../support/data.ts";
import { parseExposition } from "../support/parser.ts";
import { StatusWorld, serverOf } from "../support/status.ts";

const level = gauge({ name: "stacks_level", help: "A gauge." });
const total = counter({ name: "stacks_seen_total", help: "A counter." });
const renewed = counter({ name: "stacks_renewed_total", help: "Renewals of the self-metrics." });

let exposition: Exposition;
let page: MetricsPage;
let server: Server;
let world: StatusWorld;
let now = 0;
let renewals = 0;
let missing: string[] = [];
let errors: unknown[] = [];
let ownSamples: () => Promise<Iterable<Sample>>;

beforeEach(async () => {
  [now, renewals, missing, errors] = [1_000_000, 0, [], []];
  world = new StatusWorld().network();
  exposition = new Exposition([level, total, renewed]);
  exposition.set("x", [level.at({}, 5), total.at({}, 6)]);
  ownSamples = async () => {
    renewals += 1;
    return [renewed.at({}, renewals)];
  };
  page = new MetricsPage({
    exposition,
    renew: async () => exposition.set("exporter", await ownSamples()),
    expire: () => undefined,
    onError: (error) => errors.push(error),
    now: () => now,
  });
  server = serverOf({
    page,
    ...world.view(),
    missing: () => missing,
    onError: (error) => errors.push(error),
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(() => closeServer(server, 0));

const CLASSIC = "text/plain; version=0.0.4; charset=utf-8";
const OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

const accepted = dataOf<Record<"classic" | "openmetrics" | "gzip" | "identity", string[]>>(
  "accept.yaml",
  import.meta.url,
);

describe("/metrics", () => {
  test.each([
    [undefined, CLASSIC],
    ...accepted.classic.map((accept) => [accept, CLASSIC]),
    ...accepted.openmetrics.map((accept) => [accept, OPENMETRICS]),
  ])("with Accept %s has the type %s", async (accept, type) => {
    const response = await request(server)
      .head("/metrics")
      .set(accept === undefined ? {} : { accept });

    expect(response.headers["content-type"]).toBe(type);
  });

  test.each([
    [undefined, undefined],
    ...accepted.gzip.map((accept) => [accept, "gzip"]),
    ...accepted.identity.map((accept) => [accept, undefined]),
  ])("with Accept-Encoding %s has the encoding %s", async (accepted, encoding) => {
    const response = await request(server)
      .head("/metrics")
      .set(accepted === undefined ? {} : { "accept-encoding": accepted });

    expect(response.headers["content-encoding"]).toBe(encoding);
  });

  test("has the OpenMetrics format on request, independent of earlier formats", async () => {
    for (const format of ["openmetrics", "classic", "openmetrics"] as const) {
      const accept = format === "classic" ? CLASSIC : OPENMETRICS;
      const response = await request(server).get("/metrics").set("Accept", accept).responseType("blob");
      expect(parseExposition((response.body as Buffer).toString(), format)).toHaveLength(3);
    }
  });

  test("renews the self-metrics after five seconds, or after touch()", async () => {
    const read = async () => /stacks_renewed_total (\d+)/.exec((await page.body("classic", false)).toString())?.[1];

    expect([await read(), await read()]).toEqual(["1", "1"]);
    now += 5_000;
    expect(await read()).toBe("2");
    page.touch();
    expect([await read(), await read()]).toEqual(["3", "3"]);
    const before = ownSamples;
    ownSamples = async () => {
      page.touch();
      return before();
    };
    now += 5_000;
    expect(await read()).toBe("4");
    ownSamples = before;
    expect([await read(), await read()]).toEqual(["5", "5"]);
  });

  test("keeps the previous self-metrics when the new ones fail, and reports the error", async () => {
    await page.body("classic", false);
    ownSamples = async () => Promise.reject(new Error("broken"));
    page.touch();
    const response = await request(server).get("/metrics");

    expect(response.status).toBe(200);
    expect(response.text).toContain("stacks_renewed_total 1\n");
    expect(errors).toEqual([new Error("broken")]);
  });

  test("responds with 500 when the page cannot be rendered, and reports the error", async () => {
    exposition.page = () => {
      throw new Error("broken with s3cret");
    };
    const response = await request(server).get("/metrics");

    expect(response.status).toBe(500);
    expect(response.text).toBe("The page cannot be rendered; see the log.\n");
    expect(errors).toEqual([new Error("broken with s3cret")]);
  });
});

describe.each(["/metrics", "/-/healthy", "/-/ready", "/", "/api/v1/status"])("%s", (path) => {
  test.each(["post", "put", "delete", "patch", "options"] as const)("has no %s", async (method) => {
    expect((await request(server)[method](path)).status).toBe(404);
  });

  test("responds to HEAD with the headers of GET and no body", async () => {
    const [get, head] = [
      await request(server).get(path).set("Accept-Encoding", "gzip"),
      await request(server).head(path).set("Accept-Encoding", "gzip"),
    ];

    expect([get.status, head.status, head.text ?? ""]).toEqual([200, 200, ""]);
    expect({ ...head.headers, date: "" }).toEqual({ ...get.headers, date: "" });
  });
});

describe("/api/v1/status", () => {
  test("selects targets by its parameters", async () => {
    world.watch("addresses", ["vault", "treasury"]);
    const response = await request(server).get("/api/v1/status?name=vault&state=waiting&limit=1");

    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ targets: { matched: 1, items: [{ name: "vault" }] } });
  });

  test.each([
    ["limit=%", "limit: expected a whole number from 1 to 100000, found text of 1 characters"],
    ["name=a&name=b", "name: expected text, found a list"],
    ["%3Cscript%3E%00s3cret", "text of 15 characters: unknown setting; known here: network, "],
    ["state=s3cret", 'found "***"'],
  ])("?%s is an error with its parameter, and masked", async (query, message) => {
    const response = await request(server).get(`/api/v1/status?${query}`);

    expect([response.status, response.type]).toEqual([400, "application/json"]);
    expect((response.body as { error: string }).error).toContain(message);
  });
});

test.each(["/", "/api/v1/status", "/api/v1/status?limit=0", "/runbooks/"])(
  "%s allows nothing but its own style and form",
  async (path) => {
    const { headers, text } = await request(server).get(path);

    expect(headers["content-security-policy"]).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    });
    expect(headers["content-type"]).toMatch(/; charset=utf-8$/);
    expect(text).not.toMatch(/<script/);
  },
);

describe("/api/v1/fees/recommended", () => {
  const PATH = "/api/v1/fees/recommended";

  beforeEach(() => {
    const fees = { "10m": 12_001, "1h": 9_000 };
    const estimate = {
      at: world.now - 42_000,
      types: { all: { observations: 800, fees } },
    };
    Object.assign(world.task("estimates").collector, { feeEstimate: () => estimate });
  });

  test("has the last estimate of the first network, its source and its age", async () => {
    const task = world.tasks[0] as Task;
    world.succeed(task, 20);
    world.fail(task, 10, "timeout");
    const response = await request(server).get(PATH);

    expect(response.status).toBe(200);
    expect(response.type).toBe("application/json");
    expect(response.headers["cache-control"]).toBe("no-store");
    expect(response.body).toEqual({
      fastestFee: 12_001,
      hourFee: 9_000,
      observations: 800,
      unit: "microSTX",
      network: "mainnet",
      source: "https://mainnet.example",
      time: new Date(world.now - 42_000).toISOString(),
      types: {},
    });
    expect((await request(server).get(`${PATH}?network=mainnet`)).body).toEqual(response.body);
  });

  test("is a 503 with the reason when there is none, masked", async () => {
    world.fail(world.tasks[0] as Task, 5, "timeout", "no response from s3cret");
    const response = await request(server).get(PATH);

    expect(response.status).toBe(503);
    expect(response.body).toEqual({ error: "estimates has no values: timeout: no response from ***" });
  });

  test.each([
    ["network=testnet", "network: there is no testnet"],
    ["stat=paused", 'stat: unknown setting; did you mean "state"?'],
  ])("refuses ?%s", async (query, error) => {
    const response = await request(server).get(`${PATH}?${query}`);

    expect([response.status, response.body]).toEqual([400, { error }]);
  });
});

test.each([
  ["/runbooks/", 200, "the index"],
  ["/runbooks/fees", 200, "the fees"],
  // To the folder, to which its links are relative.
  ["/runbooks", 308, expect.stringContaining("runbooks/")],
  ["/runbooks/none", 404, "There is no such runbook.\n"],
  ["/runbooks/__proto__", 404, "There is no such runbook.\n"],
  ["/runbooks/..%2fsecret", 404, "There is no such runbook.\n"],
  ["/runbooks/%zz", 400, `{"error":"Failed to decode param '%zz'"}`],
  ["/metric", 404, "There is no such page.\n"],
])("%s has the status %i", async (path, status, text) => {
  const response = await request(server).get(path);

  expect([response.status, response.text]).toEqual([status, text]);
  expect(response.headers.location).toBe(status === 308 ? "runbooks/" : undefined);
  expect(response.headers["x-powered-by"]).toBeUndefined();
  if (status === 200) expect(response.headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(errors).toEqual([]);
});

test("/-/ready names what is missing, masked", async () => {
  missing = ["mainnet/fees: network: no route to s3cret"];
  const response = await request(server).get("/-/ready");

  expect(response.status).toBe(503);
  expect(response.text).toBe("stacks-exporter is not ready. Missing:\nmainnet/fees: network: no route to ***\n");
  missing = [];
  expect((await request(server).get("/-/ready")).text).toBe("stacks-exporter is ready.\n");
});

test("/-/ready says how many targets have not been polled yet, and until when", async () => {
  const [first] = world.watch("addresses", ["vault", "treasury", "fees"]);
  world.succeed(first as Task, 1);
  const response = await request(server).get("/-/ready");

  expect(response.status).toBe(200);
  expect(response.text).toBe(
    `stacks-exporter is ready.
mainnet: 2 targets have not been polled yet; planned until ${new Date(world.now).toISOString()}
`,
  );
});
