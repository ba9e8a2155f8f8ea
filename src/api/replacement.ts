// An operation, or its replacement where the server does not offer it.
import { ApiError } from "./errors.ts";
import type { Operation, StacksApi } from "./operation.ts";

/** Whether an error means that the server does not offer the operation: it is switched off, or its path is unknown. */
export function isNotOffered(error: unknown, operation: Pick<Operation, "name">): boolean {
  if (!(error instanceof ApiError) || error.operation !== operation.name) return false;
  return error.reason === "gone" || (error.reason === "not_found" && error.routeMissing);
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
