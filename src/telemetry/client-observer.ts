// Counts the events of an API client, and logs its pauses and outages. An outage is an incident, together with the
// polls that fail for the same cause.
import type { Clock } from "../api/clock.ts";
import type { Observer } from "../api/observer.ts";
import type { Incidents, PollLog } from "./incidents.ts";
import type { Instruments } from "./instruments.ts";
import { events } from "./self-metrics.ts";

/** Makes the observer of one client. */
export function clientObserver(options: {
  readonly network: string;
  readonly instruments: Instruments;
  readonly incidents: Incidents;
  readonly log: PollLog;
  readonly clock: Pick<Clock, "now">;
  /** Fields of each log line. */
  readonly fields: object;
  /** Ends the causes of this client, unlike those of the network; empty if its polls use this client. */
  readonly place: () => string;
  /** Called when the server responds again after an outage. */
  readonly onRecovered: () => void;
}): Observer {
  const { network, instruments, incidents, log, clock, fields, place, onRecovered } = options;
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
      incidents.begin(outage, `${reason}${place()}`);
      const facts = { ...fields, reason, since: timeOf(since), error: message };
      log.warn(facts, `the API ${does}; a single request probes it from time to time`);
    },
  };
}

const timeOf = (at: number): string => new Date(at).toISOString();
