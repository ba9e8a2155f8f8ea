// What stands in front of a hosted API: a limit of requests per minute, and a key.
import type { Reply } from "./respond.ts";

/** What the gateway demands. */
export interface GatewayOptions {
  /** Requests per minute, for each key and for all without one. Unlimited when left out. */
  readonly perMinute?: number;
  /** A header that every request must carry, such as `{header: "x-api-key", value: "secret"}`. */
  readonly key?: { readonly header: string; readonly value: string };
}

/** What the gateway says to a request: headers for any reply, and a reply of its own when it refuses. */
export interface Verdict {
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal?: Reply;
}

const MINUTE = 60_000;

function refuse(status: number, message: string, headers: Readonly<Record<string, string>>): Reply {
  const body = JSON.stringify({ message });
  const content = { "content-type": "application/json; charset=utf-8", "content-length": String(body.length) };
  return { status, body, headers: { ...headers, ...content } };
}

/** Judges requests; `header` looks up a request header, `now` is real time in Unix milliseconds. */
export function createGateway({
  perMinute,
  key,
}: GatewayOptions): (header: (name: string) => string | undefined, now: number) => Verdict {
  const used = new Map<string, number>();
  let window = Number.NEGATIVE_INFINITY;
  return (header, now) => {
    const shown = key === undefined ? "" : (header(key.header) ?? "");
    if (key !== undefined && shown !== key.value) {
      return { headers: {}, refusal: refuse(401, "Invalid API key", {}) };
    }
    if (perMinute === undefined) return { headers: {} };
    if (now >= window + MINUTE) {
      window = now;
      used.clear();
    }
    const count = (used.get(shown) ?? 0) + 1;
    used.set(shown, count);
    const reset = String(Math.ceil((window + MINUTE - now) / 1000));
    const headers = {
      "ratelimit-limit": String(perMinute),
      "ratelimit-remaining": String(Math.max(0, perMinute - count)),
      "ratelimit-reset": reset,
    };
    if (count <= perMinute) return { headers };
    const refusal = refuse(429, "API rate limit exceeded", { ...headers, "retry-after": reset });
    return { headers, refusal };
  };
}
