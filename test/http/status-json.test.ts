import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { dataOf } from "../support/data.ts";
import { at, NOON, StatusWorld, upstream, watched } from "../support/status.ts";

/** A status with every field. */
function everything(): StatusWorld {
  const since = NOON - 60_000;
  const world = new StatusWorld().network("mainnet", {
    url: "https://s3cret.example",
    upstreams: [
      upstream("own", {
        ...{ up: false, lag_blocks: 12 },
        cause: { reason: "http_server", message: "HTTP 503: s3cret", since },
      }),
      upstream("hiro", { active: true, up: true, lag_blocks: 0 }),
      upstream("third"),
    ],
    budget: {
      minute: { planned: 3.2, limit: 50, used: 10, available: 40 },
      month: { planned: 142_848, limit: 1000, used: 12, available: 1 },
    },
    pausedUntil: NOON + 60_000,
  });
  const task = world.task("addresses", { intervalMs: 25_000, target: watched("SP1", "vault s3cret", "dao s3cret") });
  world.succeed(task, 35);
  world.fail(task, 15, "not_found", "no such address");
  world.fail(task, 5, "not_found", "no such address: s3cret");
  return world;
}

test("the document has every field, with secrets masked", () => {
  const json = everything().json();

  expect(json).toMatchObject({
    ...{ status: "down", version: "1.2.3", time: at(0), started_at: at(-3600) },
    problems: [
      { subject: "mainnet", message: expect.stringContaining(`no request is sent before ${at(60)}`) },
      { subject: "mainnet", message: expect.stringContaining("addresses of vault ***: "), since: at(-15) },
    ],
  });
  const { networks, targets } = json;
  expect({ networks, targets }).toEqual(dataOf("status.yaml", import.meta.url));
});

/** `path: type` of every field; a list counts as its elements. */
function fieldsOf(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((element) => fieldsOf(element, `${path}[]`));
  if (typeof value !== "object" || value === null) return [`${path}: ${typeof value}`];
  return Object.entries(value).flatMap(([name, field]) => fieldsOf(field, `${path}.${name}`));
}

test("docs/status.md describes every field", () => {
  const world = everything();
  // The network is not down, so that the failing collector is reported as a separate problem.
  world.succeed(world.task("fees"), 1);
  const watched = world.tasks.find(({ target }) => target.key === "SP1");
  const amounts = { stx: -785_000_180n, "SP….token::token": -100n };
  if (watched) Object.assign(watched.collector, { lastCounted: () => [{ id: "0x…", time: NOON / 1000, amounts }] });
  const docs = readFileSync(new URL("../../docs/status.md", import.meta.url), "utf8");
  const [, example = ""] = /```jsonc\n(.*?)```/s.exec(docs) ?? [];
  const documented = JSON.parse(example.replace(/(^|\s)\/\/ .*$/gm, "")) as unknown;

  expect([...new Set(fieldsOf(documented))].sort()).toEqual(
    [...new Set(fieldsOf(world.json({ principal: "SP1" })))].sort(),
  );
});
