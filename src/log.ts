// The logger. It masks secrets in every line.
import { type Logger, pino } from "pino";

/** How to log. */
export interface LogOptions {
  readonly level: string;
  readonly format: "json" | "pretty";
  /** Masks every secret in a text. */
  readonly mask: (text: string) => string;
  /** Writes to standard error: standard output is for the page of `once`. */
  readonly write: (line: string) => void;
}

/** A logger for JSON lines or readable text. */
export async function createLogger({ level, format, mask, write }: LogOptions): Promise<Logger> {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: levelNames,
  };
  if (format === "json") return pino(options, { write: (line: string) => write(mask(line)) });
  const { prettyFactory } = await import("pino-pretty");
  const pretty = prettyFactory({ colorize: false, singleLine: true, ignore: "pid,hostname" });
  return pino(options, { write: (line: string) => write(mask(pretty(line) ?? line)) });
}

const levelNames = { level: (label: string) => ({ level: label }) };
