// The query parameters of the JSON endpoints. Unknown parameters and values are errors.
import { z } from "zod";
import { TARGET_STATES } from "../telemetry/status.ts";

/** An invalid query; the message names each error. */
export class QueryError extends Error {
  override readonly name = "QueryError";
}

/** Names that a query may contain. */
export interface Known {
  readonly networks: readonly string[];
  readonly collectors: readonly string[];
}

const integer = (max: number) => z.coerce.number().int().min(1).max(max);

const selectionOf = ({ networks, collectors }: Known) =>
  z.strictObject({
    network: z.enum(networks).optional(),
    collector: z.enum(collectors).optional(),
    state: z.enum(TARGET_STATES).optional(),
    q: z.string().max(200).optional(),
    page: integer(1_000_000).default(1),
    limit: integer(1000).default(100),
  });

/** Filters and a page of the listed targets; docs/status.md describes them. An absent filter matches every target. */
export type Selection = z.output<ReturnType<typeof selectionOf>>;

/** All targets, as without parameters. */
export const ALL: Selection = { page: 1, limit: 100 };

function parse<Result>(query: object, parameters: z.ZodType<Result>): Result {
  const { data, error } = parameters.safeParse(query);
  if (error) throw new QueryError(error.issues.map(({ path, message }) => [...path, message].join(": ")).join("; "));
  return data;
}

/** Parses a query such as `collector=addresses&state=degraded&q=treasury&page=2`. @throws QueryError */
export const parseQuery = (query: object, known: Known): Selection => parse(query, selectionOf(known));

/** Parses the query of an endpoint that is about one network, by default the first one. @throws QueryError */
export const parseNetwork = (query: object, { networks }: Known): string =>
  parse(query, z.strictObject({ network: z.enum(networks).default(networks[0] ?? "") })).network;
