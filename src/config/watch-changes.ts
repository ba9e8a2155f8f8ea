// Files that change while the exporter runs. They are looked at from time to time instead of being watched by the system, which
// tells nothing of a file that an editor replaced, of a link that was turned elsewhere, or of a disk somewhere else.
import { stat } from "node:fs/promises";
import type { Clock } from "../api/clock.ts";

const LOOK_MS = 5000;

interface Parts {
  readonly clock: Clock;
  readonly stop: AbortSignal;
  /** Called when files were changed and have been quiet for a look: a file half written is not read. Must not reject. */
  readonly onChange: () => Promise<void>;
}

/** Follows files until `stop` is aborted. */
export async function followFiles(files: readonly string[], { clock, stop, onChange }: Parts): Promise<void> {
  if (files.length === 0) return;
  let known = await marksOf(files);
  let last = known;
  while (!stop.aborted) {
    try {
      await clock.sleep(LOOK_MS, stop);
    } catch (error) {
      if (!stop.aborted) throw error;
      return;
    }
    const marks = await marksOf(files);
    const isQuiet = marks === last;
    last = marks;
    if (!isQuiet || marks === known) continue;
    known = marks;
    await onChange();
  }
}

// What of a file differs after any change: which one it is (links are followed), how long, and when it was written.
async function marksOf(files: readonly string[]): Promise<string> {
  const marks = await Promise.all(
    files.map(async (file) => {
      try {
        const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
        return [dev, ino, size, mtimeNs, ctimeNs].join();
      } catch (error) {
        return error instanceof Error && "code" in error ? String(error.code) : "unreadable";
      }
    }),
  );
  return marks.join(";");
}
