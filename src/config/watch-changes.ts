// Files that change while the exporter runs. They are polled: file system events miss files that an editor replaced,
// changed symbolic links, and network file systems.
import { stat } from "node:fs/promises";
import type { Clock } from "../api/clock.ts";

const POLL_MS = 5000;

interface Parts {
  readonly clock: Clock;
  readonly stop: AbortSignal;
  /** Called when files have changed and are the same in two polls: a file may be half written. Must not reject. */
  readonly onChange: () => Promise<void>;
}

/** Watches the current files until `stop` is aborted. */
export async function followFiles(files: () => readonly string[], { clock, stop, onChange }: Parts): Promise<void> {
  let known = await versionsOf(files());
  let last = known;
  while (!stop.aborted) {
    try {
      await clock.sleep(POLL_MS, stop);
    } catch (error) {
      if (!stop.aborted) throw error;
      return;
    }
    const versions = await versionsOf(files());
    const isQuiet = versions === last;
    last = versions;
    if (!isQuiet || versions === known) continue;
    known = versions;
    await onChange();
  }
}

// Identifies a version of a file: its inode (links are followed), its size, and its times.
async function versionsOf(files: readonly string[]): Promise<string> {
  const versions = await Promise.all(
    files.map(async (file) => {
      try {
        const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
        return [dev, ino, size, mtimeNs, ctimeNs].join();
      } catch (error) {
        return error instanceof Error && "code" in error ? String(error.code) : "unreadable";
      }
    }),
  );
  return versions.join(";");
}
