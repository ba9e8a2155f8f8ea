// The query parameters of the status page and document. Unknown parameters and values are errors.
import { z } from "zod";
import { type Selection, TARGET_STATES } from "../telemetry/status.ts";

/** An invalid query; the message names each error. */
export class QueryError extends Error {
  override readonly name = "QueryError";
}

/** Names that a query may contain. */
export interface Known {
  readonly networks: readonly string[];
  readonly collectors: readonly string[];
}

/** Targets per page without `limit`. */
export const DEFAULT_LIMIT = 100;
/** Longest `q`. */
export const MAX_TEXT_LENGTH = 200;

const integer = (max: number) =>
  z
    .string()
    .refine((text) => /^[1-9]\d*$/.test(text) && Number(text) <= max, `expected a whole number from 1 to ${max}`)
    .transform(Number);

/** The values of a query. @throws QueryError */
function parse<Shape extends z.ZodRawShape>(query: URLSearchParams, parameters: z.ZodObject<Shape>) {
  const repeated = [...query.keys()].find((name) => query.getAll(name).length > 1);
  if (repeated !== undefined) throw new QueryError(`${repeated}: expected once, found more than once`);
  const given = [...query]
    .map(([name, value]): [string, string] => [name, value.trim()])
    .filter(([name, value]) => value !== "" || !Object.hasOwn(parameters.shape, name));
  const { data, error } = parameters.safeParse(Object.fromEntries(given));
  if (error) throw new QueryError(error.issues.map(({ path, message }) => [...path, message].join(": ")).join("; "));
  return data;
}

/**
 * Parses the query of an endpoint that is about one network, by default the first one.
 * @throws QueryError
 */
export function parseNetwork(query: URLSearchParams, { networks }: Known): string {
  const [first = ""] = networks;
  return parse(query, z.strictObject({ network: z.enum(networks).default(first) })).network;
}

/**
 * Parses a query such as `collector=addresses&state=degraded&q=treasury&page=2`. An empty value, as of an empty form
 * field, is the same as none.
 * @throws QueryError
 */
export function parseQuery(query: URLSearchParams, { networks, collectors }: Known): Selection {
  const parameters = z.strictObject({
    network: z.enum(networks).optional(),
    collector: z.enum(collectors).optional(),
    state: z.enum(TARGET_STATES).optional(),
    q: z.string().max(MAX_TEXT_LENGTH).optional(),
    page: integer(1_000_000).default(1),
    limit: integer(1000).default(DEFAULT_LIMIT),
  });
  const { q, ...selection } = parse(query, parameters);
  return { ...selection, text: q };
}

/** The query of a selection, with changes; defaults are left out. */
export function queryOf(selection: Selection, changes: Partial<Selection> = {}): string {
  const { network, collector, state, text, page, limit } = { ...selection, ...changes };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ network, collector, state, q: text })) if (value) query.set(name, value);
  if (page !== 1) query.set("page", String(page));
  if (limit !== DEFAULT_LIMIT) query.set("limit", String(limit));
  return query.toString();
}
