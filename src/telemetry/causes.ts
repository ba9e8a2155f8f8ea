// Why targets fail, by reason: each cause appears once, however many targets it has.
import type { Reason } from "../api/errors.ts";
import { nameOf, type Task } from "../collectors/task.ts";
import type { Failure, Standing } from "../storage/state.ts";
import { REASON_WORDS } from "./reasons.ts";

/** A reason, and the targets that fail for it now. */
export interface Cause {
  readonly reason: Reason;
  readonly targets: number;
  /** Names of the first of them; none for the whole chain. */
  readonly names: readonly string[];
  /** The failure that came last. */
  readonly last: Failure;
  /** Of the target that has failed the longest. Unix time, milliseconds. */
  readonly since: number;
}

// So many are named; the page lists all of them.
const MOST_NAMES = 3;

/** Adds a target, if it fails, to the causes by reason. Cheap: lists are long. */
export function addCause(causes: Map<Reason, Cause>, task: Task, { failure, failingSince }: Standing): void {
  if (failure === undefined) return;
  const name = nameOf(task);
  const names = name === undefined ? [] : [name];
  add(causes, { reason: failure.reason, targets: 1, names, last: failure, since: failingSince ?? failure.at });
}

/** One cause for each reason, that of most targets first. */
export function mergeCauses(causes: Iterable<Cause>): readonly Cause[] {
  const merged = new Map<Reason, Cause>();
  for (const cause of causes) add(merged, cause);
  return [...merged.values()].toSorted((a, b) => b.targets - a.targets);
}

function add(causes: Map<Reason, Cause>, cause: Cause): void {
  const known = causes.get(cause.reason);
  causes.set(cause.reason, known === undefined ? cause : together(known, cause));
}

const together = (a: Cause, b: Cause): Cause => ({
  reason: a.reason,
  targets: a.targets + b.targets,
  names: a.names.length >= MOST_NAMES ? a.names : [...a.names, ...b.names].slice(0, MOST_NAMES),
  last: b.last.at >= a.last.at ? b.last : a.last,
  since: Math.min(a.since, b.since),
});

/** `the API cannot be reached (network): mempool_fees: connect ECONNREFUSED`. Not masked. */
export const causeText = ({ reason, last }: Cause): string => `${reasonText(reason)}: ${last.message}`;

/** `the API cannot be reached (network)`. */
export const reasonText = (reason: Reason): string => `${REASON_WORDS[reason]} (${reason})`;

/** `treasury, vault, deposits and 7 more`; empty for the whole chain. Not masked. */
export function namesText({ names, targets }: Pick<Cause, "names" | "targets">): string {
  const more = targets - names.length;
  return names.length === 0 || more === 0 ? listText(names) : `${names.join(", ")} and ${more} more`;
}

/** `a, b and c`. */
export const listText = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
