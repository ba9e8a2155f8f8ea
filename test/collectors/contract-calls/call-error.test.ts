import { expect, test } from "@jest/globals";
import { callError } from "../../../src/collectors/contract-calls/contract-calls.ts";

test.each([
  ["success", "(ok true)", undefined],
  ["success", undefined, undefined],
  ["abort_by_response", "(err u101)", "u101"],
  ["abort_by_response", "(err -7)", "-7"],
  ["abort_by_response", "(err 7)", "7"],
  ["abort_by_response", "(err none)", "none"],
  ["abort_by_response", "(err false)", "false"],
  ["abort_by_response", `(err u${"9".repeat(39)})`, `u${"9".repeat(39)}`],
  ["abort_by_response", `(err u${"9".repeat(40)})`, "other"],
  ["abort_by_response", '(err "u101")', "other"],
  ["abort_by_response", "(err (tuple (code u1)))", "other"],
  ["abort_by_response", "(err u1)\n", "other"],
  ["abort_by_response", "(ok true)", "other"],
  ["abort_by_response", "", "other"],
  ["abort_by_response", undefined, "unknown"],
  ["abort_by_post_condition", "(ok true)", "post_condition"],
  ["abort_by_post_condition", undefined, "post_condition"],
  ["problematic_skipped", "(err none)", "none"],
  ["problematic_skipped", undefined, "unknown"],
])("%s with %s is %s", (status, result, error) => {
  expect(callError(status, result)).toBe(error);
});
