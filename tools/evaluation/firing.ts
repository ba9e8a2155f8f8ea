// Computes when an alert fires, as Prometheus does: pending, firing, kept firing. One evaluation a minute.

/** A range of minutes, the last one not included. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** Joins spans that are at most `gap` minutes apart. */
export function joined(spans: readonly Span[], gap: number): Span[] {
  const whole: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = whole.at(-1);
    if (last !== undefined && span.from - last.until <= gap)
      whole[whole.length - 1] = { from: last.from, until: Math.max(last.until, span.until) };
    else whole.push(span);
  }
  return whole;
}

/** The ranges in which `is` holds. */
export function spansWhere(minutes: number, is: (minute: number) => boolean): Span[] {
  const spans: Span[] = [];
  let from: number | undefined;
  for (let minute = 0; minute <= minutes; minute += 1) {
    const holds = minute < minutes && is(minute);
    if (holds) from ??= minute;
    else if (from !== undefined) {
      spans.push({ from, until: minute });
      from = undefined;
    }
  }
  return spans;
}

/**
 * The spans in which an alert fires whose expression has a result in the minutes for which `holds` is true.
 * `for` and `keep_firing_for` are in minutes.
 */
export function firing(
  minutes: number,
  holds: (minute: number) => boolean,
  { forMinutes, keepMinutes }: { readonly forMinutes: number; readonly keepMinutes: number },
): Span[] {
  let activeAt: number | undefined;
  let heldAt = 0;
  let isFiring = false;
  return spansWhere(minutes, (minute) => {
    if (holds(minute)) {
      activeAt ??= minute;
      heldAt = minute;
      isFiring ||= minute - activeAt >= forMinutes;
    } else if (!isFiring || minute - heldAt > keepMinutes) {
      isFiring = false;
      activeAt = undefined;
    }
    return isFiring;
  });
}
