// The rules of the end-to-end test are the shipped ones, except for their durations.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { type Route, type RuleGroup, shorten, shortenQuery, shortenRoute, shortenRules } from "./time-scale.ts";

function generated<T>(name: string): T {
  const path = fileURLToPath(new URL(`../../alerts/generated/${name}`, import.meta.url));
  return parse(readFileSync(path, "utf8")) as T;
}
const files = ["recording", "alerts", "optional"].map(
  (name) => [name, generated<{ groups: RuleGroup[] }>(`${name}.rules.yaml`).groups] as const,
);

const UNIT_SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };
// A duration that stands by itself, not within a name such as `ratio7d` or a text such as "last 10m".
const DURATIONS = /(?<=^|\[|offset )(?:\d+(?:ms|[smhd]))+(?=$|[\])\s])/gm;
const secondsOf = (duration: string) =>
  [...duration.matchAll(/(\d+)(ms|[smhd])/g)].reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (UNIT_SECONDS[unit] ?? Number.NaN),
    0,
  );
/** The number in seconds that a rate is multiplied with. */
const PER_SECOND = /(?<=rate\(\w+\[[^\]]*\]\) \* )[\d.]+/g;
const textsOf = ({ interval, rules }: RuleGroup) => [
  interval,
  ...rules.flatMap((rule) => [rule.expr, rule.for ?? "", rule.keep_firing_for ?? ""]),
];

test.each([
  ["5m", 30, "10s"],
  ["7d", 30, "5h36m"],
  ["30s", 60, "500ms"],
])("%s divided by %i is %s", (duration, by, expected) => {
  expect(shorten(duration, by)).toBe(expected);
});

test.each(["5", "five minutes", "1ms"])("%j cannot be divided", (duration) => {
  expect(() => shorten(duration, 30)).toThrow("cannot divide");
});

test("a query keeps its names, numbers and texts", () => {
  expect(
    shortenQuery(
      'a:b:ratio7d{x="[5m]"} > 600 and max_over_time(c[1h] offset 10m) == 5 or quantile_over_time(0.5, d[7d])',
      60,
    ),
  ).toBe('a:b:ratio7d{x="[5m]"} > 600 and max_over_time(c[1m] offset 10s) == 5 or quantile_over_time(0.5, d[2h48m])');
});

test("what a rate is multiplied with is seconds, and other factors are not", () => {
  expect(shortenQuery("rate(a[5m]) * 600 / b * 100 + time() * 60 > 600 and rate(c[5m]) * d", 50)).toBe(
    "rate(a[6s]) * 12 / b * 100 + time() * 60 > 600 and rate(c[6s]) * d",
  );
});

describe.each(files)("%s.rules.yaml", (_, groups) => {
  const shorter = shortenRules(groups, 30);

  test("is the same but for its durations", () => {
    const blank = (all: readonly RuleGroup[]) =>
      JSON.parse(
        JSON.stringify(all, (_key, value: unknown) =>
          typeof value === "string" ? value.replace(PER_SECOND, "…").replace(DURATIONS, "…") : value,
        ),
      ) as unknown;

    expect(blank(shorter)).toEqual(blank(groups));
  });

  test("has every duration divided by the same number", () => {
    const durations = (all: readonly RuleGroup[]) =>
      all
        .flatMap(textsOf)
        .flatMap((text) => [
          ...(text.match(DURATIONS) ?? []).map(secondsOf),
          ...(text.match(PER_SECOND) ?? []).map(Number),
        ]);
    const before = durations(groups);

    expect(before.length).toBeGreaterThan(10);
    expect(durations(shorter)).toEqual(before.map((seconds) => seconds / 30));
  });
});

test("a route keeps everything but its waits, at every depth", () => {
  const { route } = generated<{ route: Route & { group_by: string[] } }>("alertmanager.yaml");
  const shorter = shortenRoute(route, 20);

  expect(shorter).toMatchObject({ group_wait: "500ms", group_interval: "15s", repeat_interval: "12m" });
  expect(shorter.routes?.map(({ repeat_interval }) => repeat_interval)).toEqual(["15s", "1h12m", "1h12m"]);
  expect(shorter.group_by).toEqual(route.group_by);
  expect(shorter.routes?.length).toBe(route.routes?.length);
});
