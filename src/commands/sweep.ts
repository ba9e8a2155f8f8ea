// Counts the alarms of an alert with another limit, and finds the limit for a chosen number of alarms.
import { type AlertDurations, firing, joined, type Span } from "../../alerts/firing.ts";

/** Values that an alert compares with its limit: one value a minute of each series, NaN where it cannot fire. */
export interface Swept {
  readonly minutes: number;
  readonly columns: readonly Float64Array[];
  /** A value that is just the limit fires. */
  readonly firesAtLimit: boolean;
  readonly durations: AlertDurations;
}

/** The spans in which the alert would have fired for any of the series. */
export function alarmsAt(limit: number, { minutes, columns, firesAtLimit, durations }: Swept): Span[] {
  const spans = columns.flatMap((column) => {
    const value = (minute: number) => column[minute] as number;
    return firing(minutes, (minute) => value(minute) > limit || (firesAtLimit && value(minute) === limit), durations);
  });
  return joined(spans, 0);
}

/** The highest value of any series in a span. */
export function peakOf(columns: readonly Float64Array[], { from, until }: Span): number {
  const values = columns.flatMap((column) => [...column.subarray(from, until)]);
  return values.reduce((max, value) => (value > max ? value : max), Number.NEGATIVE_INFINITY);
}

/** Two digits are sufficient for a limit. */
const DIGITS = 2;
/** No limit is lower. */
const LEAST = 0.01;

/**
 * The lowest limit of two digits from which on no limit gives more than `max` alarms. A low limit alone proves
 * nothing: it may join many alarms to few long ones. Undefined when no value is above `LEAST`, and when no limit
 * prevents an alarm because values are infinite.
 */
export function limitFor(max: number, swept: Swept): { readonly limit: number; readonly alarms: number } | undefined {
  const highest = swept.columns.reduce(
    (top, column) => column.reduce((max, value) => (Number.isFinite(value) && value > max ? value : max), top),
    LEAST,
  );
  if (highest === LEAST) return undefined;
  let found: { limit: number; alarms: number } | undefined;
  for (const limit of limitsBelow(highest)) {
    const alarms = alarmsAt(limit, swept).length;
    if (alarms > max) break;
    found = { limit, alarms };
  }
  return found;
}

// Numbers of two digits, descending, the first one above the given value.
function* limitsBelow(value: number): Generator<number> {
  let exponent = Math.floor(Math.log10(value)) - (DIGITS - 1);
  let mantissa = Math.floor(value / 10 ** exponent) + 1;
  for (;;) {
    // As text: powers of ten are not exact.
    const limit = Number(`${mantissa}e${exponent}`);
    if (limit < LEAST) return;
    yield limit;
    mantissa -= 1;
    if (mantissa < 10 ** (DIGITS - 1)) {
      mantissa = 10 ** DIGITS - 1;
      exponent -= 1;
    }
  }
}
