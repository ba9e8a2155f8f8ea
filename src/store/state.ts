// The state of every task: its last good observation, the outcome of its last poll, and the expiry of its values.
import { isDeepStrictEqual } from "node:util";
import type { Reason } from "../api/errors.ts";
import type { Task } from "../collectors/collector.ts";
import type { Counted } from "../collectors/counted.ts";
import type { Exposition } from "../exposition/exposition.ts";
import type { Sample } from "../exposition/family.ts";
import { Group, groupKeyOf, type SummedGroup } from "./group.ts";
import { MEMORY, StateFileError } from "./open.ts";
import { decode, encode, type Kept, type Key, Store } from "./store.ts";
import { counterSamples, Totals, type TotalsPolicy } from "./totals.ts";

/** Why a poll failed. `message` is masked before it is shown anywhere. */
export interface Failure {
  readonly reason: Reason;
  readonly message: string;
  /** Unix time, milliseconds. */
  readonly at: number;
}

/** The state of a task. Times are Unix time in milliseconds. */
export interface TaskStatus {
  /** Of a watched target also that of before this process. */
  readonly lastSuccessAt?: number | undefined;
  /** Undefined until a poll of this process has ended. */
  readonly lastEndAt?: number | undefined;
  /** The failure of the last poll; undefined when it succeeded. */
  readonly failure?: Failure | undefined;
  /** Failed polls in a row. */
  readonly failuresInARow: number;
  /** Time when the first of them ended; undefined when the last poll succeeded. */
  readonly failingSince?: number | undefined;
  /** Since when the server lacks the operation of the task; undefined while it has it. */
  readonly unsupportedSince?: number | undefined;
}

const UNKNOWN: TaskStatus = { failuresInARow: 0 };

/** Callbacks for damage of the state file. */
export interface StateEvents {
  /** Nothing is counted any more, because the state file is damaged. Called once. */
  onDamage?(damage: StateFileError): void;
  /** The position of a target in its list could not be read: it counts again from now on, and its counters stay. */
  onGap?(task: Task, damage: StateFileError): void;
}

/** What is known of a task. */
interface Entry {
  readonly key: string;
  task: Task;
  status: TaskStatus;
  /**
   * The last good observation; undefined until there is one. There can be ten thousand targets: that of a watched one
   * is text, or undefined if the store has it, because it counts.
   */
  observation?: unknown;
}

/** The status of all tasks. Adds their samples to the exposition, and removes gauges that are too old. */
export class State {
  readonly #exposition: Exposition;
  /** The state file, or an empty store in memory if that is damaged. */
  #store: Store;
  readonly #events: StateEvents;
  readonly #entries = new Map<string, Entry>();
  readonly #groups = new Map<string, Group>();
  /** Why nothing is counted; undefined as long as the state file is not known to be damaged. */
  damage: StateFileError | undefined;

  constructor(exposition: Exposition, store: Store, events: StateEvents = {}) {
    this.#exposition = exposition;
    this.#store = store;
    this.#events = events;
  }

  /** Ends counting: counters keep their last values, and the state file stays as it is. Gauges go on without it. */
  stopCounting(damage: StateFileError): void {
    if (this.damage !== undefined) return;
    this.damage = damage;
    this.#store = new Store(MEMORY);
    this.#events.onDamage?.(damage);
  }

  /**
   * Follows the tasks of a network from now on, and no others of it. A task for a known target continues with its
   * status. A new one continues with what the store has of it: counters, and the gauges of a watched target until they
   * are too old. Other values follow after the next successful poll.
   * @param groups the groups of the network that are exported as sums
   * @param now Unix time in milliseconds; without it, every gauge waits for a poll
   */
  follow(network: string, tasks: readonly Task[], groups: readonly SummedGroup[] = [], now = 0): void {
    const wanted = new Map(tasks.map((task) => [keyOf(task), task]));
    for (const { key, task } of [...this.#entries.values()]) {
      if (task.network === network && !wanted.has(key)) this.#remove(key);
    }
    this.#followGroups(network, groups);
    const successes = this.#unlessDamaged(network, () => this.#store.successes(network));
    for (const [key, task] of wanted) {
      const known = this.#entries.get(key);
      if (known === undefined || isObsolete(known.task, task)) this.#restore(key, task, now, successes?.get(key));
      else this.#continue(known, task);
    }
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#exposition.remove(key);
    this.#groupOf(entry.task)?.leave(key);
  }

  #followGroups(network: string, groups: readonly SummedGroup[]): void {
    const wanted = new Map(groups.map((group) => [groupKeyOf(group), group]));
    for (const [key, group] of this.#groups) {
      if (group.owner[0] !== network || wanted.has(key)) continue;
      this.#groups.delete(key);
      this.#exposition.remove(key);
    }
    for (const [key, group] of wanted) if (!this.#groups.has(key)) this.#groups.set(key, new Group(group));
  }

  #restore(key: string, task: Task, now: number, at: number | undefined): void {
    this.#remove(key);
    const entry: Entry = { key, task, status: UNKNOWN };
    this.#entries.set(key, entry);
    this.#show(entry, () => this.#restored(entry, now, at));
  }

  /** What is shown of a task before its first poll. @param at the time of its last success, if that is known */
  #restored(entry: Entry, now: number, at: number | undefined): unknown {
    const { task } = entry;
    const isFresh = task.target.watched !== undefined && at !== undefined && at <= now && now < at + task.maxAgeMs;
    // What is not shown is not read: that takes most of a start.
    if (!isFresh) return undefined;
    const kept = this.#load(task, "values");
    if (kept === undefined) return undefined;
    if (!isCounted(task)) entry.observation = encode(kept.values);
    entry.status = { ...UNKNOWN, lastSuccessAt: at };
    return observationFrom(task, kept);
  }

  // With another name or other labels, the samples continue under these.
  #continue(entry: Entry, task: Task): void {
    const before = entry.task;
    const isSame = isDeepStrictEqual(before.target, task.target);
    const groupBefore = this.#groupOf(before);
    entry.task = task;
    if (isSame && before.isHidden === task.isHidden && groupBefore === this.#groupOf(task)) return;
    // Its counters cannot be read any more: they stay as they are.
    if (isCounted(task) && this.damage !== undefined) return;
    groupBefore?.leave(entry.key);
    this.#exposition.remove(entry.key);
    this.#show(entry, () => this.#recall(entry));
  }

  /** Exposes what is known of a task, without the gauges whose age is unknown. */
  #show(entry: Entry, observe: () => unknown): void {
    const { key, task } = entry;
    const group = this.#groupOf(task);
    // If it cannot be read, the sums of the group are not known.
    group?.take(key, undefined);
    this.#unlessDamaged(key, () => {
      const samples = samplesOf(task, observe());
      const isPresent = entry.status.lastSuccessAt !== undefined;
      if (group !== undefined) group.take(key, isPresent ? samples : undefined);
      else if (!task.isHidden) this.#exposition.set(key, [...this.#countersOf(task), ...samples]);
      if (!isPresent) this.#exposition.expire(key);
    });
  }

  /** Reads, and exposes, what is in the state file. If that is damaged, nothing counts; other errors may pass. */
  #unlessDamaged<Result>(key: string, work: () => Result): Result | undefined {
    try {
      return work();
    } catch (error) {
      const isOfFile = error instanceof StateFileError;
      const damage = isOfFile ? error : StateFileError.damaged(this.#store.path, `${key}: ${error}`);
      if (damage.isDamage) this.stopCounting(damage);
      this.#exposition.remove(key);
      return undefined;
    }
  }

  /** The samples of the counters of a task, as they are saved. */
  #countersOf(task: Task): Iterable<Sample> {
    const policy = policyOf(task);
    return policy === undefined ? [] : counterSamples(policy, this.#store.totals(keyIn(task)).counters);
  }

  /** The group that a task belongs to; undefined if it has its own series. */
  #groupOf({ network, collector, target: { watched } }: Task): Group | undefined {
    if (watched?.isSummed !== true) return undefined;
    return this.#groups.get(groupKeyOf({ network, collector: collector.name, group: watched.group }));
  }

  /** The status of a task. */
  of(task: Task): TaskStatus {
    return this.#entries.get(keyOf(task))?.status ?? UNKNOWN;
  }

  /** The last good observation of a task; undefined until there is one. */
  observationOf(task: Task): unknown {
    const entry = this.#entries.get(keyOf(task));
    return entry && this.#recall(entry);
  }

  #recall({ task, observation }: Entry): unknown {
    if (typeof observation === "string") return decode(observation);
    if (observation !== undefined || !isCounted(task)) return observation;
    const kept = this.#load(task);
    return kept && observationFrom(task, kept);
  }

  #load(task: Task, part?: "values"): Kept | undefined {
    try {
      return this.#store.load(keyIn(task), part);
    } catch (error) {
      if (!(error instanceof StateFileError && error.isDamage)) throw error;
      this.#store.forget(keyIn(task));
      if (isCounted(task)) this.#events.onGap?.(task, error);
      return undefined;
    }
  }

  /**
   * Begins a poll of a task that is followed. `previous`: the last good observation; undefined until there is one.
   * `succeed` records a successful poll; throws, and records nothing, when a sample is invalid or the observation
   * cannot be saved. Its `spareSeries`: number of series that label values from the API can add.
   * @throws StateFileError when its observations count, and the state file is damaged: nothing must be polled
   */
  begin(task: Task) {
    this.#checkDamage(task);
    const entry = this.#entries.get(keyOf(task));
    if (entry === undefined) throw new Error(`${keyOf(task)} is not followed`);
    const previous = this.#recall(entry);
    return {
      previous,
      succeed: (observation: unknown, at: number, spareSeries = Number.POSITIVE_INFINITY) =>
        this.#succeed(entry, previous, observation, at, spareSeries),
    };
  }

  #checkDamage(task: Task): void {
    if (isCounted(task) && this.damage !== undefined) throw this.damage;
  }

  #succeed(entry: Entry, previous: unknown, observation: unknown, at: number, spareSeries: number): void {
    const { key, task } = entry;
    this.#checkDamage(task);
    const group = this.#groupOf(task);
    const samples = samplesOf(task, observation);
    // A group has counters, even for a collector without them, such as balances.
    const { owner, policy } = group ?? { owner: keyIn(task), policy: policyOf(task) };
    const totals = policy && new Totals(policy, this.#store.totals(owner), at, spareSeries);
    const { additions = [] } = observation as Partial<Counted<unknown>>;
    for (const addition of group?.added(additions) ?? additions) totals?.add(addition);
    const show =
      group === undefined
        ? this.#exposition.prepare(key, task.isHidden ? [] : [...(totals?.samples() ?? []), ...samples])
        : () => group.take(key, samples);
    // Saved before it is exposed: a crash can never take back a total that was scraped.
    const isOne = task.target.key === "";
    if (isCounted(task)) {
      const [before, after] = [previous as Kept | undefined, observation as Kept];
      this.#store.commit(keyIn(task), before, after, totals?.changes(), owner);
      entry.observation = isOne ? observationFrom(task, after) : undefined;
    } else entry.observation = isOne ? observation : encode(observation);
    show();
    entry.status = { ...UNKNOWN, lastSuccessAt: at, lastEndAt: at };
    if (task.target.watched === undefined) return;
    // After the values are saved: they are never newer than the time of the success says.
    this.#store.keepLast(keyIn(task), at, entry.observation as string | undefined);
  }

  /** Records a failed poll; the observation stays. */
  fail(task: Task, failure: Failure): void {
    const { failuresInARow, failingSince = failure.at, ...before } = this.of(task);
    const failures = { failure, failuresInARow: failuresInARow + 1, failingSince };
    this.#end(task, { ...before, ...failures, lastEndAt: failure.at });
  }

  /** Records a poll that found that the server lacks the operation of the task, which is not a failure. */
  unsupported(task: Task, at: number): void {
    const { unsupportedSince = at, lastSuccessAt } = this.of(task);
    this.#end(task, { ...UNKNOWN, lastSuccessAt, lastEndAt: at, unsupportedSince });
  }

  #end(task: Task, status: TaskStatus): void {
    const entry = this.#entries.get(keyOf(task));
    if (entry?.task === task) entry.status = status;
  }

  /** Removes every gauge that is older than its maximum age, and exposes the sums of groups as they are now. */
  expire(now: number): void {
    for (const { key, task, status } of this.#entries.values()) {
      if (!isExpired(task, status, now)) continue;
      this.#exposition.expire(key);
      this.#groupOf(task)?.take(key, undefined);
    }
    for (const [key, group] of this.#groups) {
      if (!group.isChanged) continue;
      group.isChanged = false;
      this.#unlessDamaged(key, () => {
        const rows = this.damage === undefined ? this.#store.totals(group.owner) : undefined;
        if (rows !== undefined) group.counters = [...counterSamples(group.policy, rows.counters)];
        this.#exposition.set(key, [...group.counters, ...group.gauges()]);
      });
    }
  }
}

/** Whether the values of a task are older than its maximum age. A clock can have been set back since they were read. */
export const isExpired = ({ maxAgeMs }: Task, { lastSuccessAt: at }: TaskStatus, now: number): boolean =>
  at !== undefined && Math.abs(now - at) >= maxAgeMs;

/** Key of a task: the owner of its samples. */
export const keyOf = ({ network, collector, target }: Task): string =>
  [network, collector.name, ...(target.key === "" ? [] : [target.key])].join("/");

const keyIn = ({ network, collector, target }: Task): Key => [network, collector.name, target.key];

/** Whether what a task has observed is of no use for another one with the same target: its settings are others. */
const isObsolete = (before: Task, after: Task): boolean =>
  !isCounted(after) && !isDeepStrictEqual(before.options, after.options);

/** The samples of a task; none without an observation. */
const samplesOf = ({ collector, network, target }: Task, observation: unknown): readonly Sample[] =>
  observation === undefined ? [] : [...collector.samples(observation, network, target)];

/** Whether the counters of a task, and its observations, continue after a restart. */
const isCounted = ({ collector }: Task): boolean => collector.counts !== undefined;

/** The observation that is made from what is kept. */
const observationFrom = (task: Task, { values, ledger }: Kept): unknown =>
  isCounted(task) ? ({ values, ledger, additions: [] } satisfies Counted<unknown>) : values;

/** What a task counts; undefined if its collector has no counters. */
function policyOf({ collector, network, target, options }: Task): TotalsPolicy | undefined {
  const { counts } = collector;
  if (counts === undefined) return undefined;
  const counters = collector.families.filter(({ kind }) => kind === "counter");
  const common = counters.map((family) => [family.name, family] as const);
  return {
    families: new Map([...common, ...(counts.familiesOf?.(target) ?? [])]),
    places: counts.places?.(target, options) ?? [],
    identity: counts.identity(network, target),
  };
}
