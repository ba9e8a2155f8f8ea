import { describe, expect, test } from "@jest/globals";
import { parsePromql, withoutVariables } from "./promql.ts";

describe("a query is taken apart:", () => {
  const query = parsePromql(
    'sum without (tx_type) (rate(a_total{x="y", z=~"b\\\\.+"}[5m])) > on (job, instance) group_left (name) 3 * quantile_over_time(0.5, b{c!="d"}[1h:5m] offset 1d) unless on () absent({__name__="c", e="f"})',
  );

  test("nothing is wrong with it", () => {
    expect(query.errors).toEqual([]);
  });

  test("its selectors, with matchers, range and what is around them", () => {
    expect(query.selectors).toEqual([
      {
        metric: "a_total",
        matchers: [
          { label: "x", op: "=", value: "y" },
          { label: "z", op: "=~", value: "b\\.+" },
        ],
        range: "5m",
        within: ["rate", "sum"],
      },
      {
        metric: "b",
        matchers: [{ label: "c", op: "!=", value: "d" }],
        range: undefined,
        within: ["quantile_over_time"],
      },
      { metric: "c", matchers: [{ label: "e", op: "=", value: "f" }], range: undefined, within: ["absent"] },
    ]);
  });

  test("its groupings, functions, comparisons and joins", () => {
    expect(query.groupings).toEqual([
      { kind: "without", labels: ["tx_type"] },
      { kind: "on", labels: ["job", "instance"] },
      { kind: "group_left", labels: ["name"] },
      { kind: "on", labels: [] },
    ]);
    expect(query.functions).toEqual(["sum", "rate", "quantile_over_time", "absent"]);
    expect(query.comparisons).toEqual([">"]);
    expect(query.joins).toBe(2);
  });
});

test("every comparison is seen", () => {
  const text = "a == 1 and b != 2 and c >= bool 3 and d <= 4 and e > 5 and f < 6";

  expect(parsePromql(text).comparisons).toEqual(["==", "!=", ">=", "<=", ">", "<"]);
});

test("an error has its position", () => {
  expect(parsePromql("rate(a_total[5m]) > > 1").errors).toEqual(["rate(a_total[5m]) > →> 1"]);
  expect(parsePromql("sum(a").errors).toHaveLength(1);
});

test("Grafana's variables are replaced", () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana writes variables so
  expect(withoutVariables('rate(a{job=~"$job", i=~"${instance:regex}"}[$__rate_interval])')).toBe(
    'rate(a{job=~"job", i=~"instance"}[5m])',
  );
});
