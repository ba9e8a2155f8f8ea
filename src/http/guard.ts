// Checks of every request before a page is rendered: the rate, the password.
import { compare } from "bcryptjs";
import type { RequestHandler, Response } from "express";
import type { WebConfig } from "../config/web-config.ts";
import { Passwords } from "./passwords.ts";

/** Responds with a text. */
export function sendText(response: Response, status: number, text: string): void {
  response.status(status).type("text").send(`${text}\n`);
}

/** Refuses a request until later, and says why. */
export function sendLater(response: Response, status: 429 | 503, why: string, seconds = 5): void {
  response.set("retry-after", String(seconds));
  sendText(response, status, `${why}. Try again in ${seconds} seconds.`);
}

/**
 * Limits the rate of requests as `rate_limit` of the web configuration sets it: at most `burst` at once, and one more
 * after each interval. The function takes one request, and returns the seconds until the next one is admitted if this
 * one is not. @param now milliseconds of a clock that is never set back
 */
export function requestRate(limit: WebConfig["rateLimit"], now = () => performance.now()): () => number | undefined {
  const { intervalMs, burst } = limit ?? { intervalMs: 0, burst: 1 };
  // Time when the bucket of tokens is full again.
  let fullAt = 0;
  return () => {
    const next = Math.max(fullAt, now()) + intervalMs;
    const waitMs = next - now() - burst * intervalMs;
    if (waitMs > 0) return Math.ceil(waitMs / 1000);
    fullAt = next;
    return undefined;
  };
}

/** Passes on the requests that it accepts, and responds to the others. The memory of right passwords is its own. */
export function guardOf({ users, rateLimit, headers }: WebConfig): RequestHandler {
  const passwords = new Passwords(compare, users);
  const refusal = requestRate(rateLimit);
  return async (request, response, next) => {
    for (const [name, value] of headers) response.set(name, value);
    const wait = refusal();
    if (wait !== undefined) return sendLater(response, 429, "More requests than rate_limit allows", wait);
    if (!passwords.isRequired) return next();
    const verdict = await passwords.check(request.headers.authorization, request.socket.remoteAddress ?? "");
    if (verdict === "right") return next();
    if (verdict === "busy") return sendLater(response, 503, "Too many passwords are being checked");
    response.set("www-authenticate", 'Basic realm="stacks-exporter", charset="UTF-8"');
    sendText(response, 401, "A user and a password are required.");
  };
}
