// An operation of the API (its name, its path and the schema of its response), and the API as a poll uses it.
import type { ZodType } from "zod";
import { ApiError } from "./errors.ts";

/** One GET operation. Declare in `body` only the fields that are used: every declared field is a way to fail. */
export interface Operation<Path extends string = string, Body = unknown> {
  /** Label value and error prefix, such as `mempool_stats`. */
  readonly name: string;
  /** Path below the base URL; `{name}` marks a parameter. */
  readonly path: Path;
  readonly body: ZodType<Body>;
  /** Longest body that is read. Bytes, after decompression as well. @default 16 MiB */
  readonly maxBodyBytes?: number | undefined;
  /** Older servers, or those without a node, lack it: their 404 or 500 is not a failure of the poll. @default false */
  readonly isOptional?: boolean | undefined;
  /** Name of the replacement if the server has removed the operation; absent if there is none. */
  readonly replacement?: string | undefined;
  /** Height of the chain tip in a response to this query; undefined when it holds none. Absent if it never does. */
  tipHeight?(body: Body, query: Query): number | undefined;
}

type Placeholder<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

type Query = Readonly<Record<string, string | number | boolean>>;

/** Path parameters (required, one per placeholder) and free query parameters of one request. */
export interface Parameters<Path extends string> {
  readonly path: Readonly<Record<Placeholder<Path>, string | number>>;
  readonly query?: Query;
}

type Request<Path extends string, Body> = [operation: Operation<Path, Body>, parameters: Parameters<Path>];

/** Declares an operation; exists so that the literal type of the path is kept. */
export function operation<const Path extends string, Body>(declared: Operation<Path, Body>): Operation<Path, Body> {
  return declared;
}

/** A valid response. */
export interface ApiResponse<Body> {
  readonly body: Body;
  /** Time when the response arrived. Unix time, milliseconds. */
  readonly receivedAt: number;
  /** Time of the server, by the header `Date`. Unix time, milliseconds; undefined without a valid one. */
  readonly servedAt?: number | undefined;
  /** Its validator; undefined when it has none that can be sent. */
  readonly etag?: string | undefined;
}

/** Kinds of difference between a response and its schema; label `kind` of the drift counter. */
export type Drift = "missing" | "null" | "type" | "enum";

/** The API for one poll: its deadline and priority are already set. Every request is sent within the budget. */
export interface StacksApi {
  /** Requests an operation. @throws ApiError for everything but a valid 200. */
  get<Path extends string, Body>(...request: Request<Path, Body>): Promise<ApiResponse<Body>>;
  /** As `get`, but undefined if nothing has changed since the response with this validator, if any (a 304). */
  getIfChanged<Path extends string, Body>(
    ...request: [...Request<Path, Body>, etag: string | undefined]
  ): Promise<ApiResponse<Body> | undefined>;
  /** As `get`, but undefined for a 404 of the operation itself. A 404 for an unknown path is still an error. */
  find<Path extends string, Body>(...request: Request<Path, Body>): Promise<ApiResponse<Body> | undefined>;
  /** Name of the upstream. @default the only one */
  readonly upstream?: string;
  /** About how many requests this poll can still send; more of them may have to wait beyond its deadline. */
  room(): number;
  /** Whether the server has not offered the operation for a minute (410, or 404 of an optional one). */
  isRetired(operation: Pick<Operation, "name">): boolean;
  /** For a poll that needs no request: without a server, it is no success. @throws ApiError if it is down or paused */
  checkUp(operation: Operation): void;
  /** Counts a value that is unexpected but no reason to fail, such as an unknown enum value. */
  noteDrift(operation: Operation, field: string, kind: Drift): void;
}

/**
 * Whether an error means that the server does not offer the operation: it is switched off, or its path is unknown. A
 * path without a parameter is always there if the operation is.
 */
export function isNotOffered(error: unknown, { name, path }: Pick<Operation, "name" | "path">): boolean {
  if (!(error instanceof ApiError) || error.operation !== name) return false;
  return error.reason === "gone" || (error.reason === "not_found" && (error.routeMissing || !path.includes("{")));
}

/**
 * Calls `first`, which uses the operation, or `second` when the server does not offer it, or its body is too large.
 * Anyone can send a transaction that makes it so. Other errors are thrown.
 */
export async function orReplacement<Result>(
  api: StacksApi,
  operation: Pick<Operation, "name" | "path">,
  first: () => Promise<Result>,
  second: () => Promise<Result>,
): Promise<Result> {
  if (api.isRetired(operation)) return second();
  try {
    return await first();
  } catch (error) {
    if (isNotOffered(error, operation)) return second();
    const isTooLarge = error instanceof ApiError && error.operation === operation.name && error.reason === "too_large";
    if (!isTooLarge) throw error;
    return second().catch((other: unknown) => {
      const isNone = other instanceof ApiError && ["gone", "not_found", "too_large"].includes(other.reason);
      throw isNone ? error : other;
    });
  }
}
