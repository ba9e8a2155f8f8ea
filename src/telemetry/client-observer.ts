// Counts the events of an API client, and logs its pauses and outages: as incidents, once each, together with the polls
// that fail for the same cause.
import type { Clock } from "../api/clock.ts";
import type { Reason } from "../api/errors.ts";
import type { Observer } from "../api/observer.ts";
import type { Incidents, PollLog } from "./incidents.ts";
import type { Instruments } from "./instruments.ts";
import { counters } from "./self-metrics.ts";

/** Makes the observer of one client. */
export function clientObserver(options: {
  readonly network: string;
  readonly instruments: Instruments;
  readonly incidents: Incidents;
  readonly log: PollLog;
  readonly clock: Pick<Clock, "now">;
  /** Fields of each log line. */
  readonly fields: object;
  /** What tells the causes of this client from those of the network; empty if its polls use this client. */
  readonly place: () => string;
  /** Called when the server responds again after an outage. */
  readonly onRecovered: () => void;
}): Observer {
  const { network, instruments, incidents, log, clock, fields, place, onRecovered } = options;
  const pause = {};
  const outage = {};
  let downSince = 0;
  let pausedUntil = Number.POSITIVE_INFINITY;
  const begin = (holder: object, reason: Reason, facts: object, message: string) => {
    const isNew = incidents.begin(holder, `${reason}${place()}`);
    log[isNew ? "warn" : "debug"]({ ...fields, reason, ...facts }, message);
  };
  const end = (holder: object, message: string) => {
    const over = incidents.end(holder);
    if (over !== undefined) log.info({ ...fields, ...over }, message);
  };
  return {
    onRequest: ({ operation, code }) => {
      instruments.add(counters.requests, { network, operation, code });
      if (clock.now() < pausedUntil || !/^[1-5]\d\d$/.test(code) || code === "429") return;
      pausedUntil = Number.POSITIVE_INFINITY;
      end(pause, "the pause has ended");
    },
    onRetry: ({ operation, reason }) => instruments.add(counters.retries, { network, operation, reason }),
    onDrift: ({ operation, field, kind }) => instruments.add(counters.drift, { network, operation, field, kind }),
    onPause: ({ until }) => {
      instruments.add(counters.pauses, { network });
      pausedUntil = until;
      const message = "the API requested a pause (429); no request is sent before the end of the pause";
      begin(pause, "rate_limited", { until: timeOf(until) }, message);
    },
    onRetired: ({ name: operation, replacement }) => {
      const lacks = replacement?.lacks === undefined ? {} : { lacks: replacement.lacks };
      const facts = { ...fields, operation, ...(replacement && { replacement: replacement.name }), ...lacks };
      const outcome = replacement === undefined ? "nothing takes its place" : "its replacement is read";
      log.warn(facts, `the API has switched an operation off (410); ${outcome}`);
    },
    onOutage: (event) => {
      if (event === undefined) {
        const downSeconds = Math.round((clock.now() - downSince) / 1000);
        log.info({ ...fields, ...incidents.close(outage), downSeconds }, "the API responds again");
        onRecovered();
        return;
      }
      const { cause, since } = event;
      downSince = since;
      const does = cause.reason === "unauthorized" ? "refuses every request" : "does not respond";
      const facts = { since: timeOf(since), error: cause.message };
      // Also where a failed poll was logged for the same reason: that line names one target.
      incidents.begin(outage, `${cause.reason}${place()}`);
      const message = `the API ${does}; a single request probes it from time to time`;
      log.warn({ ...fields, reason: cause.reason, ...facts }, message);
    },
  };
}

const timeOf = (at: number): string => new Date(at).toISOString();
