// Programs that tests run. Tests whose program is not installed are skipped; with the flag set, as in CI, they fail.
import { describe } from "@jest/globals";
import { missing } from "./daemon.ts";

/** Whether all of the programs are on the PATH. Throws when one is not and the environment has the flag. */
export function areInstalled(programs: readonly string[], flag = "REQUIRE_PROMETHEUS"): boolean {
  const absent = missing(programs);
  if (absent.length > 0 && process.env[flag] !== undefined) throw new Error(`not on the PATH: ${absent.join(", ")}`);
  return absent.length === 0;
}

/** `describe` for tests that need programs. */
export const describeWith = (...programs: readonly string[]): typeof describe | typeof describe.skip =>
  areInstalled(programs) ? describe : describe.skip;
