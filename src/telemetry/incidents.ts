// Failures by cause: an outage that fails a hundred targets is one incident, and one line in the log, together with the
// events of the API client.
import type { Clock } from "../api/clock.ts";
import type { Observer } from "../api/outages.ts";
import { events, type Instruments } from "./self-metrics.ts";

const OF_TARGET = ["not_found", "bug"];
const OF_COLLECTOR = ["gone", "http_client", "too_large", "bad_body", "unsupported", ...OF_TARGET];

/**
 * The cause of a failed poll as a text, which begins with the reason: what fails for one reason within a network, or a
 * collector, has the same. @param target its key, to tell the principals apart that the API does not know
 */
export function causeOf(reason: string, collector: string, target = ""): string {
  const place = OF_TARGET.includes(reason) ? `${collector}/${target}` : collector;
  return OF_COLLECTOR.includes(reason) ? `${reason} ${place}` : reason;
}

/** The part of a logger that polls need. */
export type PollLog = Readonly<Record<"debug" | "info" | "warn", (fields: object, message: string) => void>>;

/** The incidents of one network. */
export class Incidents {
  /** The causes of the targets and API clients that fail now. */
  readonly #causes = new Map<object, string>();

  /** Something fails for a cause; true when this is a new incident. */
  begin(holder: object, cause: string): boolean {
    const isNew = !this.#isOpen(cause);
    this.#causes.set(holder, cause);
    return isNew;
  }

  /** Removes what has recovered or is no longer polled. Returns the reason if this ends the incident. */
  end(holder: object): { readonly reason: string } | undefined {
    const cause = this.#causes.get(holder);
    this.#causes.delete(holder);
    return cause === undefined || this.#isOpen(cause) ? undefined : { reason: cause.split(" ")[0] as string };
  }

  /** Ends the whole incident of a holder: what fails for its cause from now on is a new one. Returns the reason. */
  close(holder: object): { readonly reason: string } | undefined {
    const cause = this.#causes.get(holder);
    for (const [one, of] of [...this.#causes]) if (of === cause) this.#causes.delete(one);
    return cause === undefined ? undefined : { reason: cause.split(" ")[0] as string };
  }

  #isOpen(cause: string): boolean {
    return [...this.#causes.values()].includes(cause);
  }
}

/** Makes the observer of one client. */
export function clientObserver(options: {
  readonly network: string;
  readonly instruments: Instruments;
  readonly incidents: Incidents;
  readonly log: PollLog;
  readonly clock: Pick<Clock, "now">;
  readonly fields: object;
  /** Name of the upstream. It is part of each cause: an outage of one explains no failure of another. */
  readonly upstream: string;
  /** Called when the server responds again after an outage. */
  readonly onRecovered: () => void;
}): Observer {
  const { network, instruments, incidents, log, clock, fields, upstream, onRecovered } = options;
  const outage = {};
  let downSince = 0;
  return {
    onRequest: (operation, code) => instruments.add(events.requests, { network, operation, code }),
    onDrift: (operation, field, kind) => instruments.add(events.drift, { network, operation, field, kind }),
    onPause: (until) => {
      instruments.add(events.pauses, { network });
      const message = "the API requested a pause (429); no request is sent before the end of the pause";
      log.warn({ ...fields, reason: "rate_limited", until: timeOf(until) }, message);
    },
    onRetired: ({ name: operation, replacement }) => {
      const outcome = replacement === undefined ? "nothing takes its place" : "its replacement is read";
      log.warn({ ...fields, operation, replacement }, `the API has switched an operation off (410); ${outcome}`);
    },
    onOutage: (event) => {
      if (event === undefined) {
        const downSeconds = Math.round((clock.now() - downSince) / 1000);
        log.info({ ...fields, ...incidents.close(outage), downSeconds }, "the API responds again");
        onRecovered();
        return;
      }
      const { reason, message, since } = event;
      downSince = since;
      const does = reason === "unauthorized" ? "refuses every request" : "does not respond";
      // Also where a failed poll was logged for the same reason: that line names one target.
      incidents.begin(outage, `${reason} ${upstream}`);
      const facts = { ...fields, reason, since: timeOf(since), error: message };
      log.warn(facts, `the API ${does}; a single request probes it from time to time`);
    },
  };
}

const timeOf = (at: number): string => new Date(at).toISOString();
