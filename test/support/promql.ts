// Parses PromQL for the tests: selectors, labels of groupings and joins, and syntax errors.
import { parser } from "@prometheus-io/lezer-promql";

export interface Matcher {
  readonly label: string;
  readonly op: "=" | "!=" | "=~" | "!~";
  readonly value: string;
}

/** One vector selector of a query. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
  /** Functions and aggregations around it, the innermost first. */
  readonly within: readonly string[];
}

/** A list of labels: of an aggregation, or of a join. */
export interface Grouping {
  readonly kind: "by" | "without" | "on" | "ignoring" | "group_left" | "group_right";
  readonly labels: readonly string[];
}

export interface Query {
  /** Syntax errors with the text around them; empty for a valid query. */
  readonly errors: readonly string[];
  readonly selectors: readonly Selector[];
  readonly groupings: readonly Grouping[];
  /** Names of functions and aggregations, each once. */
  readonly functions: readonly string[];
}

type Node = ReturnType<typeof parser.parse>["topNode"];

const GROUPINGS: Readonly<Record<string, Grouping["kind"]>> = {
  By: "by",
  Without: "without",
  On: "on",
  Ignoring: "ignoring",
  GroupLeft: "group_left",
  GroupRight: "group_right",
};

function ancestors(node: Node): Node[] {
  return node.parent === null ? [] : [node.parent, ...ancestors(node.parent)];
}

/** Replaces what `grown` and `grownInRange` make by the `increase` in it: there, a counter stands by itself. */
export function withoutFirstValues(text: string): string {
  const inRange =
    /\(([^\s{]+\{[^}]*\}) and count_over_time\(\1\[[^\]]+\]\) < [^[]+\[[^\]]+\]\) and resets\(\1\[[^\]]+\]\) == 0 or (increase\(\1\[[^\]]+\]\))\)/g;
  return text
    .replace(inRange, "($2)")
    .replace(
      /\(last_over_time\(([^\s{[]+(?:\{[^}]*\})?)\[5m\]\) unless last_over_time\(\1\[5m\] offset \w+\) and on \([^)]*\) last_over_time\(stacks_[^)]*\) or (increase\(\1\[[^\]]+\]\))\)/g,
      "($2)",
    );
}

/** Replaces Grafana's variables: intervals by five minutes, others by their name. */
export function withoutVariables(text: string): string {
  return text
    .replace(/\$__(rate_interval|interval|range)\b|\$\{__(rate_interval|interval|range)\}/g, "5m")
    .replace(
      /\$\{(\w+)(:\w+)?\}|\$(\w+)/g,
      (_, braced?: string, _format?: string, plain?: string) => braced ?? plain ?? "",
    );
}

/** Parses a query; never throws: mistakes are in `errors`. */
export function parsePromql(text: string): Query {
  const errors: string[] = [];
  const selectors: Selector[] = [];
  const groupings: Grouping[] = [];
  const functions = new Set<string>();
  const textOf = (node: Node | null | undefined) => (node ? text.slice(node.from, node.to) : "");
  const unquoted = (node: Node | null | undefined) =>
    textOf(node)
      .replace(/^(["'`])(.*)\1$/s, "$2")
      .replaceAll("\\\\", "\\");

  function selectorOf(node: Node): Selector {
    const matchers = (node.getChild("LabelMatchers")?.getChildren("UnquotedLabelMatcher") ?? []).map((matcher) => ({
      label: textOf(matcher.getChild("LabelName")),
      op: textOf(matcher.getChild("MatchOp")) as Matcher["op"],
      value: unquoted(matcher.getChild("StringLiteral")),
    }));
    const named = matchers.find(({ label, op }) => label === "__name__" && op === "=");
    const within = ancestors(node).flatMap((outer) =>
      outer.name === "FunctionCall" || outer.name === "AggregateExpr" ? [textOf(outer.firstChild)] : [],
    );
    return {
      metric: textOf(node.getChild("Identifier")) || (named?.value ?? ""),
      matchers: matchers.filter((matcher) => matcher !== named),
      within,
    };
  }

  parser.parse(text).iterate({
    enter({ node }) {
      if (node.type.isError) errors.push(`${text.slice(0, node.from)}→${text.slice(node.from)}`);
      if (node.name === "VectorSelector") selectors.push(selectorOf(node));
      if (node.name === "FunctionIdentifier" || node.name === "AggregateOp") functions.add(textOf(node));
      const kind = GROUPINGS[node.name];
      if (kind !== undefined) {
        const labels = node.nextSibling?.name === "GroupingLabels" ? node.nextSibling.getChildren("LabelName") : [];
        groupings.push({ kind, labels: labels.map(textOf) });
      }
    },
  });
  return { errors, selectors, groupings, functions: [...functions] };
}
