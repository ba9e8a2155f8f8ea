import { chownSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { Budget, type BudgetLimits, Refusal } from "../../src/api/budget.ts";
import type { BudgetRecord } from "../../src/api/shared-budget.ts";
import { BudgetFile, budgetPathOf } from "../../src/storage/budget-file.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";

const MINUTE = 60_000;
const MONTH = 31 * 24 * 3_600_000;

let folder: string;
let path: string;
let clock: FakeClock;
let open: BudgetFile[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stacks-exporter-budget-"));
  path = budgetPathOf(join(folder, "state.db"));
  clock = new FakeClock();
  open = [];
});
afterEach(() => {
  for (const file of [...open]) close(file);
  rmSync(folder, { recursive: true });
});

const openFile = (onError: (error: Error) => boolean = unexpected) => {
  const file = new BudgetFile(path, { clock, onError });
  open.push(file);
  return file;
};
const close = (file: BudgetFile) => {
  open = open.filter((one) => one !== file);
  file.close();
};
const unexpected = (error: Error): boolean => {
  throw error;
};

/** Simulates a process with a separate connection to the file and a separate budget. */
function processWith(
  limits: BudgetLimits,
  { saved, file = openFile() }: { saved?: BudgetRecord; file?: BudgetFile } = {},
) {
  // Like a network, restores the month and the pause even without the file.
  const restored = saved && { ...saved, minute: [] };
  const budget = new Budget(limits, clock, Number.POSITIVE_INFINITY, restored, file.of("mainnet/hiro", saved));
  const outcomes: string[] = [];
  const sent: number[] = [];
  const request = (priority = 0, timeout = Number.POSITIVE_INFINITY, isSent = true) => {
    const { signal } = new AbortController();
    budget
      .run({ priority, deadline: clock.now() + timeout, signal }, async (giveBack) => {
        if (isSent) sent.push(clock.now());
        else giveBack();
      })
      .then(
        () => outcomes.push("admitted"),
        (error) => outcomes.push(error instanceof Refusal ? error.reason : String(error)),
      );
  };
  return { budget, outcomes, sent, request, file };
}

const maxWithin = (times: readonly number[], span: number) =>
  Math.max(0, ...times.map((start) => times.filter((at) => at >= start && at < start + span).length));

describe("a budget that processes share", () => {
  test("admits no more requests to all processes than to one", async () => {
    const limits = { perMinute: 3 };
    const [one, two] = [processWith(limits), processWith(limits)];
    for (let id = 0; id < 3; id += 1) one.request();
    await clock.advance(5);
    for (let id = 0; id < 3; id += 1) two.request();
    await settle();
    expect([one.sent.length, two.sent.length]).toEqual([3, 0]);
    expect(two.budget.snapshot()).toMatchObject({ usedLastMinute: 3, remaining: 0, waiting: 3 });
    expect(two.budget.room(0)).toBe(0);

    // The time of day has whole milliseconds, so this can be a millisecond later than for one process.
    await clock.advance(MINUTE - 5);
    expect(two.sent).toHaveLength(0);
    await clock.advance(1);
    expect(two.sent).toHaveLength(3);
  });

  test("never exceeds a limit, for any order of requests, kills and waits", async () => {
    const step = fc.record({
      process: fc.nat(2),
      what: fc.constantFrom("send", "send", "send", "giveBack", "kill", "wait"),
      priority: fc.nat(9),
      ms: fc.nat(40_000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
        clock = new FakeClock();
        path = join(mkdtempSync(join(folder, "run-")), "b");
        // Each process takes two tokens of the month at a time.
        const limits = { perMinute: 5, perMonth: 2 * 31 * 4, plannedPerMinute: [1, 1] };
        const start = () => processWith(limits);
        const processes = [start(), start(), start()];
        const times: number[] = [];
        for (const { process, what, priority, ms } of steps) {
          const { request, file, sent } = processes[process] as (typeof processes)[0];
          if (what === "send") request(priority, ms * 10);
          else if (what === "giveBack") request(priority, ms * 10, false);
          else if (what === "kill") {
            times.push(...sent);
            close(file);
            processes[process] = start();
          } else await clock.advance(ms);
          await settle();
        }
        for (const { sent, file } of processes) {
          times.push(...sent);
          close(file);
        }
        expect(maxWithin(times, MINUTE)).toBeLessThanOrEqual(limits.perMinute);
        // The capacity of the bucket, and the refill in the longest run.
        const refilled = ((limits.perMonth - 2) / MONTH) * (clock.now() - new FakeClock().now());
        expect(times.length).toBeLessThanOrEqual(2 + refilled + 1e-6);
      }),
      { numRuns: 60 },
    );
  });

  test("continues in the next process, and counts all requests of a killed process", async () => {
    const limits = { perMinute: 10, perMonth: 100_000 };
    const killed = processWith(limits);
    for (let id = 0; id < 4; id += 1) killed.request();
    await settle();
    const before = killed.budget.snapshot();

    const next = processWith(limits);

    expect(next.budget.snapshot()).toMatchObject({
      usedLastMinute: 4,
      remaining: 6,
      month: { available: before.month?.available },
    });
  });

  test("a request that was not sent is available to all processes again", async () => {
    const limits = { perMinute: 2, perMonth: 31 * 4 };
    const [one, two] = [processWith(limits), processWith(limits)];
    one.request(0, Number.POSITIVE_INFINITY, false);
    await settle();
    expect(two.budget.snapshot()).toMatchObject({ usedLastMinute: 0, month: { available: 1 } });
  });

  test("a pause applies to the requests of all processes, for at most the longest allowed pause", async () => {
    const limits = { perMinute: 10, longestPauseMs: 30_000 };
    const [one, two] = [processWith(limits), processWith(limits)];
    one.budget.pause(20_000);
    two.request(0, 10_000);
    two.request(0, 60_000);
    await settle();
    expect(two.outcomes).toEqual(["rate_limited"]);
    await clock.advance(20_000);
    expect(two.sent).toHaveLength(1);

    one.budget.pause(300_000);
    expect(processWith(limits).budget.waitFor(0)).toBe(30_000);
  });

  test("leaves the planned requests of another process free", async () => {
    const limits = { perMinute: 10, plannedPerMinute: [6] };
    const [daemon, command] = [processWith(limits), processWith({ ...limits, isPlanOfOthers: true })];
    daemon.request(0);
    for (let id = 0; id < 10; id += 1) command.request(4);
    await settle();
    expect(command.sent).toHaveLength(4);
    for (let id = 0; id < 6; id += 1) daemon.request(0);
    await settle();
    expect(daemon.sent).toHaveLength(6);
  });

  test("reserves nothing for another process that has sent nothing in ten minutes", async () => {
    const limits = { perMinute: 10, plannedPerMinute: [6] };
    const [daemon, command] = [processWith(limits), processWith({ ...limits, isPlanOfOthers: true })];
    expect([command.budget.room(4), daemon.budget.room(4)]).toEqual([10, 4]);
    daemon.request(0);
    await clock.advance(1);
    expect(command.budget.room(4)).toBe(4);
    await clock.advance(2 * MINUTE);
    expect(command.budget.room(4)).toBe(4);
    await clock.advance(8 * MINUTE);
    expect([command.budget.room(4), daemon.budget.room(4)]).toEqual([10, 4]);
  });

  test("sends nothing while another process decides, and continues afterwards", async () => {
    const { request, sent, budget } = processWith({ perMinute: 5 });
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    request();
    request(0, Number.POSITIVE_INFINITY, false);
    budget.pause(500);
    await settle();
    await clock.advance(1000);
    expect(sent).toHaveLength(0);

    other.exec("COMMIT");
    other.close();
    await clock.advance(100);
    expect(sent).toHaveLength(1);
    expect(processWith({ perMinute: 5 }).budget.snapshot().usedLastMinute).toBe(1);
  });

  test("does not stop refilling when the system time is set back", async () => {
    const limits = { perMinute: 10, perMonth: 31 * 4 };
    const [one, two] = [processWith(limits), processWith(limits)];
    one.request();
    await settle();
    expect(two.budget.snapshot().month?.available).toBe(0);
    clock.set(clock.now() - 24 * 3_600_000);
    for (let hour = 0; hour < 8; hour += 1) {
      await clock.advance(3_600_000);
      two.budget.record();
    }
    expect(two.budget.snapshot().month?.available).toBe(1);
  });
});

describe("the record of the state file", () => {
  const recordOf = (tokens: number, at: number): BudgetRecord => ({
    minute: [{ at, priority: 0 }],
    month: { tokens, at },
    pausedUntil: at + 10_000,
  });

  test("is used when the budget file does not contain the budget", () => {
    const { budget } = processWith({ perMinute: 10, perMonth: 100_000 }, { saved: recordOf(7, clock.now()) });
    expect(budget.snapshot()).toMatchObject({ usedLastMinute: 1, month: { available: 7 } });
    expect(budget.waitFor(0)).toBe(10_000);
  });

  test("counts no request twice, and uses the lower number of requests that remain in the month", async () => {
    const limits = { perMinute: 10, perMonth: 100_000 };
    const before = processWith(limits);
    before.request();
    await settle();
    const saved = before.budget.record();
    expect(processWith(limits, { saved }).budget.snapshot()).toMatchObject({
      usedLastMinute: 1,
      month: { available: before.budget.snapshot().month?.available },
    });
    expect(processWith(limits, { saved: { ...saved, month: { tokens: 3, at: clock.now() } } }).budget.record()).toEqual(
      {
        ...saved,
        minute: [{ at: clock.now(), priority: 0 }],
        month: { tokens: 3, at: clock.now() },
      },
    );
  });
});

describe("a file that cannot be used", () => {
  const breakFile = () => {
    const database = new DatabaseSync(path);
    database.exec("DROP TABLE requests");
    database.close();
  };

  test("the month and the pause of the state file apply", () => {
    const file = openFile(() => true);
    breakFile();
    const saved = { minute: [], month: { tokens: 3, at: clock.now() }, pausedUntil: clock.now() + 10_000 };
    const { budget } = processWith({ perMinute: 10, perMonth: 100_000 }, { saved, file });

    expect(budget.snapshot().month?.available).toBe(3);
    expect(budget.waitFor(0)).toBe(10_000);
  });

  test("a process that continues still applies its limit, and reports the error once", async () => {
    const errors: string[] = [];
    const file = openFile(({ message }) => errors.push(message) > 0);
    const { request, sent } = processWith({ perMinute: 2 }, { file });
    breakFile();
    for (let id = 0; id < 5; id += 1) request();
    await settle();
    expect(sent).toHaveLength(2);
    expect(errors).toEqual([expect.stringMatching(/^state file .*\.budget: /)]);
    await clock.advance(MINUTE);
    expect(sent).toHaveLength(4);
  });

  test("a process that continues still applies the limit of the month, even if the file can still be read", async () => {
    const file = openFile(() => true);
    // The process takes two tokens at a time.
    const { request, sent, budget } = processWith({ perMinute: 100, perMonth: 2 * 31 * 4 }, { file });
    request();
    await settle();
    const database = new DatabaseSync(path);
    database.exec("CREATE TRIGGER full BEFORE INSERT ON requests BEGIN SELECT RAISE(ABORT, 'disk full'); END");
    for (let id = 0; id < 4; id += 1) {
      request();
      await settle();
      budget.snapshot();
    }
    expect(sent).toHaveLength(2);

    database.exec("DROP TRIGGER full");
    database.close();
    await clock.advance(2 * 3_600_000);
    expect(sent).toHaveLength(2);
  });

  test("a process that does not continue sends nothing", async () => {
    const file = openFile(() => false);
    const { request, sent, outcomes } = processWith({ perMinute: 2 }, { file });
    breakFile();
    request(0, 5000);
    await clock.advance(10_000);
    expect(sent).toHaveLength(0);
    expect(outcomes).toHaveLength(1);
  });

  test("is reported when it is opened", () => {
    writeFileSync(path, "no database, but a text that is long enough to be taken for one".repeat(20));
    expect(() => openFile()).toThrow(/\.budget: is not a state file of this program$/);
  });

  test("is not used after it is closed", async () => {
    const { request, sent, file } = processWith({ perMinute: 2 });
    close(file);
    request(0, 1000);
    await clock.advance(2000);
    expect(sent).toHaveLength(0);
  });
});

test("only the owner can access the files, which belong to the owner of the folder", () => {
  if (process.getuid?.() !== 0) return;
  const inner = join(folder, "of", "ours");
  path = budgetPathOf(join(inner, "state.db"));
  close(openFile());
  rmSync(path);
  chownSync(inner, 1234, 1234);
  processWith({ perMinute: 1 }).request();
  const files = readdirSync(inner).map((name) => statSync(join(inner, name)));
  expect(files.length).toBe(3);
  for (const { mode, uid, gid } of files)
    expect({ mode: mode & 0o777, uid, gid }).toEqual({ mode: 0o600, uid: 1234, gid: 1234 });
});
