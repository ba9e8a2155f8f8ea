// The events: times at which inclusion was expensive. They depend on the price only, not on the injected incidents.
import type { Column } from "./trace.ts";

/** A range of minutes, the last one not included. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** What alarms are compared with. */
export interface Truth {
  readonly events: readonly Span[];
  readonly shortRises: readonly Span[];
}

/** Inclusion is expensive above this many floors, which is more than wallets suggest. */
export const EXPENSIVE = 3;
// Shorter dips are one block with room between full ones.
const DIP_MINUTES = 5;
const LEAST_MINUTES = 15;
// Periods closer than this are one event.
const APART_MINUTES = 60;

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

/** The events of a trace, from what inclusion costs (in floors): expensive for at least a quarter of an hour. */
export function eventsOf(price: Column): Span[] {
  return joined(
    expensive(price).filter(({ from, until }) => until - from >= LEAST_MINUTES),
    APART_MINUTES,
  );
}

/** What a price means. */
export const truthOf = (price: Column): Truth => ({ events: eventsOf(price), shortRises: shortRisesOf(price) });

/** Rises that are too short for an event. */
export function shortRisesOf(price: Column): Span[] {
  return expensive(price).filter(({ from, until }) => until - from < LEAST_MINUTES);
}

function expensive(price: Column): Span[] {
  const spans = spansWhere(price.length, (minute) => (price[minute] as number) > EXPENSIVE);
  return joined(spans, DIP_MINUTES);
}
