// The events: times at which inclusion was expensive. They depend on the price only, not on the injected incidents.
import { joined, type Span, spansWhere } from "../../alerts/firing.ts";
import type { Column } from "./trace.ts";

/** The true events, for the comparison with alarms. */
export interface Truth {
  readonly events: readonly Span[];
  readonly shortRises: readonly Span[];
}

/** Inclusion is expensive above this many floors, which is more than wallets suggest. */
const EXPENSIVE = 3;
// Shorter dips are one block with room between full ones.
const DIP_MINUTES = 5;
const MIN_MINUTES = 15;
// Periods closer than this are one event.
const APART_MINUTES = 60;

/** The events of a trace, from what inclusion costs (in floors): expensive for at least a quarter of an hour. */
export function eventsOf(price: Column): Span[] {
  return joined(
    expensive(price).filter(({ from, until }) => until - from >= MIN_MINUTES),
    APART_MINUTES,
  );
}

/** The events and the short rises of a price. */
export const truthOf = (price: Column): Truth => ({ events: eventsOf(price), shortRises: shortRisesOf(price) });

/** Rises that are too short for an event. */
export function shortRisesOf(price: Column): Span[] {
  return expensive(price).filter(({ from, until }) => until - from < MIN_MINUTES);
}

function expensive(price: Column): Span[] {
  const spans = spansWhere(price.length, (minute) => (price[minute] as number) > EXPENSIVE);
  return joined(spans, DIP_MINUTES);
}
