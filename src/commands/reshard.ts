// Distributes the state of some shards to another number of them.
import { systemClock } from "../api/clock.ts";
import { MAX_SHARDS } from "../config/settings.ts";
import { StateFileError } from "../storage/state-file-error.ts";
import { CommandError, type Io } from "./io.ts";

/** The options of `reshard`. */
export interface ReshardFlags {
  readonly count: string;
  readonly out: string;
}

/** Writes the state files of another number of shards. @throws CommandError */
export async function reshardFiles(files: readonly string[], { count, out }: ReshardFlags, io: Io): Promise<number> {
  const shards = /^\d{1,4}$/.test(count) ? Number(count) : 0;
  if (shards < 1 || shards > MAX_SHARDS) {
    throw new CommandError(`--count: expected a whole number from 1 to ${MAX_SHARDS}, found ${JSON.stringify(count)}`);
  }
  const { reshard } = await import("../storage/reshard.ts");
  const log = { warn: (fields: object, message: string) => io.err(`${message}: ${JSON.stringify(fields)}\n`) };
  try {
    for (const path of reshard(files, shards, out, { log, clock: systemClock })) io.out(`${path}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof StateFileError)) throw error;
    throw new CommandError(error.message);
  }
}
