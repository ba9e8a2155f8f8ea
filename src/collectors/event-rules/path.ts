// Paths into an event: `topic`, or `value` and the way to a part of it.
import type { ClarityValue } from "./clarity-value.ts";

/** A path. Steps are keys of tuples, `ok` and `err` of responses, and positions in lists. */
export interface Path {
  /** As it is written, such as `value.amounts[0]`. */
  readonly text: string;
  readonly root: "topic" | "value";
  readonly steps: readonly (string | number)[];
}

/**
 * The value at a path. `none`: no value, which the type of the value allows (an empty optional, the other side of a
 * response, a position beyond the end of a list, an event without a value). `missing`: nothing, because the value has
 * another shape.
 */
export type Found = ClarityValue | "none" | "missing";

const WRITTEN = /^(?:topic|value(?:\.[a-zA-Z][a-zA-Z0-9!?+<>=/*_-]{0,127}|\[\d{1,5}\])*)$/;
const STEP = /\.([^.[\]]+)|\[(\d+)\]/g;

/** Reads a path; undefined for other text. */
export function parsePath(text: string): Path | undefined {
  if (!WRITTEN.test(text)) return undefined;
  const steps = [...text.matchAll(STEP)].map(([, key, index]) => key ?? Number(index));
  return { text, root: text === "topic" ? "topic" : "value", steps };
}

/** The value at the steps of a path. Optionals need no step: `some` is replaced by its content. */
export function follow(value: ClarityValue, steps: Path["steps"]): Found {
  let at = unwrapped(value);
  for (const step of steps) {
    const { kind } = at;
    if (kind === "none") return "none";
    let next: ClarityValue | undefined;
    if (typeof step === "number") {
      if (kind !== "list") return "missing";
      next = at.elements?.[step];
      if (next === undefined) return "none";
    } else if (kind === "ok" || kind === "err") {
      if (step !== "ok" && step !== "err") return "missing";
      if (step !== kind) return "none";
      next = at.inner;
    } else next = at.fields?.get(step);
    if (next === undefined) return "missing";
    at = unwrapped(next);
  }
  return at.kind === "none" ? "none" : at;
}

function unwrapped(value: ClarityValue): ClarityValue {
  let inner = value;
  while (inner.kind === "some") inner = inner.inner as ClarityValue;
  return inner;
}
