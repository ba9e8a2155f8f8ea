// Checks of every request before a page is rendered: the rate, the password.
import type { RequestHandler } from "express";
import type { WebConfig } from "../config/web-config.ts";
import type { Refusal } from "../telemetry/self-counters.ts";
import type { Passwords } from "./passwords.ts";
import type { RequestRate } from "./request-rate.ts";

/** The requests that a guard accepts. */
export interface GuardOptions {
  readonly passwords: Passwords;
  readonly rate: RequestRate;
  /** Headers of every response. */
  readonly headers: () => WebConfig["headers"];
  readonly onRefused: (reason: Refusal) => void;
}

const RETRY_SECONDS = 5;

/** Passes on the requests that it accepts, and responds to the others. */
export function guardOf({ passwords, rate, headers, onRefused }: GuardOptions): RequestHandler {
  return async (request, response, next) => {
    const refuse = (reason: Refusal, status: number, text: string) => {
      onRefused(reason);
      response.status(status).type("text").send(`${text}\n`);
    };
    for (const [name, value] of headers()) response.set(name, value);
    const wait = rate.refusal();
    if (wait !== undefined) {
      response.set("retry-after", String(wait));
      return refuse("rate", 429, `More requests than rate_limit allows. Try again in ${wait} seconds.`);
    }
    if (!passwords.isRequired) return next();
    const verdict = await passwords.check(request.headers.authorization, request.socket.remoteAddress ?? "");
    if (verdict === "right") return next();
    if (verdict === "busy") {
      response.set("retry-after", String(RETRY_SECONDS));
      return refuse("password", 503, `Too many passwords are being checked. Try again in ${RETRY_SECONDS} seconds.`);
    }
    response.set("www-authenticate", 'Basic realm="stacks-exporter", charset="UTF-8"');
    refuse("password", 401, "A user and a password are required.");
  };
}
