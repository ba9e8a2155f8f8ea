// Types of values besides numbers and words. `expected` says in messages and in the documentation what a type accepts;
// `pattern` says it to editors.
import { isIP } from "node:net";
import { z } from "zod";
import type { Schedule } from "../collectors/task.ts";
import { ScheduleError } from "../scheduler/cron.ts";
import { formatDuration, parseDuration } from "../scheduler/duration.ts";
import { EVERY_EXPECTATION, parseCronSchedule, parseEvery } from "../scheduler/interval.ts";
import type { ListenAddress } from "./config.ts";

const DURATION_PATTERN = "^(?=[0-9])([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$";

// Text that a function reads, which returns undefined for wrong text.
function text<Value>(expected: string, read: (text: string) => Value | undefined, pattern?: string) {
  return z
    .string()
    .transform((input, context): Value => {
      const value = read(input);
      if (value !== undefined) return value;
      context.issues.push({ code: "custom", message: expected, input });
      return z.NEVER;
    })
    .meta({ expected, ...(pattern === undefined ? {} : { pattern }) });
}

/** A duration within limits; milliseconds. */
export function duration(shortest: number, longest: number) {
  const expected = `a duration with its unit from ${formatDuration(shortest)} to ${formatDuration(longest)}, such as 45s or 1h30m`;
  const read = (input: string) => {
    const milliseconds = parseDuration(input);
    return milliseconds !== undefined && milliseconds >= shortest && milliseconds <= longest ? milliseconds : undefined;
  };
  return text(expected, read, DURATION_PATTERN);
}

function schedule(expected: string, parse: (text: string) => Schedule) {
  return z
    .string()
    .transform((input, context): Schedule => {
      try {
        return parse(input);
      } catch (error) {
        if (!(error instanceof ScheduleError)) throw error;
        context.issues.push({ code: "custom", message: error.message, input });
        return z.NEVER;
      }
    })
    .meta({ expected });
}

/** Time between two polls. */
export const every = () => schedule(EVERY_EXPECTATION, parseEvery).meta({ pattern: DURATION_PATTERN });

/** Times of polls, as a cron expression with seconds. */
export const cron = () => schedule('a cron expression of six fields, such as "*/30 * * * * *"', parseCronSchedule);

const SIZES: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** Bytes of a size such as `16MiB`; undefined when the text is no size. */
export function parseSize(input: string): number | undefined {
  const [, count, unit = "B"] = /^(\d{1,15})(B|KiB|MiB|GiB)?$/.exec(input) ?? [];
  return count === undefined ? undefined : Number(count) * (SIZES[unit] ?? 1);
}

/** The shortest exact text of a number of bytes. */
export function formatSize(bytes: number): string {
  const [unit, size] = Object.entries(SIZES).findLast(([, size]) => bytes >= size && bytes % size === 0) ?? ["B", 1];
  return `${bytes / size}${unit}`;
}

/** A size within limits; bytes. */
export function size(smallest: number, biggest: number) {
  const expected = `a size from ${formatSize(smallest)} to ${formatSize(biggest)}, such as 512KiB, or a number of bytes`;
  return z
    .union([z.int().min(smallest).max(biggest), z.string().regex(/^[0-9]+(B|KiB|MiB|GiB)?$/)])
    .transform((input, context): number => {
      const bytes = typeof input === "number" ? input : parseSize(input);
      if (bytes !== undefined && bytes >= smallest && bytes <= biggest) return bytes;
      context.issues.push({ code: "custom", message: expected, input });
      return z.NEVER;
    })
    .meta({ expected });
}

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;

/** Reads `host:port`, `:port` or `[IPv6]:port`; undefined for other text. */
export function parseListen(input: string): ListenAddress | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(input) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) return undefined;
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? { host: bracketed, port } : undefined;
  if (plain === undefined || plain === "") return { port };
  // A host name of digits and dots is a mistyped address.
  const isHost = /^[\d.]+$/.test(plain) ? isIP(plain) === 4 : HOST_NAME.test(plain);
  return isHost ? { host: plain, port } : undefined;
}

/** Where to listen. */
export const listenAddress = () =>
  text(
    '"host:port", ":port" for all interfaces, or "[::1]:port", with a port from 0 to 65535',
    parseListen,
    ":[0-9]{1,5}$",
  );

/** Reads the base of an API; undefined when it is no plain http or https URL. The slash at the end is dropped. */
export function parseUrl(input: string): string | undefined {
  // The URL parser accepts backslashes, tabs and missing slashes, and returns another URL than a reader expects.
  if (!/^https?:\/\/[^\s\\]+$/i.test(input) || !URL.canParse(input)) return undefined;
  const { protocol, username, password, search, hash, origin, pathname } = new URL(input);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  if (username !== "" || password !== "" || search !== "" || hash !== "" || /[@?#]/.test(input)) return undefined;
  return `${origin}${pathname}`.replace(/\/+$/, "");
}

/** The base of an API. */
export const url = () =>
  text("an http or https URL without user, password, query or fragment", parseUrl, "^https?://[^\\s@?#\\\\]+$");
