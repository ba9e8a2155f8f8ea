// The query parameters of the status document. Unknown parameters and values are errors.
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

/** All targets, as without parameters. */
export const ALL: Selection = { page: 1, limit: 100 };

function parse<Shape extends z.ZodRawShape>(query: object, parameters: z.ZodObject<Shape>) {
  const { data, error } = parameters.safeParse(query);
  if (error) throw new QueryError(error.issues.map(({ path, message }) => [...path, message].join(": ")).join("; "));
  return data;
}

const integer = (max: number) => z.coerce.number().int().min(1).max(max);

/**
 * Parses the query of an endpoint that is about one network, by default the first one.
 * @throws QueryError
 */
export const parseNetwork = (query: object, { networks }: Known): string =>
  parse(query, z.strictObject({ network: z.enum(networks).default(networks[0] ?? "") })).network;

/**
 * Parses a query such as `collector=addresses&state=degraded&q=treasury&page=2`.
 * @throws QueryError
 */
export function parseQuery(query: object, { networks, collectors }: Known): Selection {
  const { q: text, ...selection } = parse(
    query,
    z.strictObject({
      network: z.enum(networks).optional(),
      collector: z.enum(collectors).optional(),
      state: z.enum(TARGET_STATES).optional(),
      q: z.string().max(200).optional(),
      page: integer(1_000_000).default(ALL.page),
      limit: integer(1000).default(ALL.limit),
    }),
  );
  return { ...selection, text };
}
