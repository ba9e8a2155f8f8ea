// The generated rule files. test/deploy checks the configurations of Prometheus and Alertmanager.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { alerts } from "../../alerts/index.ts";
import { DATASOURCE_UID } from "../../alerts/settings.ts";
import { describeWith } from "../support/installed.ts";

const folder = fileURLToPath(new URL("../../alerts/generated/", import.meta.url));

describeWith("promtool")("with promtool (Debian: apt-get install prometheus)", () => {
  test.each(["recording", "alerts", "optional"])("%s.rules.yaml is accepted without a warning", (name) => {
    const { status, stdout, stderr } = spawnSync(
      "promtool",
      ["check", "rules", "--lint=all", "--lint-fatal", `${folder}${name}.rules.yaml`],
      { encoding: "utf8" },
    );

    expect(stderr).toBe("");
    expect(stdout).toMatch(/SUCCESS: \d+ rules found/);
    expect(status).toBe(0);
  });
});

describe("grafana-alerts.yaml", () => {
  interface Rule {
    readonly uid: string;
    readonly title: string;
    readonly condition: string;
    readonly for: string;
    readonly keepFiringFor?: string;
    readonly isPaused: boolean;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly data: readonly {
      readonly refId: string;
      readonly datasourceUid: string;
      readonly model: { readonly refId: string; readonly expr?: string; readonly expression?: string };
    }[];
  }
  const { groups } = parse(readFileSync(`${folder}grafana-alerts.yaml`, "utf8")) as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap(({ rules }) => rules);

  test("has the same alerts, with the optional ones paused", () => {
    const expected = alerts.map(({ alert, expr, severity, for: pending, keepFiringFor, optional }) => ({
      title: alert,
      expr,
      severity,
      pending,
      keepFiringFor,
      isPaused: optional !== undefined,
    }));
    const found = rules.map((rule) => ({
      title: rule.title,
      expr: rule.data[0]?.model.expr,
      severity: rule.labels.severity,
      pending: rule.for,
      keepFiringFor: rule.keepFiringFor,
      isPaused: rule.isPaused,
    }));

    expect(found).toEqual(expected);
  });

  test("has unique uids that Grafana accepts", () => {
    const uids = rules.map(({ uid }) => uid);

    expect(uids.filter((uid) => !/^[a-z0-9-]{1,40}$/.test(uid))).toEqual([]);
    expect(new Set(uids).size).toBe(uids.length);
  });

  test("queries one data source, and each expression reads a previous one", () => {
    for (const { data, condition } of rules) {
      expect(data.map(({ datasourceUid }) => datasourceUid)).toEqual([DATASOURCE_UID, "__expr__", "__expr__"]);
      expect(data.map(({ refId, model }) => refId === model.refId)).toEqual([true, true, true]);
      expect(data[1]?.model.expression).toContain(`$${data[0]?.refId}`);
      expect(data[2]?.model.expression).toBe(data[1]?.refId);
      expect(condition).toBe(data[2]?.refId);
    }
  });

  test("uses the variable of Grafana for the value", () => {
    const texts = rules.flatMap(({ annotations }) => Object.values(annotations));

    expect(texts.filter((text) => text.includes("$value "))).toEqual([]);
    expect(texts.some((text) => text.includes("$values.query.Value"))).toBe(true);
  });
});
