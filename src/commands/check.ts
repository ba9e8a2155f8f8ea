// Validates the configuration, and whether it fits its budget.
import { warningsOf } from "../config/warnings.ts";
import { planErrors, planOf } from "./estimate.ts";
import type { Io } from "./io.ts";
import { type ConfigFlags, loadConfigFile } from "./load-config.ts";
import { webSourceOf } from "./web-source.ts";

/** Prints warnings, and what the configuration polls; the exit code is 1 when something does not fit, as of `plan`. */
export async function check(flags: ConfigFlags, io: Io): Promise<number> {
  const { config } = await loadConfigFile(flags, io, "any");
  await webSourceOf(config);
  for (const warning of warningsOf(config)) io.err(`warning: ${warning}\n`);
  const errors = planErrors(planOf(config));
  for (const error of errors) io.err(`${error}\n`);
  if (errors.length > 0) return 1;
  const networks = config.networks.map(({ name, upstreams, collectors }) => {
    const origins = upstreams.map(({ url }) => new URL(url).origin).join(", ");
    return `${name} at ${origins} (${collectors.map((collector) => collector.name).join(", ") || "nothing enabled"})`;
  });
  io.out(`${flags.config ?? "the default configuration"} is valid: ${networks.join("; ")}\n`);
  return 0;
}
