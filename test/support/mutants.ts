// Rules with one thing changed: each must make a test fail, or the thing was not needed, or not tested.
import { parser } from "@prometheus-io/lezer-promql";

/** A changed text, and what was changed in it. */
export interface Mutation {
  readonly kind: "number" | "comparator" | "operator" | "clause" | "window";
  readonly what: string;
  readonly text: string;
}

type Node = ReturnType<typeof parser.parse>["topNode"];

const COMPARATORS: Readonly<Record<string, readonly string[]>> = {
  ">": [">=", "<"],
  ">=": [">", "<"],
  "<": ["<=", ">"],
  "<=": ["<", ">"],
  "==": ["!="],
  "!=": ["=="],
};
const OPERATORS: Readonly<Record<string, string>> = { "/": "*", "*": "/", "-": "+", "+": "-" };
const SET_OPERATORS = new Set(["And", "Or", "Unless"]);
const NUMBER = new Set(["NumberDurationLiteral"]);
const WINDOW = new Set(["NumberDurationLiteralInDurationContext"]);

/** A tenth more and a tenth less; for small whole numbers the next ones. */
function neighbours(text: string): string[] {
  const value = Number(text);
  if (Number.isInteger(value) && Math.abs(value) < 10) return [String(value + 1), String(value - 1)];
  return [value * 1.1, value * 0.9].map((changed) => String(Number(changed.toPrecision(12))));
}

/** Twice as long and half as long: `5m` gives `10m` and `150s`. */
function otherDurations(duration: string): string[] {
  const [, amount = "0", unit = "s"] = /^(\d+)([smhd])$/.exec(duration) ?? [];
  const seconds = Number(amount) * ({ s: 1, m: 60, h: 3600, d: 86_400 }[unit] ?? 1);
  return [`${seconds * 2}s`, `${Math.floor(seconds / 2)}s`];
}

/** The same for a wait, in whole minutes: rules are evaluated once a minute, and a part of one changes nothing. */
export function otherWaits(wait: string): string[] {
  return otherDurations(wait).map((other) => `${Math.floor(Number.parseInt(other, 10) / 60) * 60}s`);
}

/** Every single change of a query. */
export function mutationsOf(expr: string): Mutation[] {
  const found: Mutation[] = [];
  const change = (kind: Mutation["kind"], { from, to }: { from: number; to: number }, by: string) => {
    const text = expr.slice(0, from) + by + expr.slice(to);
    const around = `${expr.slice(Math.max(0, from - 30), from)}⟦${expr.slice(from, to)} → ${by}⟧`.replaceAll("\n", " ");
    found.push({ kind, what: around, text });
  };
  const textOf = ({ from, to }: Node) => expr.slice(from, to);
  parser.parse(expr).iterate({
    enter({ node }) {
      if (NUMBER.has(node.name)) for (const by of neighbours(textOf(node))) change("number", node, by);
      if (WINDOW.has(node.name)) for (const by of otherDurations(textOf(node))) change("window", node, by);
      if (node.parent?.name !== "BinaryExpr") return;
      for (const by of COMPARATORS[textOf(node)] ?? []) change("comparator", node, by);
      const operator = OPERATORS[textOf(node)];
      if (operator !== undefined) change("operator", node, operator);
      if (SET_OPERATORS.has(node.name)) {
        const { firstChild: left, lastChild: right } = node.parent;
        if (left === null || right === null) return;
        // Either side alone; the right side only where it is an alternative.
        change("clause", { from: left.to, to: right.to }, "");
        if (node.name === "Or") change("clause", { from: left.from, to: right.from }, "");
      }
    },
  });
  return found;
}
