// The parts of the process that a command needs.
import { writeFile } from "node:fs/promises";

/** Arguments aside, everything that a command reads, writes or waits for. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Resolves when the process has to stop. */
  readonly stopped: Promise<void>;
  /** Calls the listener at every SIGHUP, also for one from before. It does not end the process. */
  readonly onHangUp: (listener: () => void) => void;
  /** Calls the listener, instead of printing it, for every warning of Node.js. */
  readonly onWarning: (listener: (warning: Error) => void) => void;
  /** Starts the simulated chain as another process. */
  readonly startSimulator: (args: readonly string[]) => Promise<Simulated>;
}

/** A running simulated chain. */
export interface Simulated {
  readonly url: string;
  /** Entries for the watch lists of a configuration. */
  readonly watch: { readonly addresses: readonly object[]; readonly contracts: readonly object[] };
  stop(): void;
}

/** An expected failure of a command: its message is printed without a stack trace. */
export class CommandError extends Error {}

/** Writes to a file, or without one to standard output. @throws CommandError if the file cannot be written */
export async function writeOutput(file: string | undefined, text: string, io: Io, flag = "--output"): Promise<void> {
  if (file === undefined) return io.out(text);
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new CommandError(`${flag}: expected a file that can be written, found ${(error as Error).message}`);
  }
}

/** The lines of a table, whose columns are aligned. */
export function tableOf(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd());
}
