// The one logger. Secrets never reach it: every text is masked on its way out.
import { type Logger, pino } from "pino";

/** How to log. */
export interface LogOptions {
  readonly level: string;
  readonly format: "json" | "pretty";
  /** Replaces every secret in a text. */
  readonly mask: (text: string) => string;
  /** Where lines go; standard error, so that `once` can print its page to standard output. */
  readonly write?: (line: string) => void;
}

/** The exporter's logger: JSON lines, or text for people. */
export async function createLogger({ level, format, mask, write }: LogOptions): Promise<Logger> {
  const out = write ?? ((line: string) => void process.stderr.write(line));
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: levelNames,
  };
  if (format === "json") return pino(options, { write: (line: string) => out(mask(line)) });
  const { prettyFactory } = await import("pino-pretty");
  const pretty = prettyFactory({ colorize: false, singleLine: true, ignore: "pid,hostname" });
  return pino(options, { write: (line: string) => out(mask(pretty(line) ?? line)) });
}

const levelNames = { level: (label: string) => ({ level: label }) };
