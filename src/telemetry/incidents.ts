// Failures by cause: an outage that fails a hundred targets is one incident, and one line in the log.
import type { Reason } from "../api/errors.ts";
import { keyOf, type Task } from "../collectors/task.ts";

/** The part of a network that one cause affects: failures for the same reason within it are the same problem. */
type Scope = "network" | "collector" | "target";

/** For each reason: its meaning on the status page, and the scope of one cause. */
export const REASON_DETAILS: Readonly<Record<Reason, { readonly text: string; readonly scope: Scope }>> = {
  timeout: { text: "the API does not respond in time", scope: "network" },
  network: { text: "the API cannot be reached", scope: "network" },
  rate_limited: { text: "the API limits the request rate", scope: "network" },
  budget: { text: "the request budget is used up", scope: "network" },
  gone: { text: "the operation is retired", scope: "collector" },
  not_found: { text: "the API does not know it", scope: "target" },
  unauthorized: { text: "the API does not accept the key, or requires one", scope: "network" },
  http_client: { text: "the API rejects the request", scope: "collector" },
  http_server: { text: "the API reports a server error", scope: "network" },
  redirect: { text: "the API redirects to another host, or too often", scope: "network" },
  too_large: { text: "the response is too large", scope: "collector" },
  bad_body: { text: "the response does not have the expected form", scope: "collector" },
  behind: { text: "the API is behind the chain", scope: "network" },
  empty: { text: "the API has no block yet", scope: "network" },
  wrong_chain: { text: "the API follows another chain", scope: "network" },
  state: { text: "the state file cannot be written", scope: "network" },
  bug: { text: "a bug in the exporter", scope: "target" },
};

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

  /**
   * Removes a target that has recovered or is no longer polled. If this ends the incident, returns its reason and the
   * number of failed targets.
   */
  end(holder: object): { readonly reason: Reason; readonly targets: number } | undefined {
    const incident = this.#byHolder.get(holder);
    if (incident === undefined) return undefined;
    this.#byHolder.delete(holder);
    incident.holders.delete(holder);
    if (incident.holders.size > 0) return undefined;
    this.#incidents.delete(incident.key);
    return { reason: incident.reason, targets: incident.affected.size };
  }

  /** Removes the incidents of a network that is no longer polled. */
  remove(network: string): void {
    for (const { key, reason, holders } of [...this.#incidents.values()]) {
      const place = key.slice(reason.length + 1);
      if (place === network || place.startsWith(`${network}/`)) for (const holder of [...holders]) this.end(holder);
    }
  }
}

function placeOf(task: Task, reason: Reason): string {
  const { scope } = REASON_DETAILS[reason];
  if (scope === "target") return keyOf(task);
  return scope === "collector" ? `${task.network}/${task.collector.name}` : task.network;
}
