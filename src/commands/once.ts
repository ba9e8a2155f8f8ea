// Polls everything once and prints the metrics.
import { createApp } from "./create-app.ts";
import { CommandError, type Io } from "./io.ts";
import { type ConfigFlags, loadConfigFile } from "./load-config.ts";
import { openSharedBudgets } from "./shared-budgets.ts";

/** The exit code is 1 when a poll failed. */
export async function once(flags: ConfigFlags, io: Io): Promise<number> {
  const loaded = await loadConfigFile(flags, io);
  const { file: budgets, failed: cannotShare } = await openSharedBudgets(loaded.config, io);
  const app = await createApp(loaded, io, { open: async () => ({ budgets }) });
  const unshared = new Promise<void>((resolve) => cannotShare.addEventListener("abort", () => resolve()));
  const failed = await Promise.race([app.pollOnce(), io.stopped, unshared]);
  if (failed !== undefined) io.out((await app.page.body("classic", false)).toString());
  await app.stop();
  if (failed === undefined) {
    const reason = cannotShare.aborted ? `: ${cannotShare.reason.message}` : "";
    throw new CommandError(`stopped before everything was polled${reason}`);
  }
  return failed.length === 0 ? 0 : 1;
}
