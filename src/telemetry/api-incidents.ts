// Pauses and outages of an API client are incidents: logged once, together with the polls that fail for the same cause.
import type { Clock } from "../api/clock.ts";
import type { Observer } from "../api/observer.ts";
import type { Incidents, PollLog } from "./incidents.ts";

/** What the incidents of a client need. */
export interface ApiIncidentsOptions {
  readonly incidents: Incidents;
  readonly log: PollLog;
  readonly clock: Pick<Clock, "now">;
  /** Fields of each line. */
  readonly fields: object;
  /** What a failure concerns now: the whole network when its polls use this client. */
  readonly place: () => string;
}

/** The observer of one client, which also logs its pauses and outages. */
export function withIncidents(
  observer: Observer,
  { incidents, log, clock, fields, place }: ApiIncidentsOptions,
): Observer {
  const pause = {};
  const outage = {};
  let pausedUntil = Number.POSITIVE_INFINITY;
  const say = (isNew: boolean, facts: object, message: string) =>
    log[isNew ? "warn" : "debug"]({ ...fields, ...facts }, message);
  const end = (holder: object, message: string) => {
    const over = incidents.end(holder);
    if (over !== undefined) log.info({ ...fields, ...over }, message);
  };
  return {
    ...observer,
    onRequest: (event) => {
      observer.onRequest?.(event);
      if (clock.now() < pausedUntil || !/^[1-5]\d\d$/.test(event.code) || event.code === "429") return;
      pausedUntil = Number.POSITIVE_INFINITY;
      end(pause, "the pause is over");
    },
    onPause: (event) => {
      observer.onPause?.(event);
      pausedUntil = event.until;
      const isNew = incidents.hold(pause, place(), "rate_limited");
      const facts = { reason: "rate_limited", until: timeOf(event.until) };
      say(isNew, facts, "the API asked to wait (429); no request leaves before the end of the pause");
    },
    onRetired: (event) => {
      observer.onRetired?.(event);
      const { operation, replacement } = event;
      const lacks = replacement?.lacks === undefined ? {} : { lacks: replacement.lacks };
      const facts = { ...fields, operation, ...(replacement && { replacement: replacement.name }), ...lacks };
      const what = "the API has switched an operation off (410)";
      if (replacement === undefined) log.warn(facts, `${what}; nothing takes its place`);
      else log.warn(facts, `${what}; its replacement is read`);
    },
    onOutage: (event) => {
      observer.onOutage?.(event);
      if (event === undefined) {
        end(outage, "the API answers again");
        return;
      }
      const { operation, cause, since } = event;
      const isNew = incidents.hold(outage, place(), cause.reason);
      const what = operation === undefined ? "the API does not answer" : "an operation does not answer";
      const facts = { ...(operation === undefined ? {} : { operation }), since: timeOf(since), reason: cause.reason };
      say(isNew, { ...facts, error: cause.message }, `${what}; one request now and then asks again`);
    },
  };
}

const timeOf = (at: number): string => new Date(at).toISOString();
