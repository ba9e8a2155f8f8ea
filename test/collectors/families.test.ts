// Rules for every collector and family, including new ones.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { MOVED_PRIORITY, SPARE_PRIORITY } from "../../src/api/budget.ts";
import { collectorFamilies, collectors } from "../../src/collectors/index.ts";
import { parseSchedule } from "../../src/config/interval.ts";
import type { Family } from "../../src/exposition/family.ts";
import { selfMetrics } from "../../src/telemetry/self-metrics.ts";
import { parseExposition } from "../support/parser.ts";

const families: readonly Family[] = [...collectorFamilies, ...selfMetrics];
const golden = new URL("../golden/", import.meta.url);
const emitted = readdirSync(golden).flatMap((name) =>
  parseExposition(readFileSync(new URL(name, golden), "utf8"), "classic"),
);

// The captured responses do not contain these: they have no reorganisation or day of history, and no event
// rules are configured.
const NOT_IN_CAPTURES = [
  "stacks_address_irregularities_total",
  "stacks_address_restored_transactions_total",
  "stacks_address_reverted_transactions_total",
  "stacks_contract_rule_errors_total",
  "stacks_chain_tenure_execution_cost_ratio",
  "stacks_chain_blocks_per_burn_block",
  "stacks_chain_mined_fee_baseline_microstx",
  "stacks_chain_mined_fee_lowest_microstx",
  "stacks_chain_mined_fee_microstx",
  "stacks_fee_estimate_microstx",
  "stacks_chain_last_reorg_depth_blocks",
];

test("the order of priority is collectors of the whole chain, changed targets, scheduled polls of targets", () => {
  // Most polls of `waiting` send no request; the others confirm an absence, which an alert waits for.
  const prioritiesOf = (isRoundRobin: boolean) =>
    collectors
      .filter(({ targets, name }) => (targets !== undefined && name !== "waiting") === isRoundRobin)
      .map(({ priority }) => priority);

  expect(Math.max(...prioritiesOf(false))).toBeLessThan(MOVED_PRIORITY);
  expect(Math.min(...prioritiesOf(true))).toBeGreaterThan(MOVED_PRIORITY);
  expect(Math.max(...prioritiesOf(true))).toBeLessThan(SPARE_PRIORITY);
});

test("names are unique", () => {
  const names = families.map(({ name }) => name);

  expect(new Set(names).size).toBe(names.length);
});

describe.each(families.map((family) => ({ name: family.name, family })))("$name", ({ family }) => {
  const { name, kind, unit, help, labels } = family;
  const isOwn = selfMetrics.includes(family);

  test("follows the naming rules of Prometheus", () => {
    expect(name).toMatch(
      isOwn ? /^stacks_(up$|exporter_)/ : /^stacks_(mempool|fee|chain|address|group|asset|contract)_/,
    );
    expect(name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
    expect(name.endsWith("_total")).toBe(kind === "counter");
    expect(name).not.toMatch(
      /_(count|sum|bucket|percent|gauge|counter|histogram|ms|milliseconds|minutes|hours|ustx)(_|$)/,
    );
    if (name.includes("timestamp")) expect(name).toMatch(/_timestamp_seconds$/);
    if (unit !== undefined) expect(name.replace(/_total$/, "")).toMatch(new RegExp(`_${unit}$`));
    const suffix = /_(seconds|bytes|ratio|microstx)(_total)?$/.exec(name)?.[1];
    expect(unit ?? suffix).toBe(suffix ?? unit);
    if (suffix !== undefined) expect(unit).toBe(suffix);
  });

  test("has a help text with its source", () => {
    expect(help).toMatch(/^[A-Z].*\.$/);
    expect(help).not.toMatch(/\n|\d{4}-\d\d/);
    if (!isOwn) expect(help).toMatch(/ Source: (.*, polled|the configuration)\.$/);
  });

  test("has documented labels without conflicts", () => {
    for (const [label, { about }] of Object.entries(labels)) {
      expect(label).toMatch(/^[a-z][a-z0-9_]*$/);
      expect([
        "type",
        "quantile",
        "le",
        "instance",
        "job",
        "env",
        "environment",
        "service",
        "region",
        "zone",
        "cluster",
      ]).not.toContain(label);
      expect(about.length).toBeGreaterThan(3);
    }
    if (!isOwn) expect(Object.keys(labels)[0]).toBe("network");
  });
});

test.each(collectors.map((collector) => ({ name: collector.name, collector })))(
  "$name is complete",
  ({ collector }) => {
    expect(collector.about).toMatch(/^[A-Z].*\.$/);
    for (const preset of ["keyless", "free_key"] as const) {
      expect(() => parseSchedule(collector.schedule[preset])).not.toThrow();
    }
    const options = collector.options?.parse({});
    expect(collector.requestsPerPoll?.(options, 60) ?? 1).toBeGreaterThan(0);
    expect(collector.operations.length).toBeGreaterThan(0);
    for (const { name, path } of collector.operations) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(path).toMatch(/^\/(extended|v2\/)/);
    }
  },
);

test("samples in golden files have declared families, labels and values", () => {
  for (const { name, type, samples } of emitted) {
    const family = families.find((declared) => declared.name === name);
    expect(family?.kind).toBe(type);
    for (const { labels } of samples) {
      const names = [...labels.keys()].filter((label) => label !== "le");
      // The additional labels of an open family follow the declared ones.
      expect(family?.isOpen ? names.slice(0, family.labelNames.length) : names).toEqual(family?.labelNames);
      for (const [label, value] of labels) {
        const { values } = family?.labels[label] ?? {};
        if (values !== undefined) expect(values).toContain(value);
      }
    }
  }
});

test("every family of a collector is in a golden file, or in the list of exceptions", () => {
  const shown = new Set(emitted.map(({ name }) => name));
  // Families of groups are sums over several observations: see test/store/group-and-members.test.ts.
  const names = collectorFamilies.map(({ name }) => name).filter((name) => !name.startsWith("stacks_group_"));
  const absent = names.filter((name) => !shown.has(name));

  expect(absent.sort()).toEqual([...NOT_IN_CAPTURES].sort());
});
