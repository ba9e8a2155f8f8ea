// The gateway of a hosted API, which limits the requests per minute.
import { type HttpResponse, JSON_TYPE, withBody } from "./respond.ts";

/** Headers for any response, and the response if the gateway refuses the request. */
export interface GatewayResult {
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal?: HttpResponse;
}

const MINUTE = 60_000;

/** Counts requests. `now` is real time in Unix milliseconds. @param perMinute undefined: no limit, and no headers */
export function createGateway(perMinute: number | undefined): (now: number) => GatewayResult {
  let window = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (now) => {
    if (perMinute === undefined) return { headers: {} };
    if (now >= window + MINUTE) {
      window = now;
      count = 0;
    }
    count += 1;
    const reset = String(Math.ceil((window + MINUTE - now) / 1000));
    const headers = {
      "ratelimit-limit": String(perMinute),
      "ratelimit-remaining": String(Math.max(0, perMinute - count)),
      "ratelimit-reset": reset,
    };
    if (count <= perMinute) return { headers };
    const body = JSON.stringify({ message: "API rate limit exceeded" });
    return { headers, refusal: withBody(429, JSON_TYPE, body, { ...headers, "retry-after": reset }) };
  };
}
