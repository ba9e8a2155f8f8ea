import { beforeEach, describe, expect, test } from "@jest/globals";
import { NOON, StatusWorld, upstream, watched } from "../support/status.ts";

let world: StatusWorld;
beforeEach(() => {
  world = new StatusWorld().network();
});
const page = () => world.page();

describe("the page shows", () => {
  test("that everything is OK, and no problem or target", () => {
    world.succeed(world.watch("fees", ["vault"])[0] as never, 7);
    expect(world.pageText()).toContain("✓ OK");
    expect(world.pageText()).toContain("fees every 10 s ✓ active 7 s ago");
    expect(page()).not.toMatch(/Problems|Targets that|<li><strong>|vault/);
  });

  test("a problem, since when, and the target that has it, until it recovers", () => {
    const [task] = world.watch("addresses", ["vault"]);
    world.succeed(world.task("fees"), 1);
    if (task !== undefined) for (const seconds of [15, 5]) world.fail(task, seconds, "http_server", "expected 200");

    expect(world.pageText()).toContain("! Degraded");
    expect(world.pageText()).toContain(
      "Problems mainnet : addresses of vault: expected 200 (http_server: a 5xx response)",
    );
    expect(world.pageText()).toContain("began 15 s ago");
    expect(world.pageText()).toMatch(
      /Targets that need attention .* vault SPvault addresses ! degraded none yet http_server: expected 200 began 15 s ago/,
    );
    if (task !== undefined) world.succeed(task, 0);
    expect(world.pageText()).not.toMatch(/Problems|need attention/);
  });

  test("a collector whose operation the API lacks", () => {
    const task = world.task("transactions");
    world.fail(task, 7200, "timeout");
    world.lack(task, 3600);
    expect(world.pageText()).toContain("– unsupported none yet");
  });

  test("the budget, a plan above the limit, and a slowdown", () => {
    world = new StatusWorld().network("mainnet", {
      budget: {
        minute: { planned: 3.2, limit: 50, used: 10, available: 40 },
        month: { planned: 142_848, limit: 1000, used: 12, available: 1 },
      },
    });
    world.succeed(world.task("addresses", { intervalMs: 25_000, target: watched("SP1") }), 1);
    expect(world.pageText()).toContain("Requests of the last minute: 10 of 50; 40 available, 3.2 planned");
    expect(world.pageText()).toContain("for 31 days: 12 of 1,000; 1 available, 142,848 planned");
    expect(page()).toContain('<span class="fails">142,848 planned</span>');
    expect(world.pageText()).toContain("every 25 s, 2.5 times slower than configured: the budget");
    expect(new StatusWorld().network().pageText()).toContain("for 31 days: no limit; 142,848 planned");
  });

  test("every upstream, and the collectors of each network", () => {
    const cause = { reason: "http_server", message: "HTTP 503", since: NOON - 60_000 } as const;
    const upstreams = [
      upstream("own", { up: false, lag_blocks: 12, cause }),
      upstream("hiro", { active: true, up: true, lag_blocks: 0 }),
      upstream("third"),
    ];
    world.network("testnet", { upstreams });
    for (const network of ["mainnet", "testnet"]) world.task("fees", { network });

    expect(world.pageText()).toContain(
      "own: https://own.example, down , 12 blocks behind http_server: HTTP 503 began 1 min ago",
    );
    expect(world.pageText()).toContain("hiro: https://hiro.example, up , polled");
    expect(world.pageText()).toContain("third: https://third.example, not contacted");
    expect(world.pageText()).toMatch(/mainnet \/ fees .* testnet \/ fees/);
    expect(page().match(/<table/g)).toHaveLength(1);
  });
});

test("many targets are counted; those that need attention are listed", () => {
  const names = Array.from({ length: 250 }, (_, index) => `n${String(index).padStart(3, "0")}`);
  for (const [index, task] of world.watch("addresses", names).entries()) {
    if (index >= 10) world.succeed(task, index >= 245 ? 40 : 1);
    if (index >= 245) continue;
    if (index >= 240) world.fail(task, 1, "not_found");
  }

  expect(world.pageText()).toContain("5 degraded, 10 waiting, 235 active");
  expect(page().match(/<tr><th scope="row"><a[^>]*>n\d+/g)).toHaveLength(10);
  expect(world.pageText()).toContain("n240 SPn240 addresses ! degraded");
  expect(world.pageText()).toContain("n245 SPn245 addresses ✓ active 40 s ago ✕ expired");
});

test("hostile texts are escaped, and secrets masked", () => {
  const markup = `"><script>alert(1)</script>'\`&<img src=x onerror=alert(2)>`;
  const hostile = `${markup} s3cret`;
  const cause = { reason: "network", message: hostile, since: NOON } as const;
  world = new StatusWorld().network(markup, { upstreams: [upstream("x", { url: `https://${hostile}`, cause })] });
  const task = world.task("addresses", { network: markup, target: watched("SP1", hostile, hostile) });
  world.fail(task, 1, "http_server", hostile);

  expect(page()).not.toMatch(/<script|<img|style="| on\w+="/);
  expect(page().match(/&#60;script&#62;/g)?.length).toBeGreaterThanOrEqual(8);
  const attributes = [...page().matchAll(/="([^"]*)"/g)].map(([, value]) => value);
  expect(attributes.filter((value) => /[<>'`]/.test(value ?? ""))).toEqual([]);
  expect(page()).not.toContain("s3cret");
});
