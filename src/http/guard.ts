// Checks of every request before a page is rendered: the rate, the password.
import type { RequestHandler } from "express";
import type { WebConfig } from "../config/web-config.ts";
import type { Passwords } from "./passwords.ts";
import type { RequestRate } from "./request-rate.ts";

/** What a guard checks. */
export interface Checks {
  readonly passwords: Passwords;
  readonly rate: RequestRate;
  /** Headers of every response. */
  readonly headers: WebConfig["headers"];
}

const RETRY_SECONDS = 5;

/** Passes on the requests that it accepts, and responds to the others. @param current the checks at this time */
export function guardOf(current: () => Checks): RequestHandler {
  return async (request, response, next) => {
    const { passwords, rate, headers } = current();
    for (const [name, value] of headers) response.set(name, value);
    const refuse = (status: number, text: string) => void response.status(status).type("text").send(`${text}\n`);
    const wait = rate.refusal();
    if (wait !== undefined) {
      response.set("retry-after", String(wait));
      return refuse(429, `More requests than rate_limit allows. Try again in ${wait} seconds.`);
    }
    if (!passwords.isRequired) return next();
    const verdict = await passwords.check(request.headers.authorization, request.socket.remoteAddress ?? "");
    if (verdict === "right") return next();
    if (verdict === "busy") {
      response.set("retry-after", String(RETRY_SECONDS));
      return refuse(503, `Too many passwords are being checked. Try again in ${RETRY_SECONDS} seconds.`);
    }
    response.set("www-authenticate", 'Basic realm="stacks-exporter", charset="UTF-8"');
    refuse(401, "A user and a password are required.");
  };
}
