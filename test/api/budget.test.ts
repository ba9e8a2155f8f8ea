import { describe, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import {
  Budget,
  type BudgetRecord,
  budgetFor,
  commandsPart,
  exporterPart,
  MOVED_PRIORITY,
  month,
  SPARE_PRIORITY,
  type WindowLimits,
} from "../../src/api/budget.ts";
import { timeoutReason } from "../../src/api/clock.ts";
import { ApiError } from "../../src/api/errors.ts";
import { RequestQueue } from "../../src/api/queue.ts";
import { FakeClock, settle, turn } from "../support/fake-clock.ts";

// The window of the minute.
const MINUTE = 61_000;
const MONTH = 31 * 24 * 3_600_000;

function createBudget({ planned = [], ...limits }: WindowLimits & { readonly planned?: readonly number[] }) {
  const clock = new FakeClock(1_000_000);
  const budget = new Budget(limits, clock);
  budget.setPlan(planned);
  const queue = new RequestQueue(budget, clock, Number.POSITIVE_INFINITY);
  const admitted: { readonly at: number; readonly priority: number; readonly id: number }[] = [];
  const outcomes = new Map<number, string>();
  const request = (
    id: number,
    priority = 0,
    milliseconds = Number.POSITIVE_INFINITY,
    abort = new AbortController(),
  ) => {
    const queued = { name: "a", priority, deadline: clock.elapsed() + milliseconds, signal: abort.signal };
    if (Number.isFinite(milliseconds)) {
      void clock.sleep(milliseconds).then(() => abort.abort(timeoutReason(milliseconds)));
    }
    queue
      .run(queued, async () => {
        admitted.push({ at: clock.now(), priority, id });
      })
      .then(
        () => outcomes.set(id, "admitted"),
        (error) => outcomes.set(id, error instanceof ApiError ? error.reason : String(error)),
      );
    return abort;
  };
  return { clock, budget, queue, admitted, outcomes, request };
}

const ids = (admitted: readonly { readonly id: number }[]) => admitted.map(({ id }) => id);

function maxWithin(times: readonly number[], span: number): number {
  return Math.max(0, ...times.map((start) => times.filter((at) => at >= start && at < start + span).length));
}

describe("a budget", () => {
  test("admits a minute's requests at once, and the next when the first is a minute old", async () => {
    const { clock, admitted, request } = createBudget({ perMinute: 2 });
    for (const id of [1, 2, 3]) request(id);

    await clock.advance(MINUTE - 1);
    expect(ids(admitted)).toEqual([1, 2]);
    await clock.advance(1);
    expect(ids(admitted)).toEqual([1, 2, 3]);
  });

  test("admits spare requests only to unplanned capacity, and leaves half of the month's bucket", async () => {
    const { clock, budget, admitted, request } = createBudget({
      perMinute: 300,
      perMonth: 25_000,
      planned: [100],
    });
    for (let id = 0; id < 250; id += 1) request(id, SPARE_PRIORITY);
    await clock.advance(1_000);

    expect(admitted).toHaveLength(100);
    expect(budget.waitFor(SPARE_PRIORITY)).toBeGreaterThan(0);
    expect(budget.waitFor(0)).toBe(0);
  });

  test("leaves a quarter of the month's bucket to targets that have moved", () => {
    const { budget } = createBudget({ perMinute: 300, perMonth: 25_000, planned: [10] });

    // The bucket holds 201.
    expect([0, MOVED_PRIORITY, MOVED_PRIORITY + 1, SPARE_PRIORITY].map((priority) => budget.room(priority))).toEqual([
      201, 191, 150, 100,
    ]);
  });

  test("returns the wait until a number of requests can be sent", async () => {
    const { clock, budget, request } = createBudget({ perMinute: 4, perMonth: 744_000, planned: [1] });
    for (const id of [1, 2]) request(id, 1);
    await clock.advance(10_000);

    expect([1, 2, 3].map((requests) => budget.waitFor(1, requests))).toEqual([0, 51_000, 51_000]);
    expect(budget.waitFor(0, 2)).toBe(0);
    expect(budget.waitFor(0, 9)).toBe(51_000);
    const month = createBudget({ perMinute: 2000, perMonth: 124_000 });
    for (let id = 0; id < 600; id += 1) month.request(id, 1);
    expect([300, 500].map((requests) => month.budget.waitFor(1, requests) > 0)).toEqual([false, true]);
  });

  test("reserves a connection for each higher priority", async () => {
    const clock = new FakeClock(1_000_000);
    const queue = new RequestQueue(new Budget({ perMinute: 1000 }, clock), clock, 8);
    let inFlight = 0;
    const { signal } = new AbortController();
    const request = (priority: number) =>
      void queue.run({ name: "a", priority, deadline: Number.POSITIVE_INFINITY, signal }, () => {
        inFlight += 1;
        return new Promise<never>(() => {});
      });
    for (let count = 0; count < 20; count += 1) request(3);
    expect(inFlight).toBe(5);
    for (const priority of [2, 2, 1, 1, 0, 0]) request(priority);
    expect(inFlight).toBe(8);
  });

  test.each([
    ["for a connection, also with a full window", "timeout", [0, 5_000, 0]],
    ["for a connection, before one that waits for the budget", "timeout", [0, 0, 30_000]],
    ["behind one that waits for the budget", "budget", [30_000, 0, 0]],
  ])("reports why a request waits until its deadline, %s", async (_, reason, times) => {
    const clock = new FakeClock(0);
    const budget = new Budget({ perMinute: 1 }, clock);
    jest.spyOn(budget, "waitFor").mockImplementation((p) => Math.max(0, (times[p] ?? 0) - clock.elapsed()));
    const queue = new RequestQueue(budget, clock, 1);
    const ended = Promise.withResolvers<void>();
    const run = (priority: number, milliseconds: number, { signal } = new AbortController()) =>
      queue.run({ name: "a", priority, deadline: clock.elapsed() + milliseconds, signal }, () => ended.promise);
    void run(0, 60_000);
    const poll = new AbortController();
    const late = run(1, 10_000, poll).catch((error) => error);
    void run(2, 60_000);
    await clock.advance(10_000);

    ended.resolve();
    await turn();
    poll.abort(timeoutReason(10_000));

    expect(await late).toMatchObject({ reason });
  });

  test("reserves the planned requests of higher priorities that are not used yet", async () => {
    const { clock, admitted, request } = createBudget({ perMinute: 5, planned: [3] });
    for (const id of [1, 2, 3]) request(id, 1);
    await turn();
    expect(ids(admitted)).toEqual([1, 2]);

    for (const id of [10, 11, 12]) request(id, 0);
    await turn();
    expect(ids(admitted)).toEqual([1, 2, 10, 11, 12]);
    await clock.advance(MINUTE);
    expect(ids(admitted)).toContain(3);
  });

  test("admits lower priorities to an empty window even if the plan fills it", async () => {
    const { clock, admitted, request } = createBudget({ perMinute: 3, planned: [100] });
    request(1, 7);
    request(2, 7);

    await clock.advance(MINUTE);

    expect(ids(admitted)).toEqual([1, 2]);
  });

  test("refuses at once a request that cannot be admitted before its deadline", async () => {
    const { outcomes, request, budget, queue } = createBudget({ perMinute: 1 });
    request(1);
    request(2, 0, MINUTE);
    request(3, 0, MINUTE + 1);

    await turn();

    expect(outcomes).toEqual(
      new Map([
        [1, "admitted"],
        [2, "budget"],
      ]),
    );
    expect(budget.snapshot()).toMatchObject({ minute: { used: 1, available: 0 } });
    expect([queue.waiting, budget.inFlight]).toEqual([1, 0]);
  });

  test("forgets a request that is aborted at the moment at which it could be sent", async () => {
    const { clock, budget, queue, outcomes, request } = createBudget({ perMinute: 1 });
    request(1);
    const abort = new AbortController();
    void clock.sleep(MINUTE).then(() => abort.abort(new Error("gone")));
    request(2, 0, Number.POSITIVE_INFINITY, abort);
    await clock.advance(MINUTE);
    expect(outcomes.get(2)).toBe("Error: gone");
    request(3);
    await clock.advance(0);
    expect(outcomes.get(3)).toBe("admitted");
    expect([queue.waiting, budget.inFlight]).toEqual([0, 0]);
  });

  test.each([-3_600_000, 3_600_000])("is neither early nor late when the system time is set by %d ms", async (by) => {
    const { budget, clock, admitted, request } = createBudget({ perMinute: 1 });
    request(1);
    await clock.advance(0);
    clock.set(clock.now() + by);
    request(2);
    await clock.advance(MINUTE - 1);
    expect(ids(admitted)).toEqual([1]);
    await clock.advance(1);
    expect(ids(admitted)).toEqual([1, 2]);
    budget.pause(10_000);
    clock.set(clock.now() + by);
    expect(budget.pausedUntil).toBe(clock.now() + 10_000);
  });

  test("continues with the requests of the previous process", async () => {
    const before = createBudget({ perMinute: 3, perMonth: 1_000_000 });
    for (const id of [1, 2]) before.request(id);
    await before.clock.advance(20_000);
    const record = before.budget.record();
    const clock = new FakeClock(before.clock.now() + 10_000);
    const budget = new Budget({ perMinute: 3, perMonth: 1_000_000 }, clock, record);

    expect(budget.snapshot()).toMatchObject({ minute: { used: 2, available: 1 } });
    expect(budget.record().minute.map(({ at }) => clock.now() - at)).toEqual([30_000, 30_000]);
    expect(budget.record().month?.tokens).toBeCloseTo(
      Math.min(month(1_000_000).capacity, (record.month?.tokens ?? 0) + 10 * (1_000_000 / (31 * 86_400))),
      1,
    );
    await clock.advance(MINUTE - 30_000);
    expect(budget.snapshot().minute.used).toBe(0);
  });

  test("that is lowered below what is used has nothing left", () => {
    const before = createBudget({ perMinute: 3 });
    for (const id of [1, 2, 3]) before.request(id);
    const budget = new Budget({ perMinute: 1 }, before.clock, before.budget.record());
    expect(budget.snapshot().minute).toEqual({ used: 3, available: 0 });
  });

  test("continues a pause", async () => {
    const before = createBudget({ perMinute: 3 });
    before.budget.pause(60_000);
    const clock = new FakeClock(before.clock.now() + 20_000);
    const budget = new Budget({ perMinute: 3 }, clock, before.budget.record());
    expect(budget.waitFor(0)).toBe(40_000);
    expect(budget.pausedUntil).toBe(clock.now() + 40_000);

    await clock.advance(40_000);
    expect(budget.waitFor(0)).toBe(0);
    expect(budget.record().pausedUntil).toBeUndefined();
  });

  test("is not delayed by a record from the future", async () => {
    const clock = new FakeClock();
    const record = {
      minute: [{ at: clock.now() + 3_600_000, priority: 0 }],
      month: { tokens: 0, at: clock.now() + 3_600_000 },
    };
    const budget = new Budget({ perMinute: 1, perMonth: 1_000_000 }, clock, record);
    expect(budget.snapshot().minute.available).toBe(0);
    await clock.advance(MINUTE);
    expect(budget.snapshot().minute.available).toBe(1);
    expect(budget.snapshot().month?.available).toBeGreaterThan(20);
  });

  test("refuses every request when the month allows no more", async () => {
    const { clock, outcomes, request, budget } = createBudget({ perMinute: 10, perMonth: 1 });
    request(1);
    request(2, 0, MONTH);

    await clock.advance(0);

    expect(outcomes.get(2)).toBe("budget");
    expect(budget.snapshot().month).toEqual({ limit: 1, available: 0, used: 1 });
  });
});

const arrivals = fc.array(
  fc.record({
    gap: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20_000 })),
    priority: fc.integer({ min: 0, max: 3 }),
    timeout: fc.option(fc.integer({ min: 0, max: 200_000 }), { nil: undefined }),
    abortAfter: fc.option(fc.oneof(fc.integer({ min: 0, max: 90_000 }), fc.constantFrom(0, MINUTE)), {
      nil: undefined,
      freq: 3,
    }),
    pause: fc.option(fc.integer({ min: 1_000, max: 90_000 }), { nil: undefined, freq: 12 }),
  }),
  { maxLength: 40 },
);
const plan = fc.array(fc.double({ min: 0, max: 6, noNaN: true }), { maxLength: 4 });

describe("the parts of a budget", () => {
  test("are a tenth for commands, at least 1 request a minute, and the rest for an exporter", () => {
    const parts = [1, 2, 4, 19, 25, 900].map((perMinute) =>
      [exporterPart, commandsPart].map((part) => part({ perMinute }).perMinute),
    );
    expect(parts).toEqual([
      [1, 0],
      [1, 1],
      [3, 1],
      [18, 1],
      [23, 2],
      [810, 90],
    ]);
    expect(commandsPart({ perMinute: 900, perMonth: 150_000 }).perMonth).toBe(15_000);
    expect(exporterPart({ perMinute: 900, perMonth: 150_000 }).perMonth).toBe(150_000);
  });

  test("of the smallest sufficient budget are sufficient", () => {
    for (let requests = 0.5; requests < 300; requests += 0.5) {
      const budget = budgetFor(requests);
      expect(exporterPart({ perMinute: budget }).perMinute).toBeGreaterThanOrEqual(requests);
      if (budget > 1) expect(exporterPart({ perMinute: budget - 1 }).perMinute).toBeLessThan(requests);
    }
  });
});

describe("the saved use of a budget", () => {
  function killable(limits: WindowLimits, clock: FakeClock, saved?: BudgetRecord) {
    const saves: { readonly record: BudgetRecord; readonly sent: number }[] = [];
    const sent: number[] = [];
    const budget = new Budget(limits, clock, saved, (record) => {
      saves.push({ record, sent: sent.length });
    });
    const queue = new RequestQueue(budget, clock, Number.POSITIVE_INFINITY);
    const stopped = new AbortController();
    const { signal } = stopped;
    const request = (priority = 0) =>
      queue
        .run(
          { name: "a", priority, deadline: Number.POSITIVE_INFINITY, signal },
          async () => void sent.push(clock.now()),
        )
        .catch(() => undefined);
    /** What the next process knows of it. */
    const end = (isKilled: boolean) => {
      stopped.abort();
      return isKilled ? (saves.at(-1)?.record ?? saved) : budget.record();
    };
    return { budget, sent, saves, request, end };
  }

  test("contains each request before it is sent, with several at a time of a large budget", () => {
    const small = killable({ perMinute: 4 }, new FakeClock());
    const large = killable({ perMinute: 3000 }, new FakeClock());
    for (let id = 0; id < 100; id += 1) for (const { request } of [small, large]) void request();

    expect(small.saves.map(({ record, sent }) => [record.minute.length + (record.ahead ?? 0), sent])).toEqual([
      [1, 0],
      [2, 1],
      [3, 2],
      [4, 3],
    ]);
    expect(large.saves.map(({ record, sent }) => [record.minute.length + (record.ahead ?? 0), sent])).toEqual([
      [30, 0],
      [60, 30],
      [90, 60],
      [120, 90],
    ]);
  });

  test("contains a pause at once", () => {
    const { budget, saves } = killable({ perMinute: 4 }, new FakeClock(1_000_000));
    budget.pause(30_000);
    expect(saves.map(({ record }) => record.pausedUntil)).toEqual([1_030_000]);
  });

  test("keeps the limits of the minute and the month over kills, beside commands", async () => {
    const step = fc.record({
      what: fc.constantFrom("send", "send", "send", "command", "kill", "stop", "wait"),
      ms: fc.nat(40_000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 150 }), fc.constantFrom(2, 5, 11, 250), async (steps, perMinute) => {
        const clock = new FakeClock();
        const limits = { perMinute, perMonth: 31 * 24 * 60 };
        const parts = { exporter: exporterPart(limits), commands: commandsPart({ perMinute }) };
        const processes = { exporter: killable(parts.exporter, clock), commands: killable(parts.commands, clock) };
        const times: number[] = [];
        const polled: number[] = [];
        const end = (name: "exporter" | "commands", isKilled: boolean) => {
          const { sent, end } = processes[name];
          processes[name] = killable(parts[name], clock, end(isKilled));
          times.push(...sent);
          if (name === "exporter") polled.push(...sent);
        };
        for (const { what, ms } of steps) {
          // Every command is a process.
          if (what === "command") {
            void processes.commands.request();
            await settle();
            end("commands", ms % 2 === 0);
          } else if (what === "send") for (let id = 0; id <= ms % 7; id += 1) void processes.exporter.request();
          else if (what === "wait") await clock.advance(ms);
          else end("exporter", what === "kill");
          await settle();
        }
        end("exporter", false);
        expect(maxWithin(times, 60_000)).toBeLessThanOrEqual(perMinute);
        const { capacity } = month(limits.perMonth);
        const refilled = (clock.now() - new FakeClock().now()) / MONTH;
        expect(polled.length).toBeLessThanOrEqual(capacity + refilled * limits.perMonth + 1e-6);
      }),
      { numRuns: 60, seed: 20261123 },
    );
  });
});

/** A request that was stopped twice, and then admitted after a later one. */
const ROTATED = [0, 2, 0, 0, 2].map((priority, id) => ({
  gap: 0,
  priority,
  timeout: undefined,
  abortAfter: undefined,
  pause: id === 0 || id === 2 ? 1000 : undefined,
}));

describe("for any sequence of requests", () => {
  test("the limit of the minute holds, every request is admitted or refused, and the order is kept", async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, fc.integer({ min: 1, max: 6 }), plan, async (script, perMinute, planned) => {
        const { clock, budget, queue, admitted, outcomes, request } = createBudget({ perMinute, planned });
        const requested: { priority: number; from: number; deadline: number }[] = [];
        const pauses: { after: number; until: number }[] = [];
        for (const [id, { gap, priority, timeout, abortAfter, pause }] of script.entries()) {
          await clock.advance(gap);
          if (pause !== undefined) {
            budget.pause(pause);
            pauses.push({ after: admitted.length, until: clock.now() + pause });
          }
          const abort = request(id, priority, timeout);
          requested.push({
            priority,
            from: clock.now(),
            deadline: clock.elapsed() + (timeout ?? Number.POSITIVE_INFINITY),
          });
          if (abortAfter !== undefined) {
            void clock.sleep(abortAfter).then(() => abort.abort(new Error("gone")));
          }
        }
        // Long enough for one request a minute after the last pause.
        await clock.advance((script.length + 3) * MINUTE);

        expect(outcomes.size).toBe(script.length);
        expect([queue.waiting, budget.inFlight]).toEqual([0, 0]);
        expect(clock.sleepers).toBe(0);
        const times = admitted.map(({ at }) => at);
        expect(maxWithin(times, MINUTE)).toBeLessThanOrEqual(perMinute);
        for (const { id, at, priority } of admitted) {
          expect(at).toBeLessThan(requested[id]?.deadline ?? 0);
          const position = admitted.findIndex((other) => other.id === id);
          expect(pauses.filter(({ after, until }) => position >= after && at < until)).toEqual([]);
          const overtaken = admitted.slice(position + 1).filter((other) => {
            const from = requested[other.id]?.from ?? 0;
            return from < at && (other.priority < priority || (other.priority === priority && other.id < id));
          });
          expect(overtaken).toEqual([]);
        }
        const refusals = [...outcomes].filter(([, outcome]) => outcome === "budget" || outcome === "rate_limited");
        for (const [id] of refusals) expect(script[id]?.timeout).toBeDefined();
      }),
      { numRuns: 150, seed: 20261121, examples: [[ROTATED, 3, []]] },
    );
  });

  test("the limit of the month holds in any 31 days", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: MONTH / 6 }), { minLength: 5, maxLength: 30 }),
        fc.integer({ min: 2, max: 40 }),
        async (gaps, perMonth) => {
          const { clock, admitted, request } = createBudget({ perMinute: 3, perMonth });
          for (const [burst, gap] of gaps.entries()) {
            for (let one = 0; one < 4; one += 1) request(burst * 4 + one, one % 2);
            await clock.advance(gap);
          }
          await clock.advance(3 * MONTH);

          const times = admitted.map(({ at }) => at);
          expect(maxWithin(times, MONTH + 1)).toBeLessThanOrEqual(perMonth);
          expect(maxWithin(times, MINUTE)).toBeLessThanOrEqual(3);
        },
      ),
      { numRuns: 40, seed: 20261121 },
    );
  });
});
