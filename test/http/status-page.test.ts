import { beforeEach, describe, expect, test } from "@jest/globals";
import { statusPage } from "../../src/http/status-page.ts";
import { ALL, NOON, StatusWorld, upstream, watched } from "../support/status.ts";

let world: StatusWorld;
beforeEach(() => {
  world = new StatusWorld().network();
});
const pageOf = (selection = ALL) => statusPage(world.json(selection), selection);

describe("the page shows", () => {
  test("that everything is OK, and no problems", () => {
    world.succeed(world.task("fees"), 7);
    expect(world.pageText()).toContain("✓ OK The last poll of the only target succeeded.");
    expect(world.pageText()).toContain("fees every 10s ✓ active 7 s in 4 s none");
    expect(pageOf()).not.toContain('id="problems"');
    expect(pageOf()).not.toContain('id="targets"');
  });

  test("targets that wait for their first poll", () => {
    world.task("fees");
    expect(world.pageText()).toContain("… Starting 1 of 1 targets wait for their first poll.");
    expect(world.pageText()).toContain("… waiting none yet in 4 s none");
  });

  test("a problem, since when, and the failures in a row of a target", () => {
    const [task] = world.watch("addresses", ["vault"]);
    world.succeed(world.task("fees"), 1);
    if (task !== undefined) for (const seconds of [15, 5]) world.fail(task, seconds, "http_server", "expected 200");

    expect(world.pageText()).toContain("! Degraded One problem.");
    expect(world.pageText()).toContain("Problems mainnet / addresses : vault: the API reports a server error");
    expect(world.pageText()).toContain("since 11:59:45 UTC (15 s) ");
    expect(world.pageText()).toContain("http_server : expected 200 since 11:59:45 UTC (15 s), 2 polls in a row");
  });

  test("several problems, and that of the watch list", () => {
    const files = { lastSuccessAt: NOON, failure: { message: "no address", errors: 1, since: NOON } };
    world.reloads = { ...world.reloads, files };
    world.fail(world.task("fees"), 5, "behind");

    expect(world.pageText()).toContain("✕ Down A network has no current data.");
    expect(world.pageText()).toContain("watch list : the changed watch list is not in use");
    expect(pageOf().match(/<li>/g)).toHaveLength(2);
  });

  test("the proxy of the only upstream, and of one of several", () => {
    const proxy = "http://proxy.example:3128";
    world = new StatusWorld().network("mainnet", { upstreams: [upstream("default", { proxy })] });
    expect(world.pageText()).toContain("https://mainnet.example through the proxy http://proxy.example:3128");
    expect(world.json().networks[0]?.upstreams[0]).toMatchObject({ proxy });
    world = new StatusWorld().network("mainnet", { upstreams: [upstream("own"), upstream("hiro", { proxy })] });
    expect(world.pageText()).toContain("https://own.example … Unknown");
    expect(world.pageText()).toContain("https://hiro.example through the proxy http://proxy.example:3128");
  });

  test("an error of the past", () => {
    const fees = world.task("fees");
    world.fail(fees, 120, "http_server", "mempool_fees: expected 200, got 500");
    world.succeed(fees, 3);
    expect(world.pageText()).toContain("recovered; 2 min ago : http_server");
  });

  test("a pause, its end and the longest pause", () => {
    world = new StatusWorld().network("mainnet", { pausedUntil: NOON + 60_000 });
    world.succeed(world.task("fees"), 7);
    expect(world.pageText()).toContain("the API requested a pause (429) next request at 12:01:00 UTC (in 1 min)");
    expect(world.pageText()).toContain("‖ Paused until 12:01:00 UTC (in 1 min)");
    expect(world.pageText()).toContain("A pause lasts at most 15 min ( longest_pause ).");
  });

  test("a retired operation, since when, and its next request", () => {
    const times = { since: NOON - 60_000, nextTryAt: NOON + 3_600_000 };
    world = new StatusWorld().network("mainnet", { retired: [{ operation: "mempool_fees", ...times }] });
    world.fail(world.task("fees"), 60, "gone");
    expect(world.pageText()).toContain("✕ retired");
    expect(world.pageText()).toContain(
      "✕ Retired operation mempool_fees: the API responds with 410 since 11:59:00 UTC (1 min); " +
        "next request at 13:00:00 UTC (in 1 h)",
    );
  });

  test("a collector whose operation the API lacks, and since when", () => {
    const task = world.task("transactions");
    world.fail(task, 7200, "timeout");
    world.lack(task, 3600);
    expect(world.pageText()).toContain(
      "– unsupported none yet in 4 s the API lacks the operation (404), as older versions do; since 11:00:00 UTC (1 h)",
    );
  });

  test("expired values", () => {
    world.succeed(world.task("fees"), 30);
    expect(world.pageText()).toContain("30 s ✕ expired");
  });

  test("the budget, a plan above the limit, a slowdown, and the rate limits of the API", () => {
    world = new StatusWorld().network("mainnet", {
      month: { limit: 1000, used: 12, remaining: 1 },
      rateLimits: [{ window: "minute", limit: 50, remaining: 22, resetAt: NOON + 5_000, seenAt: NOON - 1_000 }],
    });
    world.succeed(world.task("addresses", { intervalMs: 25_000, target: watched("SP1") }), 1);
    expect(world.pageText()).toContain("Minute 10 last 60 s 3.2 50 40");
    expect(world.pageText()).toContain("142,848: more than the limit");
    expect(world.pageText()).toContain("every 10s, slowed down by the budget to 25 s (2.5 times)");
    expect(world.pageText()).toContain("Rate limits of the API: minute: 22 of 50 left.");
  });

  test("every upstream, but only if there are several", () => {
    world = new StatusWorld().network("mainnet", {
      upstreams: [
        upstream("own", {
          ...{ isUp: false, tipHeight: 90, lagBlocks: 12 },
          cause: { reason: "http_server", message: "HTTP 503", since: NOON - 60_000 },
        }),
        upstream("hiro", { isActive: true, isUp: true, tipHeight: 102, lagBlocks: 1 }),
        upstream("third"),
      ],
    });
    expect(world.pageText()).toContain("own https://own.example ✕ Down 12 blocks http_server: HTTP 503 since 11:59:00");
    expect(world.pageText()).toContain("hiro https://hiro.example ✓ Up , polled 1 block —");
    expect(world.pageText()).toContain("third https://third.example … Unknown — —");

    world = new StatusWorld().network("mainnet", { upstreams: [upstream("default", { isActive: true })] });
    expect(world.pageText()).not.toContain("Upstreams");
  });
});

describe("many targets", () => {
  beforeEach(() => {
    const names = Array.from({ length: 250 }, (_, index) => `n${String(index).padStart(3, "0")}`);
    for (const [index, task] of world.watch("addresses", names).entries()) {
      if (index >= 10) world.succeed(task, index / 10);
    }
    world.succeed(world.task("fees"), 2);
  });

  test("are counted by state, with links to them, and shown by the page", () => {
    expect(pageOf().match(/<tr><th scope="row">n\d/g)).toHaveLength(100);
    expect(world.pageText()).toContain("1 to 100 of 251");
    expect(world.pageText()).toContain("10 waiting , 240 active");
    expect(pageOf()).toContain('href="?network=mainnet&#38;collector=addresses&#38;state=waiting#targets"');
  });

  test("keep the filter in the form and in the links to other pages", () => {
    const selection = { collector: "addresses", state: "active", text: "n", limit: 50, page: 2 } as const;
    const page = statusPage(world.json(selection), selection);

    expect(page).toContain("<option selected>addresses</option>");
    expect(page).toContain("<option selected>active</option>");
    expect(page).toContain('name="q" maxlength="200" value="n"');
    expect(page).toContain('<input type="hidden" name="limit" value="50">');
    expect(page).toContain('href="?collector=addresses&#38;state=active&#38;q=n&#38;limit=50#targets"');
    expect(page).toContain('href="?collector=addresses&#38;state=active&#38;q=n&#38;page=3&#38;limit=50#targets"');
  });

  test("of a page after the last: a link back", () => {
    const selection = { page: 4, limit: 90 };
    expect(world.pageText(selection)).toContain("No target on this page; 251 in total.");
    expect(pageOf(selection)).toContain('href="?page=3&#38;limit=90#targets"');
  });
});

test("hostile texts are escaped, and secrets masked", () => {
  const markup = `"><script>alert(1)</script>'\`&<img src=x onerror=alert(2)>`;
  const hostile = `${markup} s3cret`;
  const retired = { operation: markup, since: NOON, nextTryAt: NOON + 1 };
  world = new StatusWorld().network(markup, { origin: `https://${hostile}`, retired: [retired] });
  const task = world.task("addresses", { network: markup, target: watched("SP1", hostile, hostile) });
  world.fail(task, 1, "http_server", hostile);
  const page = pageOf({ ...ALL, text: markup, network: markup });

  expect(page).not.toMatch(/<script|<img|style="| on\w+="/);
  expect(page.match(/&#60;script&#62;/g)?.length).toBeGreaterThanOrEqual(10);
  const attributes = [...page.matchAll(/="([^"]*)"/g)].map(([, value]) => value);
  expect(attributes.filter((value) => /[<>'`]/.test(value ?? ""))).toEqual([]);
  expect(page).not.toContain("s3cret");
});
