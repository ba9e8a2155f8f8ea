// The rules of the end-to-end test are the shipped ones, except for their durations.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { type Route, type RuleGroup, shortenRoute, shortenRules } from "./time-scale.ts";

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

    expect(before.length).toBeGreaterThan(3);
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
