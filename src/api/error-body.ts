// What an answer of failure says about itself. Servers, gateways and proxies in between all have their own form.
import type { Headers } from "./retry-after.ts";

// Reading megabytes for a sentence is not worth it.
const LARGEST_READ = 65_536;

// Of the server itself, and of the gateway before it.
const ROUTE_MISSING = /^(Route [A-Z]+:.* not found$|no Route matched)/is;

/** The sentence in an answer of failure, and whether it has the form in which the API itself answers. */
export interface ErrorBody {
  /** `message`, else `error`, of a JSON object; the text of a plain-text answer; otherwise empty. From outside: redact. */
  readonly text: string;
  /** A JSON object with one of the two. */
  readonly isApi: boolean;
  /** The path is not known, as opposed to the thing that was asked for. */
  readonly routeMissing: boolean;
}

/** Reads the body of an answer of failure; never fails. */
export function errorBody(headers: Headers, body: Buffer): ErrorBody {
  const value = body.byteLength > LARGEST_READ ? undefined : jsonObject(body);
  const text = [value?.message, value?.error].find((one) => typeof one === "string" && one !== "");
  if (typeof text === "string") return { text, isApi: true, routeMissing: ROUTE_MISSING.test(text) };
  const plain = /^text\/plain\b/i.test(headers.get("content-type") ?? "");
  return { text: plain ? body.toString("utf8", 0, 1_000) : "", isApi: false, routeMissing: false };
}

function jsonObject(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
