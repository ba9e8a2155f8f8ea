// Checks of every request before a page is rendered: the rate, the password. Wrong passwords cost CPU time, so one is
// compared at a time, and few wait. A password that was right is not compared again.
import { createHmac, randomBytes } from "node:crypto";
import { compare } from "bcryptjs";
import type { RequestHandler, Response } from "express";
import PQueue from "p-queue";
import type { WebConfig } from "../config/web-config.ts";

/** Passwords that wait to be compared, those of one client address included. */
const MAX_WAITING = 32;
const MAX_WAITING_OF_CLIENT = 4;

/**
 * The check of the header `Authorization` of a client against users with their hashes. An unknown user takes as long as
 * a wrong password. `busy`: too many passwords wait to be compared.
 */
export function passwordsOf(
  compare: (password: string, hash: string) => Promise<boolean>,
  users: ReadonlyMap<string, string>,
): (authorization: string | undefined, client: string) => Promise<"right" | "wrong" | "busy"> {
  // Keyed: the memory of the process has no plain hash of a password, and the time of a comparison says nothing.
  const key = randomBytes(32);
  /** Digest of the last correct password, by user. */
  const known = new Map<string, string>();
  /** Comparisons by digest. */
  const comparing = new Map<string, { readonly client: string; readonly isRight: Promise<boolean> }>();
  const queue = new PQueue({ concurrency: 1 });

  async function compareOnce(password: string, hash: string, id: string, client: string): Promise<boolean | undefined> {
    // Scrapes that start at the same time share one comparison.
    const shared = comparing.get(id);
    if (shared !== undefined) return shared.isRight;
    const ofClient = [...comparing.values()].filter((one) => one.client === client).length;
    if (comparing.size >= MAX_WAITING || ofClient >= MAX_WAITING_OF_CLIENT) return undefined;
    const isRight = queue.add(() => compare(password, hash)).finally(() => comparing.delete(id));
    comparing.set(id, { client, isRight });
    return isRight;
  }

  return async (authorization = "", client) => {
    const [, encoded = ""] = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization) ?? [];
    const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, "base64").toString("utf8")) ?? [];
    if (user === undefined || password === undefined) return "wrong";
    const hash = users.get(user);
    const digest = createHmac("sha256", key)
      .update(JSON.stringify([user, password]))
      .digest("hex");
    if (known.get(user) === digest) return "right";
    const compared = hash ?? ([...users.values()].sort().at(-1) as string);
    const isRight = await compareOnce(password, compared, digest, client);
    if (isRight === undefined) return "busy";
    if (!isRight || hash === undefined) return "wrong";
    known.set(user, digest);
    return "right";
  };
}

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

/** The present check of requests, which a reload replaces; undefined for none. */
export interface Guard {
  check: RequestHandler | undefined;
}

/** Passes on the requests that it accepts, and responds to the others. The memory of right passwords is its own. */
export function guardOf({ users, rateLimit, headers }: WebConfig): RequestHandler {
  const check = passwordsOf(compare, users);
  const refusal = requestRate(rateLimit);
  return async (request, response, next) => {
    for (const [name, value] of headers) response.set(name, value);
    const wait = refusal();
    if (wait !== undefined) return sendLater(response, 429, "More requests than rate_limit allows", wait);
    if (users.size === 0) return next();
    const verdict = await check(request.headers.authorization, request.socket.remoteAddress ?? "");
    if (verdict === "right") return next();
    if (verdict === "busy") return sendLater(response, 503, "Too many passwords are being checked");
    response.set("www-authenticate", 'Basic realm="stacks-exporter", charset="UTF-8"');
    sendText(response, 401, "A user and a password are required.");
  };
}
