// Parses faults and replicas from the query of a request.
import type { FaultRule } from "../faults/fault.ts";
import type { ReplicaSpec, Sharing } from "../replicas/replica.ts";
import { type Fields, fieldsOf, flag, InputError, number, oneOf, parseFields, text, whole } from "./fields.ts";

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

const REPLICAS: Readonly<Record<ReplicaSpec["kind"], Fields>> = {
  newest: { receipts: whole(0) },
  lag: { blocks: whole(0), seconds: number },
  stuck: { blocks: whole(0) },
  resync: { from: whole(0), perRequest: number, perSecond: number },
  ahead: { blocks: whole(1), claims: oneOf("made-up", "height") },
  other: { seed: text, blocks: whole(0) },
  empty: {},
};
const SHARING: Fields = {
  order: oneOf("turns", "random"),
  every: whole(1),
  requests: whole(1),
  seconds: number,
  path: text,
};
const REQUIRED_OF_REPLICAS: Readonly<Record<string, readonly string[]>> = {
  lag: ["blocks", "seconds"],
  ahead: ["blocks"],
};

/** Parses a fault. Throws an InputError. */
export function parseFault(query: URLSearchParams): FaultRule {
  const kind = query.get("kind") ?? "";
  const fields = { ...fieldsOf(FAULTS, kind, "kind"), ...SCOPE };
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

// `kind`, or `kind:field=value:field=value`.
function parseSpec(spec: string): ReplicaSpec {
  const [kind = "", ...rest] = spec.split(":");
  const entries = rest.map((field): [string, string] => {
    const [name = "", value = ""] = field.split("=", 2);
    return [name, value];
  });
  const parsed = parseFields(entries, fieldsOf(REPLICAS, kind, "a replica"), kind);
  const required = REQUIRED_OF_REPLICAS[kind];
  if (required !== undefined && required.filter((name) => Object.hasOwn(parsed, name)).length !== 1) {
    throw new InputError(`${kind} needs ${required.join(" or ")}`);
  }
  return { kind, ...parsed } as unknown as ReplicaSpec;
}

/** Parses replicas and how they share requests. Throws an InputError. */
export function parseReplicas(query: URLSearchParams): { specs: readonly ReplicaSpec[]; sharing: Sharing } {
  const specs = (query.get("use") ?? "").split(",").map(parseSpec);
  const rest = [...query].filter(([name]) => name !== "use");
  return { specs, sharing: parseFields(rest, SHARING, "replicas") };
}
