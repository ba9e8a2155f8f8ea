// The events: times at which inclusion was expensive. They depend on the price only, not on the injected incidents.
import { joined, type Span, spansWhere } from "./firing.ts";
import type { Column } from "./trace.ts";

/** The true events, for the comparison with alarms. */
export interface Truth {
  readonly events: readonly Span[];
  /** Rises that are too short for an event. */
  readonly shortRises: readonly Span[];
}

/** Inclusion is expensive above this many floors, which is more than wallets suggest. */
export const EXPENSIVE = 3;
// Shorter dips are one block with room between full ones.
const DIP_MINUTES = 5;
const MIN_MINUTES = 15;
// Periods closer than this are one event.
const APART_MINUTES = 60;

/**
 * The events and the short rises of a trace, from what inclusion costs (in floors).
 * @param behind minutes for which it has been expensive when `price` begins to say so
 */
export function truthOf(price: Column, behind: number): Truth {
  const spans = joined(
    spansWhere(price.length, (minute) => (price[minute] as number) > EXPENSIVE),
    DIP_MINUTES,
  ).map(({ from, until }) => ({ from: from - behind, until }));
  const isEvent = ({ from, until }: Span) => until - from >= MIN_MINUTES + behind;
  return { events: joined(spans.filter(isEvent), APART_MINUTES), shortRises: spans.filter((span) => !isEvent(span)) };
}
