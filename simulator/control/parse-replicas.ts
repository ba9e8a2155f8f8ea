// Parses replicas from the query of a request. People type these by hand, so every field is checked.
import type { ReplicaSpec, Sharing } from "../replicas/replica.ts";

type Field = (value: string) => string | number | undefined;

const atLeast =
  (least: number): Field =>
  (value) =>
    value !== "" && Number(value) >= least && Number(value) <= 2 ** 52 ? Number(value) : undefined;
const whole =
  (least: number): Field =>
  (value) =>
    Number.isInteger(Number(value)) ? atLeast(least)(value) : undefined;
const text: Field = (value) => (value === "" ? undefined : value);
const oneOf =
  (...allowed: readonly string[]): Field =>
  (value) =>
    allowed.includes(value) ? value : undefined;

type Fields = Readonly<Record<string, Field>>;

const KINDS: Readonly<Record<ReplicaSpec["kind"], Fields>> = {
  newest: {},
  lag: { blocks: whole(0), seconds: atLeast(0) },
  stuck: { blocks: whole(0) },
  resync: { from: whole(0), perRequest: atLeast(0), perSecond: atLeast(0) },
  ahead: { blocks: whole(1), claims: oneOf("made-up", "height") },
  other: { seed: text, blocks: whole(0) },
  empty: {},
};
const SHARING: Fields = {
  order: oneOf("turns", "random"),
  every: whole(1),
  requests: whole(1),
  seconds: atLeast(0),
  path: text,
};
const REQUIRED: Readonly<Record<string, readonly string[]>> = { lag: ["blocks", "seconds"], ahead: ["blocks"] };

function readFields(entries: Iterable<readonly [string, string]>, fields: Fields, owner: string) {
  const read: Record<string, unknown> = {};
  for (const [name, value] of entries) {
    const field = fields[name];
    if (field === undefined) return `${name} is not a field of ${owner}; it has ${Object.keys(fields).join(", ")}`;
    const understood = field(value);
    if (understood === undefined) return `${name} cannot be ${JSON.stringify(value)}`;
    read[name] = understood;
  }
  return read;
}

// `kind`, or `kind:field=value:field=value`.
function readSpec(spelled: string): ReplicaSpec | string {
  const [kind = "", ...fields] = spelled.split(":");
  if (!Object.hasOwn(KINDS, kind)) return `a replica must be one of ${Object.keys(KINDS).join(", ")}`;
  const entries = fields.map((field): [string, string] => {
    const [name = "", value = ""] = field.split("=", 2);
    return [name, value];
  });
  const read = readFields(entries, KINDS[kind as ReplicaSpec["kind"]], kind);
  if (typeof read === "string") return read;
  const required = REQUIRED[kind];
  if (required !== undefined && required.filter((name) => Object.hasOwn(read, name)).length !== 1) {
    return `${kind} needs ${required.join(" or ")}`;
  }
  // Every field was read by the reader of its kind.
  return { kind, ...read } as unknown as ReplicaSpec;
}

/** Parses the replicas and how they share requests. Returns an error message if the query is invalid. */
export function parseReplicas(
  query: URLSearchParams,
): { readonly specs: readonly ReplicaSpec[]; readonly sharing: Sharing } | string {
  const specs: ReplicaSpec[] = [];
  for (const spelled of (query.get("use") ?? "").split(",")) {
    const spec = readSpec(spelled);
    if (typeof spec === "string") return spec;
    specs.push(spec);
  }
  const rest = [...query].filter(([name]) => name !== "use");
  const sharing = readFields(rest, SHARING, "replicas");
  return typeof sharing === "string" ? sharing : { specs, sharing };
}
