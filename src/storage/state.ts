// The state of every task: its last good observation, the outcome of its last poll, and the expiry of its values.
import type { Reason } from "../api/errors.ts";
import type { GroupSum } from "../collectors/group-families.ts";
import { keyOf, samplesOf, type Task } from "../collectors/task.ts";
import type { Exposition } from "../exposition/exposition.ts";
import type { Sample } from "../exposition/family.ts";
import { decode, encode } from "./codec.ts";
import { bodyOf, type GroupKey, GroupTotal } from "./group-total.ts";
import type { StateFile } from "./state-file.ts";
import { StateFileError } from "./state-file-error.ts";

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
  /** The most recent failure, also when a later poll succeeded. */
  readonly lastFailure: Failure | undefined;
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
  lastFailure: undefined,
  failuresInARow: 0,
  failingSince: undefined,
  unsupportedSince: undefined,
};

/** An observation as text. */
class Encoded {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

// Between two polls, only the samples of a target are needed, and there can be ten thousand targets.
const MAX_TEXT = 16 * 1024;

/** The observation of one of many targets as text, unless decoding it takes longer than the poll. */
const stored = ({ target }: Task, observation: unknown, text: string | undefined): unknown =>
  target.key === "" || text === undefined || text.length > MAX_TEXT ? observation : new Encoded(text);

const isSame = (a: unknown, b: unknown): boolean =>
  a instanceof Encoded && b instanceof Encoded ? a.text === b.text : a === b;

/** The status of all tasks. Adds their samples to the exposition, and removes gauges that are too old. */
export class State {
  readonly #exposition: Exposition;
  readonly #statuses = new Map<Task, TaskStatus>();
  /** The last good observations, as `stored` returns them. */
  readonly #observations = new Map<Task, unknown>();
  readonly #stateFile: StateFile | undefined;
  readonly #onDamage: (damage: StateFileError) => void;
  #damage: StateFileError | undefined;
  /** Sums of groups, by the key of their samples. */
  readonly #totals = new Map<string, GroupTotal>();
  /** Keys of the groups whose counters are exposed without members, too. */
  readonly #kept = new Set<string>();
  #nextExpiry = Number.POSITIVE_INFINITY;

  /**
   * @param stateFile keeps observations across restarts; undefined: nothing does.
   * @param onDamage called once, when a row of the file turns out to be damaged
   */
  constructor(exposition: Exposition, stateFile?: StateFile, onDamage: (damage: StateFileError) => void = () => {}) {
    this.#exposition = exposition;
    this.#stateFile = stateFile;
    this.#onDamage = onDamage;
  }

  /** Why nothing is counted; undefined as long as the state file is not known to be damaged. */
  get damage(): StateFileError | undefined {
    return this.#damage;
  }

  /** Ends counting: counters keep their last values, and the state file stays as it is. */
  stopCounting(damage: StateFileError): void {
    if (this.#damage !== undefined) return;
    this.#damage = damage;
    this.#onDamage(damage);
  }

  /** Why a task must not be polled: its observations count, and the state file is damaged. */
  damageFor({ collector }: Task): StateFileError | undefined {
    return collector.isDurable ? this.#damage : undefined;
  }

  /** What the state file has; undefined if it has nothing, or is damaged. @throws StateFileError for other problems. */
  #load(read: (file: StateFile) => unknown): unknown {
    try {
      return this.#stateFile && this.#damage === undefined ? read(this.#stateFile) : undefined;
    } catch (error) {
      if (!(error instanceof StateFileError && error.isDamage)) throw error;
      this.stopCounting(error);
      return undefined;
    }
  }

  /**
   * Continues a task with its saved observation: totals are exposed now, other values after the next successful poll.
   * @throws StateFileError when the state file cannot be read.
   */
  restore(task: Task): void {
    const observation = this.#load((file) => file.load(task));
    if (observation !== undefined) this.#continue(task, UNKNOWN, observation);
    else this.#totalOf(task)?.join(task, undefined, false);
  }

  #continue(task: Task, status: TaskStatus, observation: unknown): void {
    const isPresent = status.lastSuccessAt !== undefined;
    const total = this.#totalOf(task);
    try {
      const samples = samplesOf(task, observation);
      if (total === undefined) this.#exposition.set(keyOf(task), samples);
      else total.join(task, samples, isPresent);
    } catch (error) {
      const problem = `${keyOf(task)}: ${error instanceof Error ? error.message : error}`;
      this.stopCounting(StateFileError.damaged(this.#stateFile?.path ?? "memory", problem));
      this.#exposition.remove(keyOf(task));
      total?.join(task, undefined, false);
      return;
    }
    if (!isPresent) this.#exposition.expire(keyOf(task));
    this.#statuses.set(task, status);
    this.#observations.set(task, stored(task, observation, encode(observation)));
  }

  /** The status of a task. */
  of(task: Task): TaskStatus {
    return this.#statuses.get(task) ?? UNKNOWN;
  }

  /** The last good observation of a task; undefined until there is one. */
  observationOf(task: Task): unknown {
    const known = this.#observations.get(task);
    return known instanceof Encoded ? decode(known.text) : known;
  }

  /**
   * Records a successful poll; throws, and records nothing, when a sample is invalid or the observation cannot be
   * saved.
   */
  succeed(task: Task, observation: unknown, samples: Iterable<Sample>, at: number): void {
    const list = [...samples];
    const before = this.#observations.get(task);
    const isEncoded = task.collector.isDurable || task.target.key !== "";
    const text = isEncoded ? encode(observation) : undefined;
    const known = stored(task, observation, text);
    const total = this.#totalOf(task);
    const counters = total?.next(before === undefined ? [] : samplesOf(task, this.observationOf(task)), list);
    const saved = total && counters && { of: total.key, body: bodyOf(counters) };
    // Saved before it is exposed: a crash can never take back a total that was scraped. The same one is saved already.
    if (!isSame(known, before) || saved !== undefined) this.#stateFile?.save(task, text, at, saved);
    if (total !== undefined) total.take(task, list, counters);
    else this.#expose(task, list, at);
    const { lastFailure } = this.of(task);
    this.#statuses.set(task, { ...UNKNOWN, lastSuccessAt: at, lastEndAt: at, lastFailure });
    this.#observations.set(task, known);
    this.#nextExpiry = Math.min(this.#nextExpiry, at + task.maxAgeMs);
  }

  #expose(task: Task, samples: readonly Sample[], at: number): void {
    try {
      this.#exposition.set(keyOf(task), samples);
    } catch (error) {
      const before = this.observationOf(task);
      this.#stateFile?.save(task, before === undefined ? undefined : encode(before), at);
      throw error;
    }
  }

  /** The sums of the group that a task belongs to; undefined if it has its own series. */
  #totalOf({ network, collector, target }: Task): GroupTotal | undefined {
    const { watched } = target;
    if (watched?.isSummed !== true || collector.sums === undefined) return undefined;
    const of = { network, collector: collector.name, group: watched.group };
    const known = this.#totals.get(keyOfGroup(of));
    return (
      known ??
      this.#createTotal(
        of,
        collector.sums,
        this.#load((file) => file.loadTotal(of)),
      )
    );
  }

  #createTotal(of: GroupKey, sums: readonly GroupSum[], before: unknown): GroupTotal {
    const total = new GroupTotal(of, sums, before);
    this.#totals.set(keyOfGroup(of), total);
    return total;
  }

  /**
   * Exposes the counters of these groups of a network also while none of their members is polled here: what they have
   * counted stays, and other shards can have all members.
   * @throws StateFileError when the state file cannot be used.
   */
  keepGroups(network: string, groups: readonly { readonly of: GroupKey; readonly sums: readonly GroupSum[] }[]): void {
    for (const [key, total] of this.#totals) {
      if (total.key.network === network && this.#kept.delete(key)) total.isChanged = true;
    }
    for (const { of, sums } of groups) {
      const key = keyOfGroup(of);
      this.#kept.add(key);
      const before = this.#totals.has(key) ? undefined : this.#load((file) => file.loadTotal(of));
      if (before !== undefined) this.#createTotal(of, sums, before);
    }
  }

  /** Records a failed poll; the observation stays. */
  fail(task: Task, failure: Failure): void {
    const before = this.of(task);
    this.#statuses.set(task, {
      ...before,
      lastEndAt: failure.at,
      failure,
      lastFailure: failure,
      failuresInARow: before.failuresInARow + 1,
      failingSince: before.failingSince ?? failure.at,
    });
  }

  /** Records a poll that found that the server lacks the operation of the task, which is not a failure. */
  unsupported(task: Task, at: number): void {
    const { unsupportedSince = at, lastSuccessAt, lastFailure } = this.of(task);
    const status = { ...UNKNOWN, lastSuccessAt, lastEndAt: at, lastFailure, unsupportedSince };
    this.#statuses.set(task, status);
  }

  /** Removes a task that is no longer polled, and its samples. */
  remove(task: Task): void {
    this.#statuses.delete(task);
    this.#observations.delete(task);
    this.#exposition.remove(keyOf(task));
    this.#totalOf(task)?.leave(task);
  }

  /** Removes the observation of a task and its samples. Its row in the state file stays. */
  reset(task: Task): void {
    // A new object: a poll that started before sees that its observation is obsolete.
    this.#statuses.set(task, { ...UNKNOWN });
    this.#observations.delete(task);
    this.#exposition.remove(keyOf(task));
    this.#totalOf(task)?.clear();
  }

  /** Replaces a task by another one for the same target, with the same status. Call `recomputeExpiry` afterwards. */
  replace(before: Task, after: Task): void {
    const status = this.#statuses.get(before);
    const observation = this.observationOf(before);
    this.#statuses.delete(before);
    this.#observations.delete(before);
    this.#totalOf(before)?.leave(before);
    const total = this.#totalOf(after);
    if (total !== undefined) this.#exposition.remove(keyOf(before));
    if (status !== undefined && observation !== undefined) this.#continue(after, status, observation);
    else {
      total?.join(after, undefined, false);
      if (status !== undefined) this.#statuses.set(after, status);
    }
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
    for (const [key, total] of this.#totals) {
      if (!total.isChanged) continue;
      const samples = [...total.samples()];
      if (total.isEmpty && !(total.hasCounters && this.#kept.has(key))) this.#exposition.remove(key);
      else this.#exposition.set(key, samples);
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
        this.#totalOf(task)?.expire(task);
      } else this.#nextExpiry = Math.min(this.#nextExpiry, expiry);
    }
  }
}

const keyOfGroup = ({ network, collector, group }: GroupKey): string => `${network}/${collector} of groups/${group}`;
