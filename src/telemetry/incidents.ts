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

/** The incidents of all networks. */
export class Incidents {
  /** The causes of targets and API clients that fail now: a reason, a space and a place. */
  readonly #causes = new Map<object, string>();

  /** A target failed; true when this is a new incident. */
  add(task: Task, reason: Reason): boolean {
    const { scope } = REASON_DETAILS[reason];
    const place = scope === "collector" ? `${task.network}/${task.collector.name}` : task.network;
    return this.hold(task, scope === "target" ? keyOf(task) : place, reason);
  }

  /** A target or an API client fails for this reason at this place; true when this is a new incident. */
  hold(holder: object, place: string, reason: Reason): boolean {
    const cause = `${reason} ${place}`;
    const isNew = !this.#isOpen(cause);
    this.#causes.set(holder, cause);
    return isNew;
  }

  /** Removes what has recovered or is no longer polled. Returns the reason if this ends the incident. */
  end(holder: object): { readonly reason: Reason } | undefined {
    const cause = this.#causes.get(holder);
    this.#causes.delete(holder);
    return cause === undefined || this.#isOpen(cause) ? undefined : { reason: cause.split(" ")[0] as Reason };
  }

  #isOpen(cause: string): boolean {
    for (const one of this.#causes.values()) if (one === cause) return true;
    return false;
  }

  /** Removes the incidents of a network that is no longer polled. */
  remove(network: string): void {
    for (const [holder, cause] of [...this.#causes])
      if (`${cause}/`.slice(cause.indexOf(" ") + 1).startsWith(`${network}/`)) this.end(holder);
  }
}
