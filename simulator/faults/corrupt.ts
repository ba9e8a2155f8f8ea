// What a fault makes of a good reply: another reply, another way of sending it, or both.
import { type Answer, DATABASE_DOWN, GONE, internal, noRoute } from "../http/http-error.ts";
import type { Reply } from "../http/respond.ts";
import type { BodyForm, Fault } from "./fault.ts";
import { misshape } from "./misshape.ts";

/** How a reply is sent. */
export type Manner =
  | { readonly kind: "whole" }
  | { readonly kind: "late"; readonly seconds: number }
  | { readonly kind: "drip"; readonly seconds: number; readonly bytes: number; readonly stalls: boolean }
  | { readonly kind: "cut"; readonly part: number }
  | { readonly kind: "reset" }
  | { readonly kind: "huge"; readonly bytes: number };

/** A reply and how it is sent. */
export interface Delivery {
  readonly reply: Reply;
  readonly manner: Manner;
}

const TYPES: Readonly<Record<BodyForm, string>> = {
  json: "application/json; charset=utf-8",
  html: "text/html; charset=utf-8",
  text: "text/plain; charset=utf-8",
  empty: "text/plain",
};
const MEBIBYTE = 1_048_576;

function withBody(status: number, type: string, body: string, headers: Readonly<Record<string, string>> = {}): Reply {
  const length = String(Buffer.byteLength(body));
  return { status, body, headers: { ...headers, "content-type": type, "content-length": length } };
}

function withJson({ status, json }: Answer): Reply {
  return withBody(status, TYPES.json, JSON.stringify(json));
}

function errorBody(form: BodyForm, status: number, message: string): string {
  if (form === "json") return JSON.stringify({ statusCode: status, error: message, message });
  if (form === "html") return `<html><head><title>${status}</title></head><body><h1>${message}</h1></body></html>`;
  return form === "text" ? message : "";
}

function rateLimited(fault: Extract<Fault, { kind: "429" }>, now: number): Reply {
  const { retryAfter, asDate = false, withHeaders = false, body = "text" } = fault;
  const seconds = retryAfter ?? 60;
  const date = new Date(now + seconds * 1000).toUTCString();
  const retry: Record<string, string> =
    retryAfter === undefined ? {} : { "retry-after": asDate ? date : String(retryAfter) };
  const rate: Record<string, string> = withHeaders
    ? { "ratelimit-limit": "50", "ratelimit-remaining": "0", "ratelimit-reset": String(Math.ceil(seconds)) }
    : {};
  return withBody(429, TYPES[body], errorBody(body, 429, "Too Many Requests"), { ...retry, ...rate });
}

function garbage(reply: Reply, form: "text" | "truncated" | "html" | "empty"): Reply {
  const { etag: _, ...headers } = reply.headers;
  if (form === "html") return withBody(200, TYPES.html, "<html><body>It works!</body></html>", headers);
  const half = reply.body.slice(0, Math.floor(reply.body.length / 2));
  const body = form === "truncated" ? half : form === "text" ? "this is not JSON" : "";
  return withBody(200, TYPES.json, body, headers);
}

function redirect(fault: Extract<Fault, { kind: "redirect" }>, target: string): Reply {
  const elsewhere = fault.to === "other-host" ? `http://elsewhere.invalid${target}` : target;
  return { status: 302, body: "", headers: { location: fault.location ?? elsewhere, "content-length": "0" } };
}

/** Applies one fault. `target` is path and query, `now` real time in Unix milliseconds. */
export function corrupt({ reply, manner }: Delivery, fault: Fault, target: string, now: number): Delivery {
  switch (fault.kind) {
    case "status": {
      const form = fault.body ?? "json";
      const body = errorBody(form, fault.status, `Simulated status ${fault.status}`);
      return { reply: withBody(fault.status, TYPES[form], body, fault.headers), manner };
    }
    case "429":
      return { reply: rateLimited(fault, now), manner };
    case "500":
      return { reply: withJson(internal("Simulated failure").answer), manner };
    case "503":
      return { reply: withJson(DATABASE_DOWN), manner };
    case "410":
      return { reply: withJson(GONE), manner };
    case "404":
      return { reply: withJson(noRoute("GET", target)), manner };
    case "redirect":
      return { reply: redirect(fault, target), manner };
    case "garbage":
      return { reply: garbage(reply, fault.form ?? "text"), manner };
    case "wrong-shape": {
      const { etag: _, ...headers } = reply.headers;
      return { reply: withBody(200, TYPES.json, misshape(reply.body, fault.form ?? "other"), headers), manner };
    }
    case "huge": {
      const { "content-length": _, etag: _tag, ...headers } = reply.headers;
      const bytes = (fault.mebibytes ?? 32) * MEBIBYTE;
      return { reply: { ...reply, status: 200, headers }, manner: { kind: "huge", bytes } };
    }
    case "slow-headers":
      return { reply, manner: { kind: "late", seconds: fault.seconds } };
    case "slow-body": {
      const { seconds = 1, bytes = 16, stalls = false } = fault;
      return { reply, manner: { kind: "drip", seconds, bytes, stalls } };
    }
    case "cut":
      return { reply, manner: { kind: "cut", part: fault.part ?? 0.5 } };
    case "reset":
      return { reply, manner: { kind: "reset" } };
    // Both change what the server knows, before there is a reply.
    case "retired":
    case "db-down":
      return { reply, manner };
  }
}
