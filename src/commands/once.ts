// Polls everything once and prints the metrics.
import type { Io } from "./io.ts";
import { type Flags, loadConfig } from "./load-config.ts";
import { withApp } from "./with-app.ts";

/** The exit code is 1 when a poll failed. */
export async function once(flags: Flags, io: Io): Promise<number> {
  const { failed, page } = await withApp(await loadConfig(flags, io), io, async (app) => {
    const failed = await app.pollOnce();
    return { failed, page: await app.page.body("classic", false) };
  });
  io.out(page.toString());
  return failed.length === 0 ? 0 : 1;
}
