// The generated alerts for Grafana. test/config/generated.test.ts compares the file, `npm run lint:monitoring` lints
// the rules for Prometheus.
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { alerts } from "../../alerts/index.ts";

interface Rule {
  readonly uid: string;
  readonly title: string;
  readonly isPaused: boolean;
  readonly annotations: Readonly<Record<string, string>>;
}
const file = new URL("../../alerts/generated/grafana-alerts.yaml", import.meta.url);
const { groups } = parse(readFileSync(file, "utf8")) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap(({ rules }) => rules);

test("they are the same alerts, with the optional ones paused", () => {
  expect(rules.map(({ title, isPaused }) => [title, isPaused])).toEqual(
    alerts.map(({ alert }) => [alert, alert === "StacksFeeAbsolute"]),
  );
});

test("they have unique uids that Grafana accepts, and its variable for the value", () => {
  const uids = rules.map(({ uid }) => uid);
  const texts = rules.flatMap(({ annotations }) => Object.values(annotations));

  expect(uids.filter((uid) => !/^[a-z0-9-]{1,40}$/.test(uid))).toEqual([]);
  expect(new Set(uids).size).toBe(uids.length);
  expect(texts.filter((text) => text.includes("$value "))).toEqual([]);
  expect(texts.some((text) => text.includes("$values.query.Value"))).toBe(true);
});
