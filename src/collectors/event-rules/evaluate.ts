// Evaluates event rules: one result for each rule that matches an event. Pure.
import { isLabelText } from "../clarity-names.ts";
import { OTHER } from "../labels.ts";
import { type ClarityValue, readClarity } from "./clarity-value.ts";
import { type Found, follow, type Path } from "./path.ts";
import type { EventRule, RuleLabel } from "./rule.ts";

/** Why a matching event was not counted. */
export const ERRORS = {
  type: "a value or label that is of another type",
  missing: "a value or label that is not in the event, because the event has another shape",
  negative: "a negative value of a counter or histogram",
  undecodable: "an event whose value cannot be decoded",
} as const;

export type RuleError = keyof typeof ERRORS;

/** The result of a rule for an event. */
export interface Result {
  readonly rule: EventRule;
  /** The sample; undefined if the event has none, because its value is absent or wrong. */
  readonly sample?: { readonly labels: readonly string[]; readonly value: bigint } | undefined;
  readonly errors?: readonly RuleError[] | undefined;
}

/** The parts of an event that rules read. */
export interface RawEvent {
  readonly topic: string;
  /** Its serialised value, as hex with `0x`; undefined if it has none. */
  readonly hex: string | undefined;
}

/** An event, as rules read it: what is at a path is found once. */
export class EventView {
  /** Its value is not valid. */
  readonly isUndecodable: boolean;
  readonly #topic: string;
  readonly #value: ClarityValue | undefined;
  readonly #found = new Map<string, Found>();

  constructor({ topic, hex }: RawEvent) {
    this.#topic = topic;
    this.#value = hex === undefined ? undefined : readClarity(hex);
    this.isUndecodable = hex !== undefined && this.#value === undefined;
  }

  /** The value at a path. */
  at(path: Path): Found {
    const known = this.#found.get(path.text);
    if (known !== undefined) return known;
    const found = this.#find(path);
    this.#found.set(path.text, found);
    return found;
  }

  #find({ root, steps }: Path): Found {
    if (root === "topic") return { kind: "string-ascii", text: this.#topic };
    return this.#value === undefined ? "none" : follow(this.#value, steps);
  }
}

/** The results of the rules for an event, in their order, without rules that do not match. */
export function evaluate(rules: readonly EventRule[], event: RawEvent): readonly Result[] {
  const view = new EventView(event);
  const results: Result[] = [];
  for (const rule of rules) {
    const result = resultOf(rule, view);
    if (result !== undefined) results.push(result);
  }
  return results;
}

/** The result of a rule for an event; undefined if it does not match. */
export function resultOf(rule: EventRule, view: EventView): Result | undefined {
  const { conditions, labels } = rule;
  if (view.isUndecodable && readsValue(rule)) {
    const others = conditions.filter(({ path }) => path.root === "topic");
    return others.every(({ path, test }) => test(view.at(path))) ? { rule, errors: ["undecodable"] } : undefined;
  }
  if (!conditions.every(({ path, test }) => test(view.at(path)))) return undefined;
  const amount = amountOf(rule, view);
  if (typeof amount === "string") return { rule, errors: [amount] };
  const errors = new Set<RuleError>();
  const texts = labels.map((label) => labelOf(label, view, errors));
  return {
    rule,
    ...(amount === undefined ? {} : { sample: { labels: texts, value: amount } }),
    ...(errors.size === 0 ? {} : { errors: [...errors] }),
  };
}

const readsValue = ({ conditions, value, labels }: EventRule): boolean =>
  value?.root === "value" ||
  conditions.some(({ path }) => path.root === "value") ||
  labels.some(({ from }) => "path" in from && from.path.root === "value");

function amountOf({ family, value }: EventRule, view: EventView): bigint | RuleError | undefined {
  if (value === undefined) return 1n;
  const found = view.at(value);
  if (found === "none") return undefined;
  if (found === "missing") return "missing";
  if (found.number === undefined) return "type";
  return found.number < 0n && family.kind !== "gauge" ? "negative" : found.number;
}

// A label that is absent is empty, which Prometheus treats as no label.
function labelOf({ from }: RuleLabel, view: EventView, errors: Set<RuleError>): string {
  if ("value" in from) return from.value;
  const found = view.at(from.path);
  if (found === "none") return "";
  if (found === "missing") {
    errors.add("missing");
    return "";
  }
  if (found.text === undefined) {
    errors.add("type");
    return OTHER;
  }
  return isLabelText(found.text) ? found.text : OTHER;
}
