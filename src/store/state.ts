// The state of every task: its last good observation, the outcome of its last poll, and the expiry of its values.
import type { Reason } from "../api/errors.ts";
import type { Addition, Counted } from "../collectors/counted.ts";
import type { GroupSum } from "../collectors/group-families.ts";
import { keyOf, samplesOf, type Task } from "../collectors/task.ts";
import type { Exposition } from "../exposition/exposition.ts";
import { decode, encode } from "./codec.ts";
import { Group } from "./group.ts";
import { StateFileError } from "./state-file-error.ts";
import type { Kept, Key, Store } from "./store.ts";
import { Totals, type TotalsPolicy } from "./totals.ts";

/** Why a poll failed. `message` is masked before it is shown anywhere. */
export interface Failure {
  readonly reason: Reason;
  readonly message: string;
  /** Unix time, milliseconds. */
  readonly at: number;
}

/** The state of a task. Times are Unix time in milliseconds. */
export interface TaskStatus {
  readonly lastSuccessAt: number | undefined;
  readonly lastEndAt: number | undefined;
  /** The failure of the last poll; undefined when it succeeded. */
  readonly failure: Failure | undefined;
  /** Failed polls in a row. */
  readonly failuresInARow: number;
  /** Time when the first of them ended; undefined when the last poll succeeded. */
  readonly failingSince: number | undefined;
  /** Since when the server lacks the operation of the task; undefined while it has it. */
  readonly unsupportedSince: number | undefined;
}

const UNKNOWN: TaskStatus = {
  lastSuccessAt: undefined,
  lastEndAt: undefined,
  failure: undefined,
  failuresInARow: 0,
  failingSince: undefined,
  unsupportedSince: undefined,
};

/** What the state tells its owner. */
export interface StateEvents {
  /** Nothing is counted any more, because the state file is damaged. Called once. */
  onDamage?(damage: StateFileError): void;
  /** The position of a target in its list could not be read: it counts again from now on, and its counters stay. */
  onGap?(task: Task, damage: StateFileError): void;
}

/** The status of all tasks. Adds their samples to the exposition, and removes gauges that are too old. */
export class State {
  readonly #exposition: Exposition;
  readonly #store: Store;
  readonly #events: StateEvents;
  readonly #statuses = new Map<Task, TaskStatus>();
  /** Observations that the store does not keep, as text if there can be many, and those of the whole chain. */
  readonly #observations = new Map<Task, unknown>();
  /** What running polls have loaded. */
  readonly #loaded = new Map<Task, Kept>();
  readonly #groups = new Map<string, Group>();
  /** Groups whose counters are exposed without members, too. */
  readonly #named = new Set<string>();
  #damage: StateFileError | undefined;
  #nextExpiry = Number.POSITIVE_INFINITY;

  constructor(exposition: Exposition, store: Store, events: StateEvents = {}) {
    this.#exposition = exposition;
    this.#store = store;
    this.#events = events;
  }

  /** Why nothing is counted; undefined as long as the state file is not known to be damaged. */
  get damage(): StateFileError | undefined {
    return this.#damage;
  }

  /** Ends counting: counters keep their last values, and the state file stays as it is. */
  stopCounting(damage: StateFileError): void {
    if (this.#damage !== undefined) return;
    this.#damage = damage;
    this.#events.onDamage?.(damage);
  }

  /** Why a task must not be polled: its observations count, and the state file is damaged. */
  damageFor({ collector }: Task): StateFileError | undefined {
    return collector.isDurable ? this.#damage : undefined;
  }

  /**
   * Continues a task with what is kept of it: counters are exposed now, other values after the next successful poll.
   * @throws StateFileError when the state file cannot be read.
   */
  restore(task: Task): void {
    const kept = this.#load(task);
    this.#groupOf(task)?.join(task);
    if (kept !== undefined) this.#continue(task, UNKNOWN, observationFrom(task, kept));
  }

  #load(task: Task): Kept | undefined {
    if (!task.collector.isDurable || this.#damage !== undefined) return undefined;
    try {
      return this.#store.load(keyIn(task));
    } catch (error) {
      if (!(error instanceof StateFileError && error.isDamage)) throw error;
      this.#store.forget(keyIn(task), Date.now());
      this.#events.onGap?.(task, error);
      return undefined;
    }
  }

  #continue(task: Task, status: TaskStatus, observation: unknown): void {
    const isPresent = status.lastSuccessAt !== undefined;
    const group = this.#groupOf(task);
    try {
      const samples = [...samplesOf(task, observation)];
      if (group !== undefined) group.take(task, isPresent ? samples : undefined);
      else this.#exposition.set(keyOf(task), [...(this.#totalsOf(task)?.samples() ?? []), ...samples]);
    } catch (error) {
      const problem = `${keyOf(task)}: ${error instanceof Error ? error.message : error}`;
      this.stopCounting(StateFileError.damaged(this.#store.path, problem));
      this.#exposition.remove(keyOf(task));
      return;
    }
    if (!isPresent) this.#exposition.expire(keyOf(task));
    this.#statuses.set(task, status);
    this.#keep(task, observation);
  }

  /** The counters of a task, or of its group; undefined if its collector has none. */
  #totalsOf(task: Task, now = 0, spareSeries = 0): Totals | undefined {
    const policy = this.#groupOf(task)?.policy ?? policyOf(task);
    if (policy === undefined) return undefined;
    const { counters, places } = this.#store.totals(this.#ownerOf(task));
    return new Totals(policy, counters, places, now, spareSeries);
  }

  #ownerOf(task: Task): Key {
    return this.#groupOf(task)?.owner ?? keyIn(task);
  }

  /** The status of a task. */
  of(task: Task): TaskStatus {
    return this.#statuses.get(task) ?? UNKNOWN;
  }

  /** The last good observation of a task; undefined until there is one. */
  observationOf(task: Task): unknown {
    if (!isInStore(task)) {
      const known = this.#observations.get(task);
      return typeof known === "string" ? decode(known) : known;
    }
    if (this.#statuses.get(task) === undefined) return undefined;
    const kept = this.#load(task);
    if (kept === undefined) return undefined;
    this.#loaded.set(task, kept);
    return observationFrom(task, kept);
  }

  /** Keeps an observation in memory. There can be ten thousand targets: their observations are text. */
  #keep(task: Task, observation: unknown): void {
    if (isInStore(task)) return;
    this.#observations.set(task, task.target.key === "" ? observation : encode(observation));
  }

  /**
   * Records a successful poll; throws, and records nothing, when a sample is invalid or the observation cannot be
   * saved.
   * @param spareSeries number of series that label values from the API can add
   */
  succeed(task: Task, observation: unknown, at: number, spareSeries = Number.POSITIVE_INFINITY): void {
    const group = this.#groupOf(task);
    const samples = [...samplesOf(task, observation)];
    const totals = this.#totalsOf(task, at, spareSeries);
    if (totals !== undefined) for (const addition of this.#additionsOf(task, observation)) totals.add(addition);
    const show = this.#exposition.prepare(keyOf(task), [
      ...(group === undefined ? (totals?.samples() ?? []) : []),
      ...(group === undefined ? samples : []),
    ]);
    // Saved before it is exposed: a crash can never take back a total that was scraped.
    if (task.collector.isDurable) {
      const changes = totals && { owner: this.#ownerOf(task), changes: totals.changes() };
      const before = isInStore(task) ? this.#loaded.get(task) : keptFrom(task, this.#observations.get(task));
      this.#store.commit(keyIn(task), before, keptFrom(task, observation) as Kept, changes, at);
    }
    this.#loaded.delete(task);
    if (group === undefined) show();
    else group.take(task, samples);
    this.#statuses.set(task, { ...UNKNOWN, lastSuccessAt: at, lastEndAt: at });
    this.#keep(task, isCounted(task) ? { ...(observation as Counted<unknown>), additions: [] } : observation);
    this.#nextExpiry = Math.min(this.#nextExpiry, at + task.maxAgeMs);
  }

  #additionsOf(task: Task, observation: unknown): readonly Addition[] {
    if (!isCounted(task)) return [];
    const { additions } = observation as Counted<unknown>;
    const group = this.#groupOf(task);
    return group === undefined ? additions : additions.flatMap((addition) => group.added(addition));
  }

  /** The group that a task belongs to; undefined if it has its own series. */
  #groupOf({ network, collector, target }: Task): Group | undefined {
    const { watched } = target;
    if (watched?.isSummed !== true || collector.sums === undefined) return undefined;
    return this.#group(network, collector.name, watched.group, collector.sums);
  }

  #group(network: string, collector: string, name: string, sums: readonly GroupSum[]): Group {
    const created = new Group({ network, collector, name }, sums);
    const known = this.#groups.get(created.key) ?? created;
    this.#groups.set(known.key, known);
    return known;
  }

  /**
   * Exposes the counters of these groups of a network also while none of their members is polled here: what they have
   * counted stays, and other shards can have all members.
   */
  keepGroups(
    network: string,
    groups: readonly { readonly collector: string; readonly group: string; readonly sums: readonly GroupSum[] }[],
  ): void {
    for (const group of this.#groups.values()) {
      if (group.owner.network === network && this.#named.delete(group.key)) group.isChanged = true;
    }
    for (const { collector, group, sums } of groups) this.#named.add(this.#group(network, collector, group, sums).key);
  }

  /** Records a failed poll; the observation stays. */
  fail(task: Task, failure: Failure): void {
    this.#loaded.delete(task);
    const before = this.of(task);
    this.#statuses.set(task, {
      ...before,
      lastEndAt: failure.at,
      failure,
      failuresInARow: before.failuresInARow + 1,
      failingSince: before.failingSince ?? failure.at,
    });
  }

  /** Records a poll that found that the server lacks the operation of the task, which is not a failure. */
  unsupported(task: Task, at: number): void {
    const { unsupportedSince = at, lastSuccessAt } = this.of(task);
    this.#statuses.set(task, { ...UNKNOWN, lastSuccessAt, lastEndAt: at, unsupportedSince });
  }

  /** Removes a task that is no longer polled, and its samples. */
  remove(task: Task): void {
    for (const map of [this.#statuses, this.#observations, this.#loaded]) map.delete(task);
    this.#exposition.remove(keyOf(task));
    this.#groupOf(task)?.leave(task);
  }

  /** Replaces a task by another one for the same target, with the same status. Call `recomputeExpiry` afterwards. */
  replace(before: Task, after: Task): void {
    const status = this.#statuses.get(before);
    const observation = this.observationOf(before);
    const isMoved = this.#groupOf(before) !== this.#groupOf(after);
    this.#groupOf(before)?.leave(before);
    for (const map of [this.#statuses, this.#observations, this.#loaded]) map.delete(before);
    if (isMoved) this.#exposition.remove(keyOf(before));
    this.#groupOf(after)?.join(after);
    if (status !== undefined && observation !== undefined) this.#continue(after, status, observation);
    else if (status !== undefined) this.#statuses.set(after, status);
  }

  /** Recomputes expiry, because maximum ages have changed. */
  recomputeExpiry(): void {
    this.#nextExpiry = Number.NEGATIVE_INFINITY;
  }

  /**
   * Removes every gauge that is older than its maximum age, and exposes the sums of groups as they are now. Cheap while
   * nothing changes.
   */
  expire(now: number): void {
    this.#expireGauges(now);
    for (const group of this.#groups.values()) {
      if (!group.isChanged) continue;
      group.isChanged = false;
      const { counters, places } = this.#store.totals(group.owner);
      const isShown = !group.isEmpty || (counters.length > 0 && this.#named.has(group.key));
      const totals = new Totals(group.policy, counters, places, now, 0);
      if (isShown) this.#exposition.set(group.key, [...totals.samples(), ...group.gauges()]);
      else this.#exposition.remove(group.key);
    }
  }

  #expireGauges(now: number): void {
    if (now < this.#nextExpiry) return;
    this.#nextExpiry = Number.POSITIVE_INFINITY;
    for (const [task, { lastSuccessAt }] of this.#statuses) {
      if (lastSuccessAt === undefined) continue;
      const expiry = lastSuccessAt + task.maxAgeMs;
      if (now >= expiry) {
        this.#exposition.expire(keyOf(task));
        this.#groupOf(task)?.expire(task);
      } else this.#nextExpiry = Math.min(this.#nextExpiry, expiry);
    }
  }
}

const keyIn = ({ network, collector, target }: Task): Key => ({
  network,
  collector: collector.name,
  target: target.key,
});

const isCounted = ({ collector }: Pick<Task, "collector">): boolean => collector.counts !== undefined;

/** Whether the observation is read from the store at each poll. Those of the whole chain stay in memory. */
const isInStore = ({ collector, target }: Task): boolean => collector.isDurable === true && target.key !== "";

/** What is kept of an observation. */
export function keptFrom(task: Pick<Task, "collector">, observation: unknown): Kept | undefined {
  if (observation === undefined) return undefined;
  if (!isCounted(task)) return { values: observation, ledger: undefined };
  const { values, ledger } = observation as Counted<unknown>;
  return { values, ledger };
}

/** The observation that is made from what is kept. */
export const observationFrom = (task: Pick<Task, "collector">, { values, ledger }: Kept): unknown =>
  isCounted(task) ? ({ values, ledger, additions: [] } satisfies Counted<unknown>) : values;

/** What a task counts; undefined if its collector has no counters. */
export function policyOf({
  collector,
  network,
  target,
  options,
}: Pick<Task, "collector" | "network" | "target" | "options">): TotalsPolicy | undefined {
  const { counts } = collector;
  if (counts === undefined) return undefined;
  const families = new Map(counts.families.map((family) => [family.name, family]));
  for (const [key, family] of counts.familiesOf?.(target) ?? []) families.set(key, family);
  return {
    families,
    places: counts.places?.(target, options) ?? [],
    identity: counts.identity(network, target),
  };
}
