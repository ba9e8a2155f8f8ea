// Settings given on the command line. They win over the file.
import type { ConfigurableCollector } from "./config.ts";
import { describeValue, type Mistake } from "./mistakes.ts";
import { expectationOf, nodeAt, settingsTree } from "./schema.ts";
import { allSettings } from "./settings.ts";

/** Flags that are settings, as they were given. */
export interface Flags {
  readonly listen?: string | undefined;
  readonly logLevel?: string | undefined;
  readonly logFormat?: string | undefined;
}

/** Which flag is which setting. */
export const FLAGS = {
  listen: { flag: "--listen", path: ["listen"] },
  logLevel: { flag: "--log-level", path: ["log", "level"] },
  logFormat: { flag: "--log-format", path: ["log", "format"] },
} as const satisfies Record<keyof Flags, { flag: string; path: readonly string[] }>;

/** Checks the flags that were given. */
export function checkFlags(flags: Flags, collectors: readonly ConfigurableCollector[]) {
  const { listen, log } = allSettings(collectors).pick({ listen: true, log: true }).partial().shape;
  const mistakes: Mistake[] = [];
  const read = <Output>(
    name: keyof Flags,
    schema: { safeParse(value: unknown): { data?: Output } },
  ): Output | undefined => {
    const value = flags[name];
    if (value === undefined) return undefined;
    const { data } = schema.safeParse(value);
    if (data === undefined) mistakes.push(mistakeIn(name, value, collectors));
    return data;
  };
  const { level, format } = log.unwrap().unwrap().shape;
  return {
    mistakes,
    listen: read("listen", listen),
    level: read("logLevel", level),
    format: read("logFormat", format),
  };
}

function mistakeIn(name: keyof Flags, value: string, collectors: readonly ConfigurableCollector[]): Mistake {
  const { flag, path } = FLAGS[name];
  const expected = expectationOf(nodeAt(settingsTree(collectors), path) ?? {});
  return {
    file: undefined,
    line: undefined,
    column: undefined,
    path: flag,
    message: `expected ${expected}, found ${describeValue(value)}`,
  };
}
