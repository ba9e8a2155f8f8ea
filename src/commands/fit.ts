// Whether the polls of a network fit the budget of an upstream, and settings with which they would. Pure.
import { scheduleOf } from "../collectors/collector.ts";
import { schedulesFor } from "../config/budget.ts";
import type { NetworkConfig } from "../config/config.ts";
import { MAX_REQUESTS } from "../config/upstream-settings.ts";
import { formatDuration, intervalOf, LONGEST, parseSchedule } from "../scheduler/interval.ts";
import {
  type Budget,
  type Demand,
  demandsOf,
  isRoundRobin,
  neededBudgets,
  type Pacing,
  pace,
} from "../scheduler/pacing.ts";

/** The result for one network and one upstream. */
export interface Fit {
  /** What does not fit, and the cure, in one sentence; undefined if everything fits. */
  readonly budgetError: string | undefined;
  /** Default intervals that the budget increases. A default adapts, so this is not an error. */
  readonly notes: readonly string[];
}

/**
 * Compares the polls of a network with the budget of an upstream. A configured interval that cannot be kept does not
 * fit, and neither do collectors of the whole chain that need more than the budget.
 * @param shards among which the configured budget is divided: this is the part of one
 */
export function fitOf(network: NetworkConfig, budget: Budget, shards = 1): Fit {
  const demands = demandsOf(network).filter(({ targets }) => targets > 0);
  const slow = pace(demands, budget).filter(isSlower);
  const { min } = neededBudgets(demands);
  const notes = slow.filter(({ isDefault }) => isDefault).map(slowerText);
  const errors = slow.filter(isConfigured).map(slowerText);
  const the = shards === 1 ? "the budget" : "the budget of a shard";
  if (!isEnough(budget.perMinute, min.perMinute)) {
    errors.push(`the busiest minute needs ${wholeOf(min.perMinute)} requests, and ${the} is ${budget.perMinute}`);
  }
  if (!isEnough(budget.perMonth, min.perMonth)) {
    errors.push(`a month of 31 days needs ${wholeOf(min.perMonth)} requests, and ${the} is ${budget.perMonth}`);
  }
  if (errors.length === 0) return { budgetError: undefined, notes };
  const cures = [budgetCure(demands, budget, shards), intervalCure(demands, budget)].filter((cure) => cure);
  if (cures.length > 0) errors.push(`to fit: ${cures.join(", or ")}`);
  return { budgetError: errors.join("; "), notes };
}

const slowerText = ({ targets, collector, intervalMs, configuredIntervalMs }: Pacing): string =>
  `the budget allows ${collector.name} (${targets} targets) every ${spanText(intervalMs)}, not every ${spanText(configuredIntervalMs)}`;

// An interval that is longer by less than a thousandth is kept.
const isSlower = ({ intervalMs, configuredIntervalMs }: Pacing): boolean => intervalMs > configuredIntervalMs * 1.001;

// The next whole number. The tolerance is for the rounding error of sums.
const wholeOf = (value: number): number => Math.ceil(value - 1e-6);

const isEnough = (limit: number | undefined, requests: number): boolean =>
  limit === undefined || wholeOf(requests) <= limit;

function isFitting(demands: readonly Demand[], { perMinute, perMonth }: Budget): boolean {
  const { full } = neededBudgets(demands);
  return isEnough(perMinute, full.perMinute) && isEnough(perMonth, full.perMonth);
}

// The least budget with which everything fits: `per_minute >= 100 and per_month >= 200000`.
function budgetCure(demands: readonly Demand[], budget: Budget, shards: number): string | undefined {
  const needed = neededBudgets(demands).full;
  // With a larger month, default schedules can be those of another preset.
  const isOther = !isEnough(budget.perMonth, needed.perMonth) && schedulesFor(needed.perMonth * shards) === "keyless";
  const { full } = neededBudgets(
    isOther ? demands.map((one) => ({ ...one, intervalMs: keylessIntervalOf(one) })) : demands,
  );
  const [perMinute, perMonth] = [wholeOf(full.perMinute) * shards, wholeOf(full.perMonth) * shards];
  if (perMinute > MAX_REQUESTS.perMinute || perMonth > MAX_REQUESTS.perMonth) return undefined;
  return [
    ...(isEnough(budget.perMinute, full.perMinute) ? [] : [`per_minute >= ${perMinute}`]),
    ...(isEnough(budget.perMonth, full.perMonth) ? [] : [`per_month >= ${perMonth}`]),
  ].join(" and ");
}

const keylessIntervalOf = ({ isDefault, collector, intervalMs }: Demand): number =>
  isDefault ? intervalOf(parseSchedule(scheduleOf(collector.schedule, "keyless"))) : intervalMs;

const isConfigured = ({ isDefault }: Pick<Demand, "isDefault">): boolean => !isDefault;

// Requests of a poll can increase with the interval, so the factor is tried in small steps.
const STEP = 1.02;

// Longer intervals, all by the same factor, with which everything fits: `every >= 375s for fees`. Those of watch lists,
// or else all that are configured.
function intervalCure(demands: readonly Demand[], budget: Budget): string | undefined {
  const configured = demands.filter((demand) => !demand.isDefault);
  for (const chosen of [configured.filter(({ collector }) => isRoundRobin(collector)), configured]) {
    const longest = Math.max(...chosen.map(({ intervalMs }) => intervalMs));
    for (let factor = STEP; longest > 0 && longest * factor <= LONGEST; factor *= STEP) {
      const longer = chosen.map((demand) => {
        return { ...demand, intervalMs: wholeOf((demand.intervalMs * factor) / 1000) * 1000 };
      });
      if (!isFitting([...demands.filter((one) => !chosen.includes(one)), ...longer], budget)) continue;
      return longer
        .map(({ collector, intervalMs }) => `every >= ${intervalMs / 1000}s for ${collector.name}`)
        .join(" and ");
    }
  }
  return undefined;
}

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];

/** A duration in seconds, and from an hour in hours and minutes. Rounded up. */
export function spanText(milliseconds: number): string {
  return milliseconds < HOUR_MS
    ? `${wholeOf(milliseconds / 1000)}s`
    : formatDuration(wholeOf(milliseconds / MINUTE_MS) * MINUTE_MS);
}
