// Output of a command: a file, or standard output.
import { writeFile } from "node:fs/promises";
import { CommandError, type Io } from "./io.ts";

/** Writes to a file, or without one to standard output. @throws CommandError if the file cannot be written */
export async function writeOutput(file: string | undefined, text: string, io: Io): Promise<void> {
  if (file === undefined) return io.out(text);
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new CommandError(`--output: expected a file that can be written, found ${(error as Error).message}`);
  }
}
