// What the status says of upstreams.
import { expect, test } from "@jest/globals";
import { answerOf } from "../../src/http/status-answer.ts";
import { statusPage } from "../../src/http/status-page.ts";
import { statusAnswer } from "../../src/http/status-shape.ts";
import type { UpstreamReport } from "../../src/telemetry/report.ts";
import { NOON, StatusWorld } from "../support/status.ts";

const upstream = (name: string, changes: Partial<UpstreamReport> = {}): UpstreamReport => ({
  name,
  origin: `https://${name}.example`,
  isActive: false,
  isUp: undefined,
  tipHeight: undefined,
  lagBlocks: undefined,
  cause: undefined,
  ...changes,
});

const everything = { page: 1, limit: 100 };

function shown(world: StatusWorld) {
  const view = world.view();
  const json = answerOf(view.statusOf(everything), view.program, view.mask);
  expect(statusAnswer.parse(json)).toEqual(json);
  const page = statusPage(json, everything)
    .replace(/<style>[\s\S]*<\/style>/, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");
  return { json, page };
}

test("each upstream with what is known of it, secrets masked", () => {
  const world = new StatusWorld();
  world.network("mainnet", {
    upstreams: [
      upstream("own", {
        isUp: false,
        tipHeight: 90,
        lagBlocks: 12,
        cause: { reason: "http_server", message: `HTTP 503: ${world.secret}`, since: NOON - 60_000 },
      }),
      upstream("hiro", { isActive: true, isUp: true, tipHeight: 102, lagBlocks: 0 }),
      upstream("third"),
    ],
  });
  const { json, page } = shown(world);

  expect(json.networks[0]?.upstreams).toEqual([
    {
      ...{ name: "own", url: "https://own.example", active: false, up: false, tip_height: 90, lag_blocks: 12 },
      cause: { reason: "http_server", message: "HTTP 503: ***", since: new Date(NOON - 60_000).toISOString() },
    },
    { name: "hiro", url: "https://hiro.example", active: true, up: true, tip_height: 102, lag_blocks: 0 },
    { name: "third", url: "https://third.example", active: false },
  ]);
  expect(page).toMatch(/own https:\/\/own.example ✕ Down 12 blocks http_server: HTTP 503: \*\*\* since/);
  expect(page).toMatch(/hiro https:\/\/hiro.example ✓ Up , polled 0 blocks —/);
  expect(page).toMatch(/third https:\/\/third.example … Unknown — —/);
});

test("a network with one upstream has no table of them", () => {
  const world = new StatusWorld().network("mainnet", { upstreams: [upstream("default", { isActive: true })] });
  const { json, page } = shown(world);

  expect(json.networks[0]?.upstreams).toHaveLength(1);
  expect(page).not.toContain("Upstreams");
});

test("another chain makes the network down, with one problem for all of its collectors", () => {
  const world = new StatusWorld().network("mainnet", {
    blocked: { reason: "wrong_chain", message: "block 1 is another one", since: NOON - 5000 },
  });
  world.fail(world.task("fees"), 1, "wrong_chain", "block: block 1 is another one");
  world.succeed(world.task("mempool"), 1);
  const { json } = shown(world);

  expect(json.status).toBe("down");
  expect(json.problems).toEqual([
    {
      network: "mainnet",
      message: "the API follows another chain (wrong_chain): block 1 is another one",
      since: new Date(NOON - 5000).toISOString(),
    },
  ]);
});
