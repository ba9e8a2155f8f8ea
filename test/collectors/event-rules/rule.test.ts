import { expect, test } from "@jest/globals";
import { rulesOf } from "../../support/event-rules.ts";

const RULE = {
  metric: "amm_swaps_total",
  type: "counter",
  help: "Swaps.",
  match: [{ path: "value.event", equals: "swap" }],
  value: { path: "value.amount" },
  labels: { pool: { path: "value.pool-id", allow: ["a"], max: 5 }, token: { path: "value.token" } },
};
const fingerprintOf = async (rule: object) => (await rulesOf(`- ${JSON.stringify(rule)}`))[0]?.fingerprint;

test.each([
  ["help", { help: "Other." }],
  ["allow and max of a label", { labels: { ...RULE.labels, pool: { path: "value.pool-id", max: 9 } } }],
  ["order of labels", { labels: { token: RULE.labels.token, pool: RULE.labels.pool } }],
])("another %s continues the counters", async (_, change) => {
  expect(await fingerprintOf({ ...RULE, ...change })).toBe(await fingerprintOf(RULE));
});

test.each([
  ["metric", { metric: "amm_trades_total" }],
  ["condition", { match: [{ path: "value.event", equals: "burn" }] }],
  ["type of a condition", { match: [{ path: "value.event", equals: 1 }] }],
  ["operator of a condition", { match: [{ path: "value.event", exists: true }] }],
  ["value", { value: { path: "value.fee" } }],
  ["label", { labels: { pool: RULE.labels.pool } }],
  ["path of a label", { labels: { ...RULE.labels, token: { path: "value.token-x" } } }],
  ["fixed label", { labels: { ...RULE.labels, token: { value: "value.token" } } }],
])("another %s starts other counters", async (_, change) => {
  expect(await fingerprintOf({ ...RULE, ...change })).not.toBe(await fingerprintOf(RULE));
});
