// What promtool does not check of rules: labels are kept, names are unique, and texts, runbooks and inhibitions fit.
// test/dashboards/queries.test.ts checks their series and labels, with those of the dashboards.
import { describe, expect, test } from "@jest/globals";
import { alerts, recordings } from "../../alerts/index.ts";
import { inhibitions } from "../../alerts/inhibitions.ts";
import { familyOf } from "../../alerts/series.ts";
import { parsePromql, type Query } from "../support/promql.ts";
import { queries, rules } from "./rules.ts";

const wrong = (find: (query: Query) => readonly string[]) =>
  queries.flatMap(({ at, expr }) => find(parsePromql(expr)).map((what) => `${at}: ${what}`));

/** Labels of an exposed or recorded series besides those of the target; undefined when there is no such series. */
function labels(metric: string): readonly string[] | undefined {
  // Made by Prometheus and by the client library; not ours, and used in few places.
  if (metric === "up" || metric === "process_resident_memory_bytes") return [];
  return recordings.find(({ record }) => record === metric)?.labels ?? familyOf(metric)?.labelNames;
}

test("rules use only functions of Prometheus 2.42, and none that selects series at random", () => {
  const KNOWN = new Set(
    "absent changes clamp count count_over_time count_values group histogram_quantile increase label_replace last_over_time max max_over_time min min_over_time present_over_time quantile_over_time rate round sum time timestamp".split(
      " ",
    ),
  );
  expect(wrong(({ functions }) => functions.filter((name) => !KNOWN.has(name)))).toEqual([]);
});

const TARGET = ["cluster", "namespace", "job", "instance"];
// Rules that join series of several shards: each shard is an instance of the same job.
const ACROSS_SHARDS =
  /^Stacks(ShardsDisagree|ShardMissing|AddressUnlockSoon|AddressTransactionStuck|OwnFeeAboveMarket)\b/;

describe("every rule", () => {
  test("keeps job and instance", () => {
    expect(
      wrong(({ groupings }) =>
        groupings
          .filter(({ kind }) => kind !== "on")
          .flatMap(({ kind, labels }) => TARGET.filter((label) => labels.includes(label) === (kind !== "by")))
          .map((label) => `drops the ${label}`),
      ).filter((found) => !(ACROSS_SHARDS.test(found) && found.endsWith("drops the instance"))),
    ).toEqual([]);
  });

  test("joins by the target too, but for what is there or not there at all", () => {
    expect(
      wrong(({ groupings }) =>
        groupings
          .filter(({ kind, labels }) => kind === "on" && labels.length > 0)
          .flatMap(({ labels }) => TARGET.filter((label) => !labels.includes(label)))
          .map((label) => `without ${label}`),
      ).filter((found) => !(ACROSS_SHARDS.test(found) && found.endsWith("without instance"))),
    ).toEqual([]);
  });

  test("that records has a name of its own, and declares labels that its series have", () => {
    const names = recordings.map(({ record }) => record);

    expect(new Set(names).size).toBe(names.length);
    for (const { record, expr, labels: declared } of recordings) {
      const query = parsePromql(expr);
      const dropped = query.groupings.filter(({ kind }) => kind === "without").flatMap((grouping) => grouping.labels);
      const first = labels(query.selectors[0]?.metric ?? "") ?? [];
      expect({ record, labels: [...declared].sort() }).toEqual({
        record,
        labels: first.filter((label) => !dropped.includes(label)).sort(),
      });
    }
  });
});

describe("every alert", () => {
  // pint checks names, severities and `for`: .pint.hcl.
  test("has a unique name, and texts that are sentences", () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
    for (const { annotations } of rules.filter(({ alert }) => alert !== undefined)) {
      expect(Object.keys(annotations ?? {})).toEqual(["summary", "description", "runbook_url"]);
      expect(annotations?.summary).toMatch(/^[A-Z{]/);
      expect(annotations?.description).toMatch(/\.(\{\{ end \}\})?$/);
    }
  });

  test("has its value in the description only: labels and summary stay the same while it fires", () => {
    for (const { alert, labels, annotations } of rules.filter(({ alert }) => alert !== undefined)) {
      expect(Object.keys(labels ?? {})).toEqual(["severity"]);
      expect([alert, annotations?.summary]).toEqual([alert, expect.not.stringContaining("$value")]);
    }
  });

  test("names only labels that its series have, those of an alternative included, or that Prometheus gives", () => {
    const unknown = alerts.flatMap(({ alert, expr, summary, description }) => {
      const { selectors, groupings } = parsePromql(expr);
      const dropped = groupings.filter(({ kind }) => kind === "without").flatMap((grouping) => grouping.labels);
      // The operands of a top-level "or" are alternatives, and each has its own labels.
      const alternatives = expr.includes(" or ") ? selectors : selectors.slice(0, 1);
      // A label that is set to a constant, or to a value.
      const set = [...expr.matchAll(/, "(\w+)", "[\w ]+", "", ""\)|count_values without \(\) \("(\w+)"/g)].map(
        ([, constant, value]) => constant ?? value ?? "",
      );
      const known = ["job", "instance", ...set, ...alternatives.flatMap(({ metric }) => labels(metric) ?? [])].filter(
        (label) => !dropped.includes(label),
      );
      return [...`${summary} ${description}`.matchAll(/\$labels\.(\w+)/g)]
        .filter(([, label = ""]) => !known.includes(label))
        .map(([text]) => `${alert}: ${text}`);
    });

    expect(unknown).toEqual([]);
  });

  test("that a runbook mentions exists", () => {
    const names = new Set<string>(alerts.map(({ alert }) => alert));
    const texts = alerts.map(({ runbook }) => [runbook.meaning, ...runbook.actions].join(" "));
    const mentioned = texts.flatMap((text) => [...text.matchAll(/\bStacks[A-Z]\w+/g)].map(([name]) => name));

    expect(mentioned.length).toBeGreaterThan(5);
    expect(mentioned.filter((name) => !names.has(name))).toEqual([]);
  });
});

test("inhibition is never mutual, and no alert inhibits itself", () => {
  const pairs = new Set(inhibitions.flatMap(({ source, targets }) => targets.map((target) => `${source} ${target}`)));
  const mutual = inhibitions.flatMap(({ source, targets }) =>
    targets.filter((target) => pairs.has(`${target} ${source}`)),
  );

  expect(mutual).toEqual([]);
});
