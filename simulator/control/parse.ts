// Parses faults from the query of a request.
import type { FaultRule } from "../faults/fault.ts";
import { type Fields, flag, InputError, number, oneOf, parseFields, text, whole } from "./fields.ts";

const body = oneOf("json", "html", "text", "empty");

const FAULTS: Readonly<Record<FaultRule["kind"], Fields>> = {
  "404": {},
  "410": {},
  "429": { retryAfter: number, asDate: flag, withHeaders: flag, body },
  "500": { tx: text },
  "503": {},
  cut: { part: number },
  "db-down": {},
  garbage: { form: oneOf("text", "truncated", "html", "empty") },
  huge: { mebibytes: number },
  invent: { rows: whole(1) },
  omit: { every: whole(1) },
  redirect: { to: oneOf("other-host", "same-host"), location: text },
  reset: {},
  retired: {},
  "slow-body": { seconds: number, bytes: number, stalls: flag },
  "slow-headers": { seconds: number },
  status: { status: number, body },
  "wrong-shape": { form: oneOf("other", "list", "nulls", "strings", "missing") },
};
const SCOPE: Fields = { path: text, count: number };
const REQUIRED_OF_FAULTS: Readonly<Record<string, string>> = {
  redirect: "to",
  "slow-headers": "seconds",
  status: "status",
};

/** Parses a fault. Throws an InputError. */
export function parseFault(query: URLSearchParams): FaultRule {
  const kind = query.get("kind") ?? "";
  if (!Object.hasOwn(FAULTS, kind)) throw new InputError(`kind must be one of ${Object.keys(FAULTS).join(", ")}`);
  const fields = { ...FAULTS[kind as FaultRule["kind"]], ...SCOPE };
  const rule = parseFields(
    [...query].filter(([name]) => name !== "kind"),
    fields,
    kind,
  );
  const required = REQUIRED_OF_FAULTS[kind];
  if (required !== undefined && rule[required] === undefined) throw new InputError(`${kind} needs ${required}`);
  // Every field was parsed by a parser of its kind.
  return { kind, ...rule } as unknown as FaultRule;
}
