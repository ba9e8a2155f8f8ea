// The waits of reading, with a source that fails on command. Lists of the API are read in pasts.test.ts.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { z } from "zod";
import { ApiError, type Reason } from "../../src/api/errors.ts";
import { operation, type StacksApi } from "../../src/api/operation.ts";
import type { Page, Row } from "../../src/collectors/feed/read.ts";
import type { Past, Source } from "../../src/history/past.ts";
import { type ReadContext, readPast } from "../../src/history/read.ts";
import { Spool } from "../../src/history/spool.ts";

const MINUTE = 60_000;
const SINCE = 1000;

let folder: string;
let spool: Spool;
let slept: number[];
let notes: string[];
let elapsed: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stacks-exporter-read-"));
  spool = new Spool(folder, { warn: () => undefined });
  slept = [];
  notes = [];
  elapsed = 0;
});
afterEach(() => {
  spool.close();
  rmSync(folder, { recursive: true });
});

const context = (stop = new AbortController().signal): ReadContext => ({
  open: () => ({}) as StacksApi,
  spool,
  range: { since: SINCE, until: 2000 },
  clock: {
    now: () => elapsed,
    elapsed: () => elapsed,
    sleep: async (milliseconds) => {
      slept.push(milliseconds);
      elapsed += milliseconds;
    },
  },
  stop,
  onRead: () => undefined,
  note: (message) => notes.push(message),
});

const LIST = operation({ name: "list", path: "/list", body: z.object({}) });
const failure = (reason: Reason) => new ApiError(reason, LIST.name, "planned by the test");

/**
 * A list of five pages of one row, 300 seconds apart; `before` is called before each request, and returns false if the
 * list lacks the page.
 */
function sourceOf(name: string, before: (page: number) => unknown, complete?: Source["complete"]): Source {
  const page = (index: number): Page<Row> | undefined => {
    if (before(index) === false) return undefined;
    const rows = [{ id: String(index), hash: "" }];
    return { rows, total: 5, older: index === 4 ? undefined : String(index + 1), isLast: index === 4, etag: undefined };
  };
  return {
    name,
    operation: LIST,
    list: () => ({
      operation: LIST.name,
      hasCursors: true,
      page: async (_, cursor) => page(Number(cursor ?? 0)),
      changedSince: async () => undefined,
    }),
    place: (items) => {
      const rows = items.map(({ id }) => ({
        time: 2000 - 300 * Number(id),
        height: 9 - Number(id),
        place: 0,
        body: id,
      }));
      return { rows, oldest: rows.at(-1)?.time };
    },
    ...(complete === undefined ? {} : { complete }),
  };
}

const pastOf = (...sources: readonly Source[]): Past => ({
  collector: "blocks",
  name: "the past",
  sources,
  lead: 0,
  unknown: [],
  replay: () => {
    throw new Error("not replayed");
  },
});
const stored = (name: string) => spool.rows(name, 0, 9999).map(({ body }) => body);

test("reads page by page until the start, and nothing again", async () => {
  const requested: number[] = [];
  const source = sourceOf("a", (page) => requested.push(page));

  await readPast(pastOf(source), context());
  await readPast(pastOf(source), context());

  // The fifth page would be at 800.
  expect(requested).toEqual([0, 1, 2, 3, 4]);
  expect(stored("a")).toEqual(["4", "3", "2", "1", "0"]);
});

test.each(["timeout", "network", "http_server", "rate_limited", "behind", "empty", "budget"] as const)(
  "%s passes: it is waited for, longer each time, up to a minute",
  async (reason) => {
    let failures = 9;
    const source = sourceOf("a", (page) => {
      if (page === 2 && failures-- > 0) throw failure(reason);
    });

    expect(await readPast(pastOf(source), context())).toBe(source);

    expect(slept).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1000));
    expect(notes[0]).toBe(`${reason}: list: planned by the test; again in 1 s`);
  },
);

test("a position that is lost is looked for three times; then the list is read again, and no row twice", async () => {
  const requested: number[] = [];
  let lost = 3;
  const source = sourceOf("a", (page) => {
    requested.push(page);
    return page !== 2 || lost-- <= 0;
  });

  expect(await readPast(pastOf(source), context())).toBe(source);

  expect(requested).toEqual([0, 1, 2, 2, 2, 0, 1, 2, 3, 4]);
  expect(stored("a")).toEqual(["4", "3", "2", "1", "0"]);
});

test("a position that is lost each time ends it", async () => {
  const requested: number[] = [];
  const source = sourceOf("a", (page) => {
    requested.push(page);
    return page !== 2;
  });

  await expect(readPast(pastOf(source), context())).rejects.toMatchObject({ reason: "bad_body" });

  expect(requested.filter((page) => page === 0)).toHaveLength(4);
  expect(stored("a")).toEqual(["1", "0"]);
});

test("15 minutes without a page end it, and the pages before are kept", async () => {
  const source = sourceOf("a", (page) => {
    if (page === 2) throw failure("network");
  });

  await expect(readPast(pastOf(source), context())).rejects.toThrow("planned by the test");

  expect(elapsed).toBeGreaterThan(15 * MINUTE);
  expect(elapsed).toBeLessThan(18 * MINUTE);
  expect(stored("a")).toEqual(["1", "0"]);
});

test("what a page of an hour ago took does not count", async () => {
  let failures = 0;
  const complete: Source["complete"] = async ({ onRead }) => {
    if (failures > 3) return;
    elapsed += 20 * MINUTE;
    onRead(1500);
    failures += 1;
    throw failure("network");
  };

  await readPast(pastOf(sourceOf("a", () => undefined, complete)), context());

  expect(slept).toEqual([1000, 1000, 1000, 1000]);
});

test.each(["unauthorized", "bad_body", "http_client", "wrong_chain"] as const)("%s ends it at once", async (reason) => {
  const source = sourceOf("a", () => {
    throw failure(reason);
  });

  await expect(readPast(pastOf(source), context())).rejects.toThrow("planned by the test");

  expect(slept).toEqual([]);
});

test("a single 410 is not a reason for the replacement, and another one is", async () => {
  let gone = 1;
  const first = sourceOf("a", (page) => {
    if (page === 1 && gone-- > 0) throw failure("gone");
  });
  expect(
    await readPast(
      pastOf(
        first,
        sourceOf("b", () => undefined),
      ),
      context(),
    ),
  ).toBe(first);
  expect(slept).toEqual([65_000]);

  const retired = sourceOf("c", (page) => {
    if (page === 1) throw failure("gone");
  });
  const second = sourceOf("d", () => undefined);
  expect(await readPast(pastOf(retired, second), context())).toBe(second);
  expect(stored("d")).toHaveLength(5);
  expect(spool.fact("not offered: c")).toBe(true);
});

test("without any source there is nothing", async () => {
  const missing = sourceOf("a", () => {
    throw new ApiError("not_found", LIST.name, "unknown path", { routeMissing: true });
  });

  expect(await readPast(pastOf(missing), context())).toBeUndefined();
});

test("a stop ends it between pages", async () => {
  const stop = new AbortController();
  const source = sourceOf("a", (page) => {
    if (page === 1) stop.abort(new DOMException("the command was stopped", "AbortError"));
  });

  await expect(readPast(pastOf(source), context(stop.signal))).rejects.toThrow("the command was stopped");

  expect(stored("a")).toEqual(["1", "0"]);
});
