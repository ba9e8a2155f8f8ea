// The contracts with the most calls in the window. One that was among them keeps its series for an hour, so that series
// do not appear and disappear with every poll. Pure.

/** A contract that is, or was, among those with the most calls. */
export interface BusyContract {
  readonly id: string;
  /** Time when it was last among them. Unix time, seconds. */
  readonly at: number;
}

/** Calls of a contract in the window. */
export interface Calls {
  readonly id: string;
  readonly calls: number;
}

// A contract leaves an hour after it was last among those with the most calls.
const KEPT_SECONDS = 3600;
// Contracts with one call each can change every minute.
const MAX_KEPT = 5;

/** Calls by contract. */
export function callsOf(rows: readonly { readonly called: string | undefined }[]): ReadonlyMap<string, number> {
  const calls = new Map<string, number>();
  for (const { called } of rows) if (called !== undefined) calls.set(called, (calls.get(called) ?? 0) + 1);
  return calls;
}

/**
 * The contracts that have series, the most recently busy ones first.
 * @param most number of contracts with the most calls; some more keep their series for an hour
 * @param spareSeries maximum number of new series
 * @param now Unix time in seconds
 */
export function busiest(
  before: readonly BusyContract[],
  calls: ReadonlyMap<string, number>,
  { max, spareSeries, now }: { readonly max: number; readonly spareSeries: number; readonly now: number },
): readonly BusyContract[] {
  const known = new Set(before.map(({ id }) => id));
  // With equal numbers of calls, contracts that already have series are first.
  const top = [...calls]
    .sort(([a, x], [b, y]) => y - x || Number(known.has(b)) - Number(known.has(a)) || (a < b ? -1 : 1))
    .slice(0, max);
  let spare = Math.floor(spareSeries);
  const named = top.filter(([id]) => known.has(id) || spare-- > 0).map(([id]) => ({ id, at: now }));
  const ids = new Set(named.map(({ id }) => id));
  const kept = before.filter(({ id, at }) => !ids.has(id) && at > now - KEPT_SECONDS);
  return [...named, ...kept].slice(0, MAX_KEPT * max);
}
