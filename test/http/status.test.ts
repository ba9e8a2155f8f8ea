// What / and /api/v1/status say of everything that can be the matter, through a real server.
import type { Server } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import request from "supertest";
import { z } from "zod";
import type { Task } from "../../src/collectors/task.ts";
import { closeServer, createHttpServer } from "../../src/http/server.ts";
import { type StatusAnswer, statusAnswer } from "../../src/http/status-shape.ts";
import { violations } from "../config/json-schema.ts";
import { NOON, StatusWorld, watched } from "../support/status.ts";

const schema = z.toJSONSchema(statusAnswer) as Record<string, unknown>;

let world: StatusWorld;
let server: Server;

beforeEach(() => {
  world = new StatusWorld().network();
});
afterEach(() => closeServer(server, 0));

/** Listens with the world as it is then: what may be named in a query is known from the start. */
async function listen(): Promise<void> {
  server = createHttpServer({
    ...world.view(),
    page: undefined as never,
    missing: () => [],
    onError: (error) => {
      throw error;
    },
    onRefused: (reason) => {
      throw new Error(reason);
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
}

/** Both answers; the JSON is held to its schema. */
async function ask(query = ""): Promise<{ json: StatusAnswer; page: string }> {
  await listen();
  const response = await request(server).get(`/api/v1/status${query}`);
  expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(response.status).toBe(200);
  expect(violations(schema, response.body)).toEqual([]);
  const page = await request(server).get(`/${query}`);
  expect(page.status).toBe(200);
  return { json: response.body as StatusAnswer, page: page.text };
}

/** The text of a page, without the marks. */
const textOf = (page: string) =>
  page
    .replace(/<style>[\s\S]*<\/style>/, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    .replace(/\s+/g, " ");

const at = (secondsFromNoon: number) => new Date(NOON + secondsFromNoon * 1000).toISOString();

/** Many targets of one collector. */
const targets = (collector: string, names: readonly string[]): Task[] => {
  const [first, ...rest] = names.map((name) => world.task(collector, { target: watched(`SP${name}`, name) }));
  if (first === undefined) throw new Error("no names");
  const same = rest.map((task) => ({ ...task, collector: first.collector }));
  world.tasks.splice(-rest.length || world.tasks.length, rest.length, ...same);
  for (const task of same) world.due.set(task, NOON + 4_000);
  return [first, ...same];
};

describe("how everything stands:", () => {
  test("healthy", async () => {
    world.succeed(world.task("fees"), 7);
    const { json, page } = await ask();

    expect(json).toMatchObject({
      ...{ status: "ok", version: "1.2.3", time: at(0), started_at: at(-3600), uptime_seconds: 3600, problems: [] },
      networks: [
        {
          name: "mainnet",
          url: "https://mainnet.example",
          budget: { minute: { limit: 50, used: 10, available: 40, planned: 3.2 }, month: { planned: 142_848 } },
          collectors: [
            {
              ...{ name: "fees", state: "active", schedule: "every 10s", interval_seconds: 10, stretch_ratio: 1 },
              ...{ max_age_seconds: 30, oldest_success_at: at(-7), age_seconds: 7, next_poll_at: at(4) },
              targets: { total: 1, active: 1, degraded: 0, retired: 0, paused: 0, waiting: 0, expired: 0 },
            },
          ],
        },
      ],
      targets: { matched: 1, page: 1, pages: 1, limit: 100 },
    });
    expect(json.targets.items).toEqual([
      {
        ...{ network: "mainnet", collector: "fees", state: "active", expired: false },
        ...{ last_success_at: at(-7), age_seconds: 7, last_poll_at: at(-7), next_poll_at: at(4), failures_in_a_row: 0 },
      },
    ]);
    expect(textOf(page)).toContain("All right");
    expect(textOf(page)).toContain("fees every 10s ✓ active 7 s in 4 s none");
    expect(page).not.toContain('id="wrong"');
  });

  test("never polled", async () => {
    world.task("fees");
    const { json, page } = await ask();

    expect(json.status).toBe("starting");
    expect(json.networks[0]?.collectors[0]).toMatchObject({ state: "waiting", targets: { waiting: 1 } });
    expect(json.targets.items[0]).toEqual({
      ...{ network: "mainnet", collector: "fees", state: "waiting", expired: false },
      ...{ next_poll_at: at(4), failures_in_a_row: 0 },
    });
    expect(textOf(page)).toContain("Starting 1 of 1 targets not polled yet.");
    expect(textOf(page)).toContain("… waiting none yet in 4 s none");
  });

  test("failing, since the first failure in a row, with what is left of the good data", async () => {
    const fees = world.task("fees");
    world.succeed(world.task("mempool"), 1);
    world.succeed(fees, 25);
    world.fail(fees, 15, "http_server", "mempool_fees: expected 200, got 500");
    world.fail(fees, 5, "http_server", "mempool_fees: expected 200, got 503");
    const { json, page } = await ask();
    const error = { reason: "http_server", message: "mempool_fees: expected 200, got 503", at: at(-5) };

    expect(json.status).toBe("degraded");
    expect(json.problems).toEqual([
      {
        ...{ network: "mainnet", collector: "fees", since: at(-15) },
        message: "the API reports an error of its own (http_server): mempool_fees: expected 200, got 503",
      },
    ]);
    expect(json.targets.items[0]).toMatchObject({
      ...{ collector: "fees", state: "degraded", expired: false, age_seconds: 25 },
      ...{ failing_since: at(-15), failures_in_a_row: 2, last_error: error },
    });
    expect(textOf(page)).toContain("since 11:59:45 UTC (15 s)");
    expect(textOf(page)).toContain("Degraded One thing is wrong.");
  });

  test("recovered: the last error is told, and that it is over", async () => {
    const fees = world.task("fees");
    world.fail(fees, 120, "http_server", "mempool_fees: expected 200, got 500");
    world.succeed(fees, 3);
    const { json, page } = await ask();

    expect(json.status).toBe("ok");
    expect(json.networks[0]?.collectors[0]).toMatchObject({ state: "active", last_error: { at: at(-120) } });
    expect(json.networks[0]?.collectors[0]).not.toHaveProperty("failing_since");
    expect(textOf(page)).toContain("recovered; 2 min ago : http_server");
  });

  test("paused by a 429: until when, and no poll before", async () => {
    world.networks.length = 0;
    world.network("mainnet", { pausedUntil: NOON + 60_000, minute: { limit: 50, used: 50, remaining: 0 } });
    world.succeed(world.task("fees"), 7);
    const { json, page } = await ask();

    expect(json.status).toBe("degraded");
    expect(json.problems).toMatchObject([{ network: "mainnet", until: at(60) }]);
    expect(json.networks[0]).toMatchObject({ paused_until: at(60), collectors: [{ state: "paused" }] });
    expect(json.targets.items[0]).toMatchObject({ state: "paused", next_poll_at: at(60) });
    expect(json.networks[0]).toMatchObject({ longest_pause_seconds: 900 });
    expect(textOf(page)).toContain("‖ Paused until 12:01:00 UTC (in 1 min)");
    expect(textOf(page)).toContain("A pause lasts at most 15 min ( longest_pause ).");
  });

  test("an API that does not answer: one problem with the first cause, and when it is asked again", async () => {
    const cause = { reason: "network", message: `ECONNREFUSED ${world.secret}:3999: no connection` } as const;
    world.networks.length = 0;
    world.network("mainnet", {
      outage: { operation: undefined, since: NOON - 90_000, cause, nextProbeAt: NOON + 15_000 },
    });
    world.fail(world.task("fees"), 90, "network");
    world.fail(world.task("mempool"), 80, "network");
    const { json, page } = await ask();

    const message = "the API cannot be reached (network): ECONNREFUSED ***:3999: no connection; one request asks again";
    expect(json.status).toBe("down");
    expect(json.problems).toEqual([
      { network: "mainnet", message: `no valid answer since the start: ${message}`, until: at(15) },
    ]);
    expect(json.networks[0]?.outage).toEqual({
      reason: "network",
      message: "ECONNREFUSED ***:3999: no connection",
      since: at(-90),
      next_probe_at: at(15),
    });
    expect(textOf(page)).toContain("one request asks again");

    world.succeed(world.task("blocks"), 7);
    world.fail(world.task("contracts"), 70, "gone");
    expect((await ask()).json.problems).toMatchObject([
      { message, since: at(-90), until: at(15) },
      { collector: "contracts" },
    ]);
  });

  test("an outage of one operation is told by the collectors that need it", async () => {
    const cause = { reason: "timeout", message: "late" } as const;
    world.networks.length = 0;
    world.network("mainnet", { outage: { operation: "block", since: NOON, cause, nextProbeAt: NOON + 15_000 } });
    world.fail(world.task("blocks"), 90, "timeout");
    world.succeed(world.task("fees"), 7);

    expect((await ask()).json.problems.map(({ collector }) => collector)).toEqual(["blocks"]);
  });

  test("a pause that is over is none", async () => {
    world.networks.length = 0;
    world.network("mainnet", { pausedUntil: NOON });
    world.succeed(world.task("fees"), 7);
    const { json } = await ask();

    expect(json.status).toBe("ok");
    expect(json.networks[0]).not.toHaveProperty("paused_until");
  });

  test("retired by a 410: the operation, since when, and when it is asked again", async () => {
    world.networks.length = 0;
    const retired = { operation: "mempool_fees", since: NOON - 60_000, confirmedAt: NOON, nextTryAt: NOON + 3_600_000 };
    world.network("mainnet", { retired: [retired] });
    const fees = world.task("fees");
    world.fail(fees, 60, "gone", "mempool_fees: gone");
    const { json, page } = await ask();

    expect(json.status).toBe("down");
    const message = "no valid answer since the start: the operation is retired (gone): mempool_fees: gone";
    expect(json.problems).toEqual([{ network: "mainnet", message }]);
    expect(json.networks[0]?.retired_operations).toEqual([
      { name: "mempool_fees", since: at(-60), next_try_at: at(3600) },
    ]);
    expect(json.targets.items[0]).toMatchObject({ state: "retired", last_error: { reason: "gone" } });
    expect(textOf(page)).toContain("✕ retired");
    expect(textOf(page)).toContain("asked again 13:00:00 UTC (in 1 h)");
  });

  test("an operation that is gone is no problem while its collector gets what it needs elsewhere", async () => {
    world.networks.length = 0;
    const retired = { operation: "mempool_fees", since: NOON, confirmedAt: NOON, nextTryAt: NOON + 3_600_000 };
    world.network("mainnet", { retired: [retired] });
    world.succeed(world.task("fees"), 1);
    const { json, page } = await ask();

    expect(json).toMatchObject({ status: "ok", problems: [] });
    expect(textOf(page)).toContain("✕ Retired operation mempool_fees");
  });

  test("down: no target of a network succeeds, and when the last one did", async () => {
    for (const name of ["fees", "mempool"]) {
      const task = world.task(name);
      world.succeed(task, name === "fees" ? 20 : 12);
      world.fail(task, 5, "http_server");
    }
    const { json, page } = await ask();

    expect(json.status).toBe("down");
    const message = "no valid answer: the API reports an error of its own (http_server): no";
    expect(json.problems).toEqual([{ network: "mainnet", message, since: at(-12) }]);
    expect(textOf(page)).toContain("Down A network gives no data.");
    expect(page.match(/<li>/g)).toHaveLength(1);
  });

  test("a pause that fails every collector is one problem, with its end", async () => {
    world.networks.length = 0;
    world.network("mainnet", { pausedUntil: NOON + 60_000 });
    for (const name of ["fees", "mempool", "blocks"]) {
      const task = world.task(name);
      world.succeed(task, 20);
      world.fail(task, 5, "rate_limited", "paused for 65 s");
    }
    const { json, page } = await ask();

    const message = "no valid answer: the API asked to wait (429), and no request leaves before";
    expect(json.status).toBe("down");
    expect(json.problems).toEqual([{ network: "mainnet", message, since: at(-20), until: at(60) }]);
    expect(page.match(/<li>/g)).toHaveLength(1);
  });

  test("a pause that fails some collectors is one problem; what fails for another reason is another", async () => {
    world.networks.length = 0;
    world.network("mainnet", { pausedUntil: NOON + 60_000 });
    for (const name of ["fees", "mempool"]) world.fail(world.task(name), 5, "rate_limited", "paused for 65 s");
    world.fail(world.task("addresses", { target: watched("SP1", "vault") }), 5, "not_found", "no such address");
    world.succeed(world.task("blocks"), 1);
    const { json } = await ask();

    expect(json.status).toBe("degraded");
    expect(json.problems.map(({ collector, message }) => [collector, message])).toEqual([
      [undefined, "the API asked to wait (429), and no request leaves before"],
      ["addresses", "vault: the API does not know it (not_found): no such address"],
    ]);
  });

  test("several causes of one outage are one problem, the most frequent first", async () => {
    for (const [name, reason] of [
      ["fees", "timeout"],
      ["mempool", "network"],
      ["blocks", "network"],
    ] as const) {
      world.fail(world.task(name), 5, reason, `${name} failed`);
    }
    const { json } = await ask();

    expect(json.problems).toEqual([
      {
        network: "mainnet",
        message:
          "no valid answer since the start: the API cannot be reached (network): blocks failed; the API does not answer in time (timeout): fees failed",
      },
    ]);
  });

  test("collectors that fail for one cause of the network are one problem, while others succeed", async () => {
    for (const name of ["fees", "mempool"]) world.fail(world.task(name), name === "fees" ? 9 : 5, "behind", "2 blocks");
    world.fail(world.task("contracts"), 5, "bad_body", "no list");
    world.succeed(world.task("blocks"), 1);
    const { json, page } = await ask();

    expect(json.problems).toEqual([
      {
        network: "mainnet",
        message: "fees and mempool: the API is behind the chain (behind): 2 blocks",
        since: at(-9),
      },
      {
        ...{ network: "mainnet", collector: "contracts", since: at(-5) },
        message: "the answer does not have the expected form (bad_body): no list",
      },
    ]);
    expect(textOf(page)).toContain("Degraded 2 things are wrong.");
  });

  test("a collector of which some targets fail keeps its own problem, with their names", async () => {
    world.fail(world.task("fees"), 5, "http_server", "500");
    world.fail(world.task("mempool"), 5, "http_server", "500");
    const [vault, treasury] = targets("addresses", ["vault", "treasury"]);
    world.fail(vault as Task, 5, "http_server", "500");
    world.succeed(treasury as Task, 1);
    const { json } = await ask();

    expect(json.problems.map(({ collector, message }) => [collector, message])).toEqual([
      [undefined, "fees and mempool: the API reports an error of its own (http_server): 500"],
      ["addresses", "1 of 2 targets fail, vault: the API reports an error of its own (http_server): 500"],
    ]);
  });

  test("a refused watch list: what is wrong with it, masked, and since when", async () => {
    world.succeed(world.task("fees"), 1);
    const refusal = { at: NOON - 30_000, mistake: "wallets.csv:3: expected an address s3cret", mistakes: 2 };
    world.watchList = { isGood: false, lastGoodAt: NOON - 60_000, refusal };
    const { json, page } = await ask();

    expect(json.status).toBe("degraded");
    expect(json.problems).toEqual([
      {
        message:
          "the changed watch list is not in force, the one before is: wallets.csv:3: expected an address *** (and 1 more)",
        since: at(-30),
      },
    ]);
    expect(textOf(page)).toContain("watch list : the changed watch list is not in force");
  });

  test("expired: the values are older than their maximum age, though nothing failed", async () => {
    const fees = world.task("fees");
    world.succeed(fees, 30);
    const { json, page } = await ask();

    expect(json).toMatchObject({ status: "degraded", problems: [{ collector: "fees" }] });
    expect(json.problems[0]?.message).toContain("older than their maximum age");
    expect(json.networks[0]?.collectors[0]?.targets.expired).toBe(1);
    expect(json.targets.items[0]).toMatchObject({ state: "active", expired: true });
    expect(textOf(page)).toContain("30 s ✕ expired");
  });

  test("out of budget: paused, and the reason says why", async () => {
    world.fail(world.task("fees"), 5, "budget", "mempool_fees: no request is left for 12 s");
    const { json } = await ask();

    expect(json.targets.items[0]).toMatchObject({ state: "paused", last_error: { reason: "budget" } });
  });

  test("the month, the server's own quotas, a plan that does not fit, and a stretched collector", async () => {
    world.networks.length = 0;
    const quota = { limit: 50, remaining: 22, resetAt: NOON + 5_000, seenAt: NOON - 1_000 };
    world.network("mainnet", {
      month: { limit: 1000, used: 12, remaining: 1 },
      rateLimits: [{ window: "minute", ...quota }],
    });
    const task = world.task("addresses", { intervalMs: 25_000, target: watched("SP1") });
    world.succeed(task, 1);
    const { json, page } = await ask();

    expect(json.networks[0]).toMatchObject({
      budget: { month: { limit: 1000, used: 12, available: 1, planned: 142_848 } },
      rate_limits: [{ window: "minute", limit: 50, remaining: 22, reset_at: at(5), seen_at: at(-1) }],
      collectors: [{ interval_seconds: 25, stretch_ratio: 2.5 }],
    });
    expect(textOf(page)).toContain("142,848: more than the limit");
    expect(textOf(page)).toContain("stretched by the budget to 25 s (2.5 times)");
    expect(textOf(page)).toContain("minute: 22 left of 50");
  });
});

describe("many targets", () => {
  const names = Array.from({ length: 250 }, (_, index) => `n${String(index).padStart(3, "0")}`);
  let tasks: Task[];
  beforeEach(() => {
    tasks = targets("addresses", names);
    // The higher the number, the older; two fail, and ten were never asked.
    for (const [index, task] of tasks.entries()) if (index >= 10) world.succeed(task, index / 10);
    for (const index of [100, 20]) world.fail(tasks[index] as Task, 1, "http_server");
    world.succeed(world.task("fees"), 2);
  });
  const namesOf = ({ targets }: StatusAnswer) => targets.items.map(({ name }) => name);

  test("are counted by state, and shown the failing ones first, then the oldest, then those that wait", async () => {
    const { json, page } = await ask();

    expect(json.networks[0]?.collectors[0]?.targets).toEqual({
      ...{ total: 250, active: 238, degraded: 2, retired: 0, paused: 0, waiting: 10, expired: 0 },
    });
    expect(json.problems[0]?.message).toBe(
      "2 of 250 targets fail, n020 and n100: the API reports an error of its own (http_server): no",
    );
    expect(namesOf(json)).toHaveLength(100);
    expect(namesOf(json).slice(0, 4)).toEqual(["n100", "n020", "n249", "n248"]);
    expect(json.targets).toMatchObject({ matched: 251, pages: 3 });
    expect(page.match(/<tr><th scope="row">n\d/g)).toHaveLength(100);
    expect(textOf(page)).toContain("1 to 100 of 251");
    expect(page).toContain('href="?network=mainnet&#38;collector=addresses&#38;state=degraded#targets"');
  });

  test.each([
    ["?state=waiting", 10, "n000"],
    ["?collector=fees", 1, undefined],
    ["?collector=addresses&state=degraded&network=mainnet", 2, "n100"],
    ["?q=N24", 10, "n249"],
    ["?q=spn01", 10, "n019"],
    ["?q=nobody", 0, undefined],
    ["?collector=&state=&q=&network=", 251, "n100"],
  ])("%s selects %i of them", async (query, matched, first) => {
    const { json, page } = await ask(query);

    expect(json.targets.matched).toBe(matched);
    expect(json.targets.items[0]?.name).toBe(first);
    expect(json.networks[0]?.collectors[0]?.targets.total).toBe(250);
    expect(page).toContain('id="targets"');
  });

  test("come page by page, each once, and a page past the end is empty", async () => {
    const pages = [1, 2, 3, 4].map(async (page) => {
      const response = await request(server).get(`/api/v1/status?page=${page}&limit=90&collector=addresses`);
      return namesOf(response.body as StatusAnswer);
    });
    await listen();
    const found = await Promise.all(pages);

    expect(found.map(({ length }) => length)).toEqual([90, 90, 70, 0]);
    expect(found.flat().toSorted()).toEqual(names);
    const past = await request(server).get("/?page=4&limit=90");
    expect(textOf(past.text)).toContain("No target on this page; 251 in all.");
    expect(past.text).toContain('href="?page=3&#38;limit=90#targets"');
  });

  test("keep the filter in the form and in the links to other pages", async () => {
    const { page } = await ask("?collector=addresses&state=active&q=n&limit=50&page=2");

    expect(page).toContain("<option selected>addresses</option>");
    expect(page).toContain("<option selected>active</option>");
    expect(page).toContain('name="q" maxlength="200" value="n"');
    expect(page).toContain('<input type="hidden" name="limit" value="50">');
    expect(page).toContain('href="?collector=addresses&#38;state=active&#38;q=n&#38;limit=50#targets"');
    expect(page).toContain('href="?collector=addresses&#38;state=active&#38;q=n&#38;page=3&#38;limit=50#targets"');
  });
});

describe.each(["/", "/api/v1/status"])("bad parameters of %s:", (path) => {
  test.each([
    ["collector=fee", 'expected collector as one of fees, found "fee"'],
    ["network=x", 'expected network as one of mainnet, found "x"'],
    ["state=bad", 'expected state as one of active, degraded, retired, paused, waiting, found "bad"'],
    ["page=0", 'expected page as a whole number from 1 to 1000000, found "0"'],
    ["page=-1", 'expected page as a whole number from 1 to 1000000, found "-1"'],
    ["page=1e3", 'expected page as a whole number from 1 to 1000000, found "1e3"'],
    ["limit=1001", 'expected limit as a whole number from 1 to 1000, found "1001"'],
    ["limit=99999999999999999999", 'expected limit as a whole number from 1 to 1000, found "99999999999999999999"'],
    ["colector=fees", 'expected the parameters network, collector, state, q, page, limit, found "colector"'],
    ["state=active&state=paused", "expected state once, found it more than once"],
    [`q=${"x".repeat(201)}`, "expected q of at most 200 characters, found 201"],
    ["state=%3Cscript%3E%00s3cret", String.raw`found "<script>\u0000***"`],
    [`__proto__=1`, 'found "__proto__"'],
    ["page=%", 'found "%"'],
  ])("%s", async (query, message) => {
    world.task("fees");
    await listen();
    const response = await request(server).get(`${path}?${query}`);
    const said = path === "/" ? response.text : (response.body as { error: string }).error;

    expect(response.status).toBe(400);
    expect(response.headers["content-type"]).toBe(
      path === "/" ? "text/plain; charset=utf-8" : "application/json; charset=utf-8",
    );
    expect(said).toContain(message);
  });
});

describe("what comes from outside", () => {
  const markup = `"><script>alert(1)</script>'\`&<img src=x onerror=alert(2)>`;
  const hostile = `${markup} s3cret`;

  test("is text on the page, whatever it looks like, and secrets are masked everywhere", async () => {
    world.networks.length = 0;
    const retired = { operation: markup, since: NOON, confirmedAt: NOON, nextTryAt: NOON + 1 };
    world.network(markup, { origin: `https://${hostile}`, retired: [retired] });
    const task = world.task("addresses", { network: markup, target: watched("SP1", hostile, hostile) });
    world.fail(task, 1, "http_server", hostile);
    await listen();
    const query = `?${new URLSearchParams({ q: markup, network: markup })}`;
    const [page, json] = [await request(server).get(`/${query}`), await request(server).get(`/api/v1/status${query}`)];
    const { targets } = json.body as StatusAnswer;

    expect(page.status).toBe(200);
    expect(page.text).not.toMatch(/<script|<img/);
    expect(page.text.match(/&#60;script&#62;/g)?.length).toBeGreaterThanOrEqual(10);
    const attributes = [...page.text.matchAll(/="([^"]*)"/g)].map(([, value]) => value);
    expect(attributes.filter((value) => /[<>'`]/.test(value ?? ""))).toEqual([]);
    expect(page.text).not.toContain("s3cret");
    expect(json.text).not.toContain("s3cret");
    const masked = hostile.replace("s3cret", "***");
    expect(targets.items[0]).toMatchObject({ name: masked, group: masked, last_error: { message: masked } });
  });

  test("cannot run: nothing but the page's own style is allowed, and it is sent with every answer", async () => {
    world.task("fees");
    await listen();
    const { headers, text } = await request(server).get("/");

    expect(headers["content-security-policy"]).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    });
    expect(text).not.toMatch(/<script|style="| on\w+="/);
  });
});

test("HEAD has the headers of GET and no body", async () => {
  world.task("fees");
  await listen();
  for (const path of ["/", "/api/v1/status"]) {
    const [get, head] = [await request(server).get(path), await request(server).head(path)];

    expect({ ...head.headers, date: "" }).toEqual({ ...get.headers, date: "" });
    expect(head.text ?? "").toBe("");
  }
});
