// The error of a failed call, as a label value. Pure.
import { OTHER } from "../labels.ts";

/** The call succeeded, but a post-condition of its transaction did not hold. */
const POST_CONDITION = "post_condition";
/** The operation does not return the result of the call. */
const UNKNOWN = "unknown";

// An integer has at most 39 digits. Other values, such as strings and tuples, have no bound.
const CODE = /^\(err (u?\d{1,39}|-\d{1,39}|true|false|none)\)$/;

/**
 * Maps the status and the result of a call to its error: `u101` for `(err u101)`, `none` for a runtime error, `other`
 * for an error that is neither a number nor a boolean. Undefined if the call succeeded.
 * @param result undefined if the operation does not return it
 */
export function callError(status: string, result: string | undefined): string | undefined {
  if (status === "success") return undefined;
  if (status === "abort_by_post_condition") return POST_CONDITION;
  return result === undefined ? UNKNOWN : (CODE.exec(result)?.[1] ?? OTHER);
}
