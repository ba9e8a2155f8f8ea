// An operation, or its replacement where the server does not offer it.
import { ApiError } from "./errors.ts";
import type { Operation, StacksApi } from "./operation.ts";

/**
 * Whether an error means that the server does not offer the operation: it is switched off, or its path is unknown. A
 * path without a parameter is always there if the operation is.
 */
export function isNotOffered(error: unknown, { name, path }: Pick<Operation, "name" | "path">): boolean {
  if (!(error instanceof ApiError) || error.operation !== name) return false;
  return error.reason === "gone" || (error.reason === "not_found" && (error.routeMissing || !path.includes("{")));
}

/** Calls `first`, which uses the operation, or `second` when the server does not offer it. Other errors are thrown. */
export async function orReplacement<Result>(
  api: StacksApi,
  operation: Operation,
  first: () => Promise<Result>,
  second: () => Promise<Result>,
): Promise<Result> {
  if (api.isRetired(operation)) return second();
  try {
    return await first();
  } catch (error) {
    if (!isNotOffered(error, operation)) throw error;
    return second();
  }
}
