// The gateway of a hosted API: a limit of requests per minute, and a key.
import { type HttpResponse, JSON_TYPE, withBody } from "./respond.ts";

/** Options of a gateway. */
export interface GatewayOptions {
  /** Requests per minute, for each key and for all requests without a key. @default unlimited */
  readonly perMinute?: number;
  /** A header that every request must have, such as `{header: "x-api-key", value: "secret"}`. @default none */
  readonly key?: { readonly header: string; readonly value: string };
}

/** Headers for any response, and the response if the gateway refuses the request. */
export interface GatewayResult {
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal?: HttpResponse;
}

const MINUTE = 60_000;

function refuse(status: number, message: string, headers: Readonly<Record<string, string>> = {}): GatewayResult {
  return { headers, refusal: withBody(status, JSON_TYPE, JSON.stringify({ message }), headers) };
}

/** Checks requests. `header` returns a request header, `now` is real time in Unix milliseconds. */
export function createGateway({
  perMinute,
  key,
}: GatewayOptions): (header: (name: string) => string | undefined, now: number) => GatewayResult {
  const used = new Map<string, number>();
  let window = Number.NEGATIVE_INFINITY;
  return (header, now) => {
    const given = key === undefined ? "" : (header(key.header) ?? "");
    if (key !== undefined && given !== key.value) return refuse(401, "Invalid API key");
    if (perMinute === undefined) return { headers: {} };
    if (now >= window + MINUTE) {
      window = now;
      used.clear();
    }
    const count = (used.get(given) ?? 0) + 1;
    used.set(given, count);
    const reset = String(Math.ceil((window + MINUTE - now) / 1000));
    const headers = {
      "ratelimit-limit": String(perMinute),
      "ratelimit-remaining": String(Math.max(0, perMinute - count)),
      "ratelimit-reset": reset,
    };
    if (count <= perMinute) return { headers };
    return refuse(429, "API rate limit exceeded", { ...headers, "retry-after": reset });
  };
}
