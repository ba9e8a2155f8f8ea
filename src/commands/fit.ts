// Whether the polls of a network fit the budget of an upstream. Pure.
import type { NetworkConfig } from "../config/config.ts";
import { formatDuration } from "../scheduler/interval.ts";
import { type Budget, demandsOf, neededBudgets, type Pacing, pace } from "../scheduler/pacing.ts";
import { isEnough, suggestionsOf, wholeOf } from "./budget-suggestions.ts";

/** The result for one network and one upstream. */
export interface Fit {
  /** Errors and suggestions, in one sentence; undefined if everything fits. */
  readonly budgetError: string | undefined;
  /** Default intervals that the budget increases. A default adapts, so this is not an error. */
  readonly notes: readonly string[];
}

/**
 * Compares the polls of a network with the budget of an upstream. A configured interval that cannot be kept does not
 * fit, and neither do collectors of the whole chain that need more than the budget.
 * @param shards among which the configured budget is divided: this is the part of one
 */
export function fitOf(network: NetworkConfig, { perMinute, perMonth }: Budget, shards = 1): Fit {
  const budget = { perMinute, perMonth };
  const demands = demandsOf(network).filter(({ targets }) => targets > 0);
  const slow = pace(demands, budget).filter(isSlower);
  const { min } = neededBudgets(demands);
  const the = shards === 1 ? "the budget" : "the budget of a shard";
  const errors = slow
    .filter(({ isDefault }) => !isDefault)
    .map((pacing) => `${polledEvery(pacing)} instead of every ${spanText(pacing.configuredIntervalMs)}`);
  if (!isEnough(perMinute, min.perMinute)) {
    errors.push(`the busiest minute needs ${wholeOf(min.perMinute)} requests, and ${the} is ${perMinute}`);
  }
  if (!isEnough(perMonth, min.perMonth)) {
    errors.push(`a month of 31 days needs ${wholeOf(min.perMonth)} requests, and ${the} is ${perMonth}`);
  }
  const notes = slow
    .filter(({ isDefault }) => isDefault)
    .map((pacing) => {
      const usual = spanText(pacing.configuredIntervalMs);
      return `${polledEvery(pacing)}, because the budget does not allow the default (every ${usual})`;
    });
  if (errors.length === 0) return { budgetError: undefined, notes };
  const suggestion = suggestionsOf(demands, budget, shards);
  return {
    budgetError: [errors.join("; "), ...(suggestion === "" ? [] : [`to fit: ${suggestion}`])].join("; "),
    notes,
  };
}

const polledEvery = ({ targets, collector, intervalMs }: Pacing): string => {
  const polled =
    targets === 1 ? `the target of ${collector.name} is` : `the ${targets} targets of ${collector.name} are`;
  return `${polled} polled every ${spanText(intervalMs)}`;
};

// An interval that is longer by less than a thousandth is kept.
const isSlower = ({ intervalMs, configuredIntervalMs }: Pacing): boolean => intervalMs > configuredIntervalMs * 1.001;

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];

/** A duration in seconds, and from an hour in hours and minutes. Rounded up. */
export function spanText(milliseconds: number): string {
  return milliseconds < HOUR_MS
    ? `${wholeOf(milliseconds / 1000)}s`
    : formatDuration(wholeOf(milliseconds / MINUTE_MS) * MINUTE_MS);
}
