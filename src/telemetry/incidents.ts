// Failures by cause: an outage that fails a hundred targets is one incident, and one line in the log.
import type { Reason } from "../api/errors.ts";
import { keyOf, type Task } from "../collectors/task.ts";
import { REASON_DETAILS } from "./reasons.ts";

/** The part of a logger that polls need. */
export interface PollLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

interface Incident {
  readonly key: string;
  readonly reason: Reason;
  /** Targets and API clients that have it now. */
  readonly holders: Set<object>;
  /** Targets that have failed for it. */
  readonly affected: Set<Task>;
}

/** An incident that is over. */
export interface PastIncident {
  readonly reason: Reason;
  /** Targets that failed for it. */
  readonly targets: number;
}

/** The incidents of all networks. */
export class Incidents {
  readonly #incidents = new Map<string, Incident>();
  readonly #byHolder = new Map<object, Incident>();

  /** A target failed; true when this is a new incident. */
  add(task: Task, reason: Reason): boolean {
    const isNew = this.hold(task, placeOf(task, reason), reason);
    this.#byHolder.get(task)?.affected.add(task);
    return isNew;
  }

  /** A target or an API client fails for this reason at this place; true when this is a new incident. */
  hold(holder: object, place: string, reason: Reason): boolean {
    const key = `${reason} ${place}`;
    const before = this.#byHolder.get(holder);
    if (before !== undefined && before.key !== key) this.end(holder);
    const known = this.#incidents.get(key);
    const incident = known ?? { key, reason, holders: new Set(), affected: new Set() };
    this.#incidents.set(key, incident);
    this.#byHolder.set(holder, incident);
    incident.holders.add(holder);
    return known === undefined;
  }

  /** The failure is over, or the target is not polled any more; returns the incident when this ends it. */
  end(holder: object): PastIncident | undefined {
    const incident = this.#byHolder.get(holder);
    if (incident === undefined) return undefined;
    this.#byHolder.delete(holder);
    incident.holders.delete(holder);
    if (incident.holders.size > 0) return undefined;
    this.#incidents.delete(incident.key);
    return { reason: incident.reason, targets: incident.affected.size };
  }
}

function placeOf(task: Task, reason: Reason): string {
  const { scope } = REASON_DETAILS[reason];
  if (scope === "target") return keyOf(task);
  return scope === "collector" ? `${task.network}/${task.collector.name}` : task.network;
}
