// What a server says about when to come back. Pure.

/** Response headers, names in lower case. */
export type Headers = ReadonlyMap<string, string>;

// A server may name any instant; beyond a day it is more likely wrong than right.
const LONGEST_MS = 24 * 3_600_000;
const SHORTEST_MS = 1_000;

// Date.parse accepts nearly anything, such as "-5" (a year), hence the strict forms of RFC 9110.
const HTTP_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2}(\d{2})? \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Milliseconds until the server wants to be asked again, from `Retry-After` as seconds or as a date; at least 1 s, at most
 * a day. Undefined when the header is absent or makes no sense. A date counts from the `Date` of the answer when it has one:
 * two clocks need not agree.
 */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(value)) return bounded(Number(value) * 1000);
  const date = httpDate(value);
  return date === undefined ? undefined : bounded(date - (httpDate(headers.get("date") ?? "") ?? now));
}

/**
 * Milliseconds until the current rate-limit window ends, from `ratelimit-reset`: seconds left, or a Unix time (in seconds
 * or milliseconds), told apart by size because gateways and documents disagree. Bounded as above.
 */
export function rateLimitReset(headers: Headers, now: number): number | undefined {
  const value = headers.get("ratelimit-reset")?.trim() ?? "";
  if (!/^\d+(\.\d+)?$/.test(value)) return undefined;
  const number = Number(value);
  if (number > 1e12) return bounded(number - now);
  return bounded(number > 1e9 ? number * 1000 - now : number * 1000);
}

function httpDate(text: string): number | undefined {
  if (!HTTP_DATE.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

function bounded(milliseconds: number): number {
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, Math.ceil(milliseconds)));
}
