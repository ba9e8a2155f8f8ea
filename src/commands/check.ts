// Validates the configuration.
import { warningsOf } from "../config/warnings.ts";
import type { Io } from "./io.ts";
import { type ConfigFlags, loadConfigFile } from "./load-config.ts";

/** Prints warnings, and what the configuration polls. */
export async function check(flags: ConfigFlags, io: Io): Promise<number> {
  const { config } = await loadConfigFile(flags, io);
  for (const warning of warningsOf(config)) io.err(`warning: ${warning}\n`);
  const networks = config.networks.map(({ name, upstreams, collectors }) => {
    const origins = upstreams.map(({ url }) => new URL(url).origin).join(", ");
    return `${name} at ${origins} (${collectors.map((collector) => collector.name).join(", ") || "nothing enabled"})`;
  });
  io.out(`${flags.config ?? "the default configuration"} is valid: ${networks.join("; ")}\n`);
  return 0;
}
