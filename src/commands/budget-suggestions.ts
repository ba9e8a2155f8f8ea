// Suggests settings with which the polls of a network fit the budget of an upstream. Pure.
import { scheduleOf } from "../collectors/collector.ts";
import { schedulesFor } from "../config/budget.ts";
import { MAX_REQUESTS } from "../config/upstream-settings.ts";
import { intervalOf, LONGEST, parseSchedule } from "../scheduler/interval.ts";
import { type Budget, type Demand, isRoundRobin, neededBudgets } from "../scheduler/pacing.ts";

// Rounding error of sums of floating-point numbers.
const TOLERANCE = 1e-6;

/** The next whole number. */
export const wholeOf = (value: number): number => Math.ceil(value - TOLERANCE);

/** Whether a limit of a budget, if there is one, is enough for this number of requests. */
export const isEnough = (limit: number | undefined, requests: number): boolean =>
  limit === undefined || wholeOf(requests) <= limit;

function isFitting(demands: readonly Demand[], { perMinute, perMonth }: Budget): boolean {
  const { full } = neededBudgets(demands);
  return isEnough(perMinute, full.perMinute) && isEnough(perMonth, full.perMonth);
}

/**
 * Settings that make the polls fit, each alternative by itself: `per_month >= 200000, or every >= 375s for addresses`.
 * Empty if there is none.
 * @param shards among which the configured budget is divided: `budget` is the part of one
 */
export function suggestionsOf(demands: readonly Demand[], budget: Budget, shards = 1): string {
  return [budgetSuggestion(demands, budget, shards), intervalSuggestion(demands, budget)]
    .filter((suggestion) => suggestion !== undefined)
    .join(", or ");
}

function budgetSuggestion(demands: readonly Demand[], budget: Budget, shards: number): string | undefined {
  const needed = neededBudgets(demands).full;
  // With a larger month, default schedules can be those of another preset.
  const isOther = !isEnough(budget.perMonth, needed.perMonth) && schedulesFor(needed.perMonth * shards) === "keyless";
  const { full } = neededBudgets(isOther ? demands.map(withKeylessDefault) : demands);
  const [perMinute, perMonth] = [wholeOf(full.perMinute) * shards, wholeOf(full.perMonth) * shards];
  if (perMinute > MAX_REQUESTS.perMinute || perMonth > MAX_REQUESTS.perMonth) return undefined;
  const limits = [
    ...(isEnough(budget.perMinute, full.perMinute) ? [] : [`per_minute >= ${perMinute}`]),
    ...(isEnough(budget.perMonth, full.perMonth) ? [] : [`per_month >= ${perMonth}`]),
  ];
  return limits.join(" and ");
}

const withKeylessDefault = (demand: Demand): Demand => ({
  ...demand,
  intervalMs: demand.isDefault
    ? intervalOf(parseSchedule(scheduleOf(demand.collector.schedule, "keyless")))
    : demand.intervalMs,
});

const isConfigured = ({ isDefault }: Demand): boolean => !isDefault;
const isOfTargets = ({ collector }: Demand): boolean => isRoundRobin(collector);

// Collectors whose intervals could be longer; the first choice that suffices is taken.
const CHOICES: readonly ((demand: Demand) => boolean)[] = [
  (demand) => isConfigured(demand) && isOfTargets(demand),
  isOfTargets,
  isConfigured,
  () => true,
];

function intervalSuggestion(demands: readonly Demand[], budget: Budget): string | undefined {
  for (const isChosen of CHOICES) {
    const longer = longerIntervals(demands, isChosen, budget);
    if (longer === undefined) continue;
    return longer
      .filter(isChosen)
      .map(({ collector, intervalMs }) => `every >= ${intervalMs / 1000}s for ${collector.name}`)
      .join(" and ");
  }
  const adaptive = demands.map((demand) => ({ ...demand, isDefault: demand.isDefault || isOfTargets(demand) }));
  if (!isFitting(adaptive, budget)) return undefined;
  const names = demands.filter((demand) => isConfigured(demand) && isOfTargets(demand));
  return `the default interval for ${names.map(({ collector }) => collector.name).join(" and ")}`;
}

/**
 * The polls with longer intervals of the chosen collectors, in whole seconds, all by the same factor: the smallest one
 * that makes everything fit. Undefined when none does.
 */
function longerIntervals(
  demands: readonly Demand[],
  isChosen: (demand: Demand) => boolean,
  budget: Budget,
): readonly Demand[] | undefined {
  const longest = Math.max(0, ...demands.filter(isChosen).map(({ intervalMs }) => intervalMs));
  if (longest === 0) return undefined;
  const times = (factor: number) =>
    demands.map((demand) => {
      if (!isChosen(demand)) return demand;
      return { ...demand, intervalMs: wholeOf((demand.intervalMs * factor) / 1000) * 1000, isDefault: false };
    });
  // Requests of a poll can increase with the interval, so a longer one does not always cost less: coarse steps are
  // tried first.
  const max = LONGEST / longest;
  const factors = Array.from({ length: STEPS + 1 }, (_, step) => max ** (step / STEPS));
  const step = factors.findIndex((factor) => factor >= 1 && isFitting(times(factor), budget));
  if (step === -1) return undefined;
  let [min = 1, enough = 1] = [factors[step - 1], factors[step]];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (min + enough) / 2;
    if (isFitting(times(middle), budget)) enough = middle;
    else min = middle;
  }
  return times(enough);
}

const STEPS = 100;
const HALVINGS = 40;
