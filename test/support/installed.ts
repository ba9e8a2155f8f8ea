// Tests that need programs, which not every machine has.
import { describe } from "@jest/globals";
import { missing } from "./daemon.ts";

/**
 * `describe` for tests that nothing prevents; otherwise they are skipped, and the reasons printed. Throws instead when
 * REQUIRE_PROGRAMS is set, as in CI.
 */
export function describeUnless(reasons: readonly string[]): typeof describe | typeof describe.skip {
  if (reasons.length === 0) return describe;
  if (process.env.REQUIRE_PROGRAMS !== undefined) throw new Error(reasons.join("; "));
  process.stderr.write(`Tests are skipped: ${reasons.join("; ")}\n`);
  return describe.skip;
}

/** `describe` for tests that need programs on the PATH. */
export const describeWith = (...programs: readonly string[]): typeof describe | typeof describe.skip =>
  describeUnless(missing(programs).map((name) => `${name} is not on the PATH`));
