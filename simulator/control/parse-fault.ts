// A fault from the query of a request, checked field by field: people type these by hand.
import type { FaultRule } from "../faults/fault.ts";

type Field = (value: string) => unknown;

const number: Field = (value) => (value !== "" && Number(value) >= 0 ? Number(value) : undefined);
const flag: Field = (value) => ({ true: true, "1": true, "": true, false: false, "0": false })[value];
const text: Field = (value) => value;
const oneOf =
  (...allowed: readonly string[]): Field =>
  (value) =>
    allowed.includes(value) ? value : undefined;

const body = oneOf("json", "html", "text", "empty");

const FIELDS: Readonly<Record<FaultRule["kind"], Readonly<Record<string, Field>>>> = {
  "404": {},
  "410": {},
  "429": { retryAfter: number, asDate: flag, withHeaders: flag, body },
  "500": {},
  "503": {},
  cut: { part: number },
  "db-down": {},
  garbage: { form: oneOf("text", "truncated", "html", "empty") },
  huge: { mebibytes: number },
  redirect: { to: oneOf("other-host", "same-host"), location: text },
  reset: {},
  retired: {},
  "slow-body": { seconds: number, bytes: number, stalls: flag },
  "slow-headers": { seconds: number },
  status: { status: number, body },
  "wrong-shape": { form: oneOf("other", "list", "nulls", "strings", "missing") },
};
const REQUIRED: Readonly<Record<string, string>> = { redirect: "to", "slow-headers": "seconds", status: "status" };
const SCOPE = { path: text, count: number };

/** The fault that the query describes, or what is wrong with it in words. */
export function parseFault(query: URLSearchParams): FaultRule | string {
  const kind = query.get("kind") ?? "";
  if (!Object.hasOwn(FIELDS, kind)) return `kind must be one of ${Object.keys(FIELDS).join(", ")}`;
  const fields: Readonly<Record<string, Field>> = { ...FIELDS[kind as FaultRule["kind"]], ...SCOPE };
  const rule: Record<string, unknown> = { kind };
  for (const [name, value] of query) {
    if (name === "kind") continue;
    const read = fields[name];
    if (read === undefined) return `${name} is not a field of ${kind}; it has ${Object.keys(fields).join(", ")}`;
    const understood = read(value);
    if (understood === undefined) return `${name} cannot be ${JSON.stringify(value)}`;
    rule[name] = understood;
  }
  const required = REQUIRED[kind];
  if (required !== undefined && rule[required] === undefined) return `${kind} needs ${required}`;
  // Every field was read by the reader of its kind.
  return rule as unknown as FaultRule;
}
