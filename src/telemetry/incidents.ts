// Failures by cause: an outage that fails a hundred targets is one incident, and one line in the log.
import type { Reason } from "../api/errors.ts";
import { keyOf, type Task } from "../collectors/task.ts";

const OF_TARGET = new Set<Reason>(["not_found", "bug"]);
const OF_COLLECTOR = new Set<Reason>(["gone", "http_client", "too_large", "bad_body", ...OF_TARGET]);

/** The cause of a failed poll as a text: what fails for one reason within a network, or a collector, has the same. */
export const causeOf = (reason: Reason, network: string, collector: string): string =>
  OF_COLLECTOR.has(reason) ? `${reason} ${network}/${collector}` : `${reason} ${network}`;

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
    // Each principal that the API does not know is news.
    if (OF_TARGET.has(reason)) return this.#open(task, `${reason} ${keyOf(task)}`);
    return this.#open(task, causeOf(reason, task.network, task.collector.name));
  }

  /** An API client fails for this reason; true when this is a new incident. @param place a network, or its upstream */
  hold(holder: object, place: string, reason: Reason): boolean {
    return this.#open(holder, `${reason} ${place}`);
  }

  #open(holder: object, cause: string): boolean {
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
