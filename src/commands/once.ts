// Polls everything once and prints the metrics.
import { createApp } from "./create-app.ts";
import { CommandError, type Io } from "./io.ts";
import { type ConfigFlags, loadConfigFile } from "./load-config.ts";

/** The exit code is 1 when a poll failed. */
export async function once(flags: ConfigFlags, io: Io): Promise<number> {
  const app = await createApp(await loadConfigFile(flags, io), io);
  const failed = await Promise.race([app.pollOnce(), io.stopped]);
  if (failed !== undefined) io.out((await app.page.body("classic", false)).toString());
  await app.stop();
  if (failed === undefined) throw new CommandError("stopped before everything was polled");
  return failed.length === 0 ? 0 : 1;
}
