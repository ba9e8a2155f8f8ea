// The logger. It masks secrets in every line.
import { type Logger, pino, stdSerializers } from "pino";

/** A logger for JSON lines or readable text. @param mask masks every secret in a text */
export async function createLogger({
  level,
  format,
  mask,
  write,
}: {
  readonly level: string;
  readonly format: "json" | "pretty";
  readonly mask: (text: string) => string;
  readonly write: (line: string) => void;
}): Promise<Logger> {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: withOwnName },
  };
  if (format === "json") return pino(options, { write: (line: string) => write(mask(line)) });
  const { prettyFactory } = await import("pino-pretty");
  const pretty = prettyFactory({ colorize: false, singleLine: true });
  return pino(options, { write: (line: string) => write(mask(pretty(line) ?? line)) });
}

// pino takes the name of the class for the type, and the bundle renames classes that use their own name.
const withOwnName = (error: unknown) =>
  error instanceof Error && Object.hasOwn(error, "name")
    ? { ...stdSerializers.err(error), type: error.name }
    : stdSerializers.err(error as Error);
