// Polls everything once and prints the metrics.

import type { Config } from "../config/config.ts";
import { withBudgets } from "./command-budgets.ts";
import { createApp } from "./create-app.ts";
import { CommandError, type Io } from "./io.ts";
import { type ConfigFlags, loadConfigFile } from "./load-config.ts";

// Polls wait for the small part of the budget that an exporter leaves.
const BESIDE_TIMEOUT_MS = 3_600_000;

/** The exit code is 1 when a poll failed. */
export async function once(flags: ConfigFlags, io: Io): Promise<number> {
  const loaded = await loadConfigFile(flags, io);
  return withBudgets(loaded.config, io, async ({ store, isBeside }) => {
    const config = isBeside ? patient(loaded.config) : loaded.config;
    const app = await createApp({ ...loaded, config }, io, {
      open: async () => ({ budgets: store, isBeside }),
    });
    const failed = await Promise.race([app.pollOnce(), io.stopped]);
    if (failed !== undefined) io.out((await app.page.body("classic", false)).toString());
    await app.stop();
    if (failed === undefined) throw new CommandError("stopped before everything was polled");
    return failed.length === 0 ? 0 : 1;
  });
}

const patient = (config: Config): Config => ({
  ...config,
  networks: config.networks.map((network) => ({
    ...network,
    collectors: network.collectors.map((collector) => ({ ...collector, timeoutMs: BESIDE_TIMEOUT_MS })),
  })),
});
