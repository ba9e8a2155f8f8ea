// Types of settings besides numbers and words, and the addresses of flags. `expected` describes a type in messages and
// in the documentation, `pattern` in editors.
import { z } from "zod";
import { parseCronSchedule, parseDuration, type Schedule } from "./interval.ts";
import { entriesOf, valueAt } from "./schema.ts";

/** An address to listen on. */
export type ListenAddress =
  | {
      /** Absent: every interface. */
      readonly host?: string;
      /** 0: any free port. */
      readonly port: number;
    }
  | {
      /** Path of a Unix socket. */
      readonly path: string;
    };

type Rule = readonly [rule: (value: unknown, context: z.core.$RefinementCtx) => void, options: typeof always];

/** For a rule that holds for single settings, also when others are wrong. Their values need not be valid. */
export const always = {
  when: ({ value }: { readonly value: unknown }): boolean => typeof value === "object" && value !== null,
};

/** A rule for two settings of which one can be set. */
export const either = ([first, second]: readonly [string, string]): Rule => [
  (group, { addIssue }) => {
    if (valueAt(group, [first]) === undefined || valueAt(group, [second]) === undefined) return;
    const message = `expected either ${first} or ${second}, found both`;
    addIssue({ code: "custom", path: [second], message, params: { part: "key" } });
  },
  always,
];

/** A rule for a setting that is different for every entry of a list. */
export const unique = (key: string, list: string): Rule => [
  (entries, { addIssue }) => {
    const known = new Set<unknown>();
    for (const [index, entry] of entriesOf(entries).entries()) {
      const value = valueAt(entry, [key]);
      const message = `${key === "id" ? "an" : "a"} ${key} that no other entry of ${list} has`;
      if (known.has(value)) addIssue({ code: "custom", path: [index, key], message });
      if (value !== undefined) known.add(value);
    }
  },
  always,
];

/** A type of which `read` parses the input. It returns undefined for an invalid one. */
export function parsed<Input, Value>(
  input: z.ZodType<Input>,
  expected: string,
  read: (value: Input) => Value | undefined,
) {
  return input
    .transform((value, context): Value => {
      const result = read(value);
      if (result !== undefined) return result;
      context.issues.push({ code: "custom", message: expected, input: value });
      return z.NEVER;
    })
    .meta({ expected });
}

/** A duration within limits, in milliseconds. The limits are durations, too. */
export function duration(shortest: string, longest: string) {
  const [min = 0, max = 0] = [shortest, longest].map(parseDuration);
  const expected = `a duration with its unit from ${shortest} to ${longest}, such as 45s or 1h30m`;
  return parsed(z.string(), expected, (text) => {
    const milliseconds = parseDuration(text);
    return milliseconds !== undefined && milliseconds >= min && milliseconds <= max ? milliseconds : undefined;
  }).meta({ pattern: "^(?=[0-9])([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$" });
}

/** Time between two polls. */
export const every = duration("1s", "24h").transform((intervalMs): Schedule => ({ intervalMs }));

/** Times of polls, as a cron expression with seconds. */
export const cron = parsed(
  z.string(),
  'a cron expression of six fields (the first one is the second), such as "*/30 * * * * *"',
  parseCronSchedule,
);

/** Value of a label that names a part of the configuration. */
export const labelValue = z
  .string()
  .regex(/^[a-z0-9_-]{1,63}$/)
  .meta({ expected: "1 to 63 of the characters a-z, 0-9, _ and -" });

/** Reads `host:port`, `:port`, `[IPv6]:port` or `unix:/path`; undefined for other text. */
export function parseListen(input: string): ListenAddress | undefined {
  const [, path] = /^unix:(\/[^\0]{1,106})$/.exec(input) ?? [];
  if (path !== undefined) return { path };
  const [, name = "", digits] = /^(.*):(\d{1,5})$/.exec(input) ?? [];
  const url = `http://${name || "all"}:${digits}`;
  // The URL parser completes a mistyped address of digits and dots.
  if (!URL.canParse(url) || new URL(url).hostname !== (name.toLowerCase() || "all")) return undefined;
  return { port: Number(digits), ...(name && { host: name.replace(/^\[(.*)\]$/, "$1") }) };
}

/** An address to listen on, in words. */
export const LISTEN_ADDRESS =
  '"host:port", ":port" for all interfaces, "[::1]:port", or "unix:/path" for a Unix socket, with a port from 0 to 65535';

/** Parses the base URL of an API, and drops its trailing slash; undefined if it is not a plain http or https URL. */
export function parseUrl(input: string): string | undefined {
  // The URL parser accepts backslashes, tabs and missing slashes, and returns a URL that the operator does not expect.
  if (!/^https?:\/\/[^\s\\@?#]+$/i.test(input) || !URL.canParse(input)) return undefined;
  const { origin, pathname } = new URL(input);
  return `${origin}${pathname}`.replace(/\/+$/, "");
}

/** The base URL of an API. */
export const url = parsed(z.string(), "an http or https URL without user, password, query or fragment", parseUrl).meta({
  pattern: "^https?://[^\\s@?#\\\\]+$",
});
