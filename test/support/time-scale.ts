// Divides every duration in rules and routes by a number.
import { parser } from "@prometheus-io/lezer-promql";
import { formatDuration, parseDuration } from "../../src/scheduler/interval.ts";

/** Rule groups as in a rule file. */
export interface RuleGroup {
  readonly name: string;
  readonly interval: string;
  readonly rules: readonly {
    readonly record?: string;
    readonly alert?: string;
    readonly expr: string;
    readonly for?: string;
    readonly keep_firing_for?: string;
  }[];
}

/** `7d` by 30 is `5h36m`. Throws if the text is not a duration, or the result is not in whole milliseconds. */
export function shorten(duration: string, by: number): string {
  const days = /^(\d+)d$/.exec(duration)?.[1];
  const milliseconds = (parseDuration(days === undefined ? duration : `${Number(days) * 24}h`) ?? Number.NaN) / by;
  if (!Number.isInteger(milliseconds)) throw new Error(`cannot divide ${duration} by ${by}`);
  return formatDuration(milliseconds);
}

/**
 * Divides the ranges and offsets of a query, and the seconds that a rate is multiplied by. Other numbers, and durations
 * in names, do not change. Nor do limits of ages: a chain that runs faster than the clock has no age.
 */
function shortenQuery(expr: string, by: number): string {
  let text = "";
  let end = 0;
  parser.parse(expr).iterate({
    enter({ name, from, to, node }) {
      const times = node.prevSibling?.name === "Mul" ? node.prevSibling.prevSibling : null;
      const isSeconds =
        name === "NumberDurationLiteral" && times?.name === "FunctionCall" && /^rate\b/.test(expr.slice(times.from));
      if (name !== "NumberDurationLiteralInDurationContext" && !isSeconds) return;
      const written = expr.slice(from, to);
      text += expr.slice(end, from) + (isSeconds ? Number(written) / by : shorten(written, by));
      end = to;
    },
  });
  return text + expr.slice(end);
}

/** Rule groups with every duration divided: intervals, ranges, offsets, `for` and `keep_firing_for`. */
export function shortenRules(groups: readonly RuleGroup[], by: number): RuleGroup[] {
  return groups.map((group) => ({
    ...group,
    interval: shorten(group.interval, by),
    rules: group.rules.map((rule) => ({
      ...rule,
      expr: shortenQuery(rule.expr, by),
      ...(rule.for === undefined ? {} : { for: shorten(rule.for, by) }),
      ...(rule.keep_firing_for === undefined ? {} : { keep_firing_for: shorten(rule.keep_firing_for, by) }),
    })),
  }));
}

const WAITS = ["group_wait", "group_interval", "repeat_interval"] as const;

/** A route of Alertmanager, with its child routes. */
export interface Route {
  readonly group_wait?: string;
  readonly group_interval?: string;
  readonly repeat_interval?: string;
  readonly routes?: readonly Route[];
}

/** A route with its intervals divided, including those of its child routes. */
export function shortenRoute<R extends Route>(route: R, by: number): R {
  const waits = WAITS.flatMap((name) => {
    const wait = route[name];
    return wait === undefined ? [] : [[name, shorten(wait, by)] as const];
  });
  return {
    ...route,
    ...Object.fromEntries(waits),
    ...(route.routes === undefined ? {} : { routes: route.routes.map((inner) => shortenRoute(inner, by)) }),
  };
}
