// The metric of the usual pauses of a contract, shared by the collectors `contracts` and `contract_calls`. Pure.
import { gauge, type Sample } from "../exposition/family.ts";
import type { Labels } from "./counted.ts";
import { longestPause, type Rhythm } from "./rhythm.ts";

/** The activities of a contract: calls and events. */
export const ACTIVITIES = ["call", "event"] as const;

/** The family of the longest pauses. */
export const pauses = gauge({
  name: "stacks_contract_longest_pause_seconds",
  help:
    "Longest time between two calls, or between two observations of new events, in the seven days before the newest " +
    "one. A pause counts as at most three times the longest one before it. Absent until ten pauses and a day are known.",
  source: "the times of confirmed calls and of observed events, polled",
  unit: "seconds",
  labels: {
    network: "name of the network",
    name: "name of the contract in the configuration",
    contract_id: "the contract",
    activity: { about: "what the contract does", values: ACTIVITIES },
  },
});

/** The sample of an activity's pauses; none while they are not known. */
export function* pauseSamples(
  rhythm: Rhythm,
  { network = "", name = "", contract_id = "" }: Labels,
  activity: (typeof ACTIVITIES)[number],
): Iterable<Sample> {
  const longest = longestPause(rhythm);
  if (longest !== undefined) yield pauses.at({ network, name, contract_id, activity }, longest);
}
