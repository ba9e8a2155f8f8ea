// How everything stands, for whoever asks: networks and collectors as a whole, and a part of the targets, the worst first.
// Pure, and one pass over the tasks: a watch list can be long, and scrapes must not wait for this.
import type { Reason } from "../api/errors.ts";
import type { Task } from "../collectors/task.ts";
import type { Standing, State } from "../storage/state.ts";
import { addCause, type Cause, mergeCauses } from "./causes.ts";
import { type NetworkReport, stateOf, type WatchListReport, WORST_FIRST } from "./report.ts";
import { type State as ActiveState, STATES, WAITING } from "./self-metrics.ts";

/** The state of a target; waiting until its first poll has ended. */
export type TargetState = ActiveState | typeof WAITING;

/** Every state of a target. */
export const TARGET_STATES: readonly TargetState[] = [...STATES, WAITING];

/** Which targets to tell of; what is left out does not restrict. */
export interface Selection {
  readonly network?: string | undefined;
  readonly collector?: string | undefined;
  readonly state?: TargetState | undefined;
  /** Part of a name, group or principal, in any case of letters. */
  readonly text?: string | undefined;
  /** From 1. */
  readonly page: number;
  /** Targets per page. */
  readonly limit: number;
}

/** One target. Times are Unix time in milliseconds. */
export interface TargetStatus {
  readonly task: Task;
  readonly standing: Standing;
  readonly state: TargetState;
  /** Older than the maximum age: its values are gone from the metrics. */
  readonly isExpired: boolean;
  /** When the next poll is due, the end of a pause at the earliest; undefined when nobody polls it. */
  readonly nextAt: number | undefined;
}

/** One collector on one network: all its targets together. Times are Unix time in milliseconds. */
export interface CollectorStatus {
  /** Any of its tasks: they share everything but the target. */
  readonly task: Task;
  /** Of many targets the worst. */
  readonly state: TargetState;
  /** Targets by state. */
  readonly targets: Readonly<Record<TargetState, number>>;
  readonly total: number;
  /** Targets whose last poll failed. */
  readonly failing: number;
  /** Targets whose values are gone from the metrics. */
  readonly expired: number;
  /** Of the target that succeeded least recently. */
  readonly oldestSuccessAt: number | undefined;
  /** Of the target that succeeded most recently. */
  readonly newestSuccessAt: number | undefined;
  /** Of the target that is due first. */
  readonly nextAt: number | undefined;
  /** Of the target that has failed the longest. */
  readonly failingSince: number | undefined;
  /** Why targets fail now, the reason of most targets first. */
  readonly causes: readonly Cause[];
  /** The failure that came last; one that lasts before one that is over. */
  readonly lastFailure: Standing["lastFailure"];
}

/** One network, and its collectors in the order of the configuration. */
export interface NetworkStatus {
  readonly report: NetworkReport;
  /** End of the running pause. Unix time, milliseconds. */
  readonly pausedUntil: number | undefined;
  readonly collectors: readonly CollectorStatus[];
}

/** How everything stands. */
export interface Status {
  /** Unix time, milliseconds. */
  readonly at: number;
  readonly networks: readonly NetworkStatus[];
  /** How the last reading of the watch lists went; undefined when nothing of them is in a file. */
  readonly watchList: WatchListReport | undefined;
  readonly selection: Selection;
  /** Targets that were selected, of all pages. */
  readonly matched: number;
  /** Those of the page: failing ones first, then by the age of their data, the oldest first. */
  readonly targets: readonly TargetStatus[];
}

interface Parts {
  readonly tasks: readonly Task[];
  readonly state: State;
  readonly networks: readonly NetworkReport[];
  readonly watchList: WatchListReport | undefined;
  /** When the next poll of a task is due. Unix time, milliseconds. */
  readonly dueAt: (task: Task) => number | undefined;
  readonly now: number;
}

/** How everything stands now. */
export function statusOf({ tasks, state, networks, watchList, dueAt, now }: Parts, selection: Selection): Status {
  const groups = new Map(networks.map((report) => [report.network, new Map<string, Group>()]));
  const pauses = new Map(networks.map(({ network, pausedUntil }) => [network, pauseOf(pausedUntil, now)]));
  const isSelected = selectorOf(selection);
  const selected: TargetStatus[] = [];
  for (const task of tasks) {
    const standing = state.of(task);
    const { lastEndAt, lastSuccessAt } = standing;
    const pausedUntil = pauses.get(task.network);
    const due = dueAt(task);
    const target: TargetStatus = {
      task,
      standing,
      state: lastEndAt === undefined ? WAITING : stateOf(standing, pausedUntil !== undefined),
      isExpired: lastSuccessAt !== undefined && now >= lastSuccessAt + task.maxAgeMs,
      nextAt: due === undefined ? undefined : Math.max(due, pausedUntil ?? 0),
    };
    const collectors = groups.get(task.network);
    const group = collectors?.get(task.collector.name) ?? new Group(task);
    collectors?.set(task.collector.name, group);
    group.add(target);
    if (isSelected(target)) selected.push(target);
  }
  const first = (selection.page - 1) * selection.limit;
  return {
    at: now,
    networks: networks.map((report) => ({
      report,
      pausedUntil: pauses.get(report.network),
      collectors: [...(groups.get(report.network)?.values() ?? [])],
    })),
    watchList,
    selection,
    matched: selected.length,
    targets: selected.sort(worstFirst).slice(first, first + selection.limit),
  };
}

const pauseOf = (until: number | undefined, now: number) => (until !== undefined && until > now ? until : undefined);

function selectorOf({ network, collector, state, text }: Selection): (target: TargetStatus) => boolean {
  const wanted = text?.toLowerCase();
  const holds = (found: string | undefined) => found?.toLowerCase().includes(wanted ?? "") === true;
  return ({ task, state: present }) => {
    if (network !== undefined && task.network !== network) return false;
    if (collector !== undefined && task.collector.name !== collector) return false;
    if (state !== undefined && present !== state) return false;
    const { key, watched } = task.target;
    return wanted === undefined || holds(key) || holds(watched?.name) || holds(watched?.group);
  };
}

// Those that fail, then those that have something, then those that were not asked yet; within each the oldest data first.
function worstFirst(a: TargetStatus, b: TargetStatus): number {
  return rankOf(a) - rankOf(b) || (a.standing.lastSuccessAt ?? 0) - (b.standing.lastSuccessAt ?? 0);
}

const rankOf = ({ standing, state }: TargetStatus) => (standing.failure !== undefined ? 0 : state === WAITING ? 2 : 1);

/** Adds the targets of a collector up. */
class Group implements CollectorStatus {
  readonly task: Task;
  readonly targets: Record<TargetState, number> = { active: 0, degraded: 0, retired: 0, paused: 0, waiting: 0 };
  total = 0;
  failing = 0;
  expired = 0;
  oldestSuccessAt: number | undefined;
  newestSuccessAt: number | undefined;
  nextAt: number | undefined;
  failingSince: number | undefined;
  readonly #causes = new Map<Reason, Cause>();
  lastFailure: Standing["lastFailure"];

  constructor(task: Task) {
    this.task = task;
  }

  get causes(): readonly Cause[] {
    return mergeCauses(this.#causes.values());
  }

  get state(): TargetState {
    return WORST_FIRST.find((state) => this.targets[state] > 0) ?? WAITING;
  }

  add({ task, standing, state, isExpired, nextAt }: TargetStatus): void {
    this.targets[state] += 1;
    this.total += 1;
    if (isExpired) this.expired += 1;
    this.oldestSuccessAt = earlier(this.oldestSuccessAt, standing.lastSuccessAt);
    this.newestSuccessAt = later(this.newestSuccessAt, standing.lastSuccessAt);
    this.nextAt = earlier(this.nextAt, nextAt);
    addCause(this.#causes, task, standing);
    this.#note(standing);
  }

  #note({ failure, lastFailure, failingSince }: Standing): void {
    const isLater = lastFailure !== undefined && lastFailure.at >= (this.lastFailure?.at ?? 0);
    if (failure !== undefined) {
      if (isLater || this.failing === 0) this.lastFailure = failure;
      this.failing += 1;
      this.failingSince = earlier(this.failingSince, failingSince);
    } else if (isLater && this.failing === 0) this.lastFailure = lastFailure;
  }
}

const earlier = (a: number | undefined, b: number | undefined) => (a === undefined || (b ?? a) < a ? b : a);
const later = (a: number | undefined, b: number | undefined) => (a === undefined || (b ?? a) > a ? b : a);
