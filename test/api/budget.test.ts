import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { timeoutReason } from "../../src/api/abort.ts";
import { Budget, type BudgetLimits, Refusal, SPARE_PRIORITY } from "../../src/api/budget.ts";
import { FakeClock, turn } from "../support/fake-clock.ts";

const MINUTE = 60_000;
const MONTH = 31 * 24 * 3_600_000;

function arena(limits: BudgetLimits, concurrency = Number.POSITIVE_INFINITY) {
  const clock = new FakeClock(1_000_000);
  const budget = new Budget(limits, clock, concurrency);
  const left: { readonly at: number; readonly priority: number; readonly id: number }[] = [];
  const outcomes = new Map<number, string>();
  const ask = (id: number, priority = 0, milliseconds = Number.POSITIVE_INFINITY, abort = new AbortController()) => {
    const turn = { priority, deadline: clock.now() + milliseconds, signal: abort.signal };
    budget
      .run(turn, async () => {
        left.push({ at: clock.now(), priority, id });
      })
      .then(
        () => outcomes.set(id, "left"),
        (error) => outcomes.set(id, error instanceof Refusal ? error.reason : String(error)),
      );
    return abort;
  };
  return { clock, budget, left, outcomes, ask };
}

const ids = (left: readonly { readonly id: number }[]) => left.map(({ id }) => id);

function most(times: readonly number[], span: number): number {
  return Math.max(0, ...times.map((start) => times.filter((at) => at >= start && at < start + span).length));
}

describe("a budget", () => {
  test("lets a minute's requests leave at once and the next when the first is a minute old", async () => {
    const { clock, left, ask } = arena({ perMinute: 2 });
    for (const id of [1, 2, 3]) ask(id);

    await clock.advance(MINUTE - 1);
    expect(ids(left)).toEqual([1, 2]);
    await clock.advance(1);
    expect(ids(left)).toEqual([1, 2, 3]);
  });

  test("leaves to the spare what nobody else plans to use, and of the month only what is above half of the bucket", async () => {
    const { clock, budget, left, ask } = arena({ perMinute: 300, perMonth: 150_000, plannedPerMinute: [100] });
    for (let id = 0; id < 250; id += 1) ask(id, SPARE_PRIORITY);
    await clock.advance(1_000);

    expect(left).toHaveLength(100);
    expect(budget.waitFor(SPARE_PRIORITY)).toBeGreaterThan(0);
    expect(budget.waitFor(0)).toBe(0);
  });

  test("keeps a connection free for each more important priority, and does not blame itself for slow answers", async () => {
    const clock = new FakeClock(1_000_000);
    const budget = new Budget({ perMinute: 1000 }, clock, 8);
    let flying = 0;
    const ask = (priority: number, abort = new AbortController()) => {
      const asked = budget.run({ priority, deadline: Number.POSITIVE_INFINITY, signal: abort.signal }, () => {
        flying += 1;
        return new Promise<never>(() => {});
      });
      return { abort, failure: asked.catch((error: unknown) => error) };
    };
    for (let turns = 0; turns < 20; turns += 1) ask(3);
    expect(flying).toBe(5);
    for (const priority of [2, 2, 1, 1, 0, 0]) ask(priority);
    expect(flying).toBe(8);

    const late = ask(0);
    late.abort.abort(timeoutReason(1));
    expect(await late.failure).toMatchObject({
      reason: "timeout",
      message: "no connection was free before the deadline",
    });
  });

  test("calls it a timeout, not a shortage, when requests without an answer held all connections until the deadline", async () => {
    const clock = new FakeClock(1_000_000);
    const budget = new Budget({ perMinute: 600 }, clock, 2);
    const signal = new AbortController().signal;
    const hang = () => new Promise<never>(() => {});
    for (const _ of [1, 2]) void budget.run({ priority: 0, deadline: Number.POSITIVE_INFINITY, signal }, hang);
    const late = budget.run({ priority: 0, deadline: clock.now() + 10_000, signal }, hang).catch((error) => error);

    await clock.advance(10_000);

    expect(await late).toMatchObject({ reason: "timeout", message: "no connection was free before the deadline" });
    expect(budget.snapshot()).toMatchObject({ remaining: 598, waiting: 0 });
  });

  test("calls it a timeout also when the window is full at the deadline", async () => {
    const clock = new FakeClock(1_000_000);
    const budget = new Budget({ perMinute: 1 }, clock, 1);
    const poll = new AbortController();
    const turn = { priority: 0, deadline: Number.POSITIVE_INFINITY, signal: poll.signal };
    void budget.run(turn, () => new Promise<never>(() => {}));
    const late = budget.run(turn, async () => {}).catch((error) => error);

    poll.abort(timeoutReason(10_000));

    expect(await late).toMatchObject({ reason: "timeout" });
  });

  test("counts nothing of a request that says that it was not sent, and serves the next one", async () => {
    const clock = new FakeClock(1_000_000);
    const budget = new Budget({ perMinute: 1, perMonth: 1_000_000 }, clock, 8);
    const before = budget.snapshot().month?.available;
    const turn = { priority: 0, deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
    const unsent = budget.run(turn, async (giveBack) => {
      await clock.sleep(5_000);
      giveBack();
    });
    const next = budget.run(turn, async () => clock.elapsed());
    expect(budget.snapshot()).toMatchObject({ usedLastMinute: 1, waiting: 1 });

    await clock.advance(5_000);
    await unsent;

    expect(await next).toBe(1_005_000);
    expect(budget.snapshot()).toMatchObject({ usedLastMinute: 1, month: { usedSinceStart: 1 } });
    await clock.advance(MINUTE);
    expect(budget.snapshot()).toMatchObject({ usedLastMinute: 0, month: { available: before } });
  });

  test("refuses who has no use for its turn any more, also while it waits", async () => {
    const { clock, budget, ask } = arena({ perMinute: 1 });
    const turn = { priority: 1, deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
    let refusal: Error | undefined;
    ask(1);
    const waiting = budget.run({ ...turn, refusal: () => refusal }, async () => "left").catch((error) => error);

    refusal = new Error("down");
    ask(2);

    expect(await waiting).toBe(refusal);
    expect(await budget.run({ ...turn, refusal: () => refusal }, async () => "left").catch((error) => error)).toBe(
      refusal,
    );
    await clock.advance(MINUTE);
    expect(budget.snapshot()).toMatchObject({ usedLastMinute: 1, waiting: 0 });
  });

  test("serves the most important first, then the first who came", async () => {
    const { clock, left, ask } = arena({ perMinute: 1 });
    ask(0);
    ask(1, 2);
    ask(2, 1);
    ask(3, 0);
    ask(4, 1);

    await clock.advance(5 * MINUTE);

    expect(ids(left)).toEqual([0, 3, 2, 4, 1]);
  });

  test("keeps what is planned of the more important free, as far as it is not spent", async () => {
    const { clock, left, ask } = arena({ perMinute: 5, plannedPerMinute: [3] });
    for (const id of [1, 2, 3]) ask(id, 1);
    await turn();
    expect(ids(left)).toEqual([1, 2]);

    for (const id of [10, 11, 12]) ask(id, 0);
    await turn();
    expect(ids(left)).toEqual([1, 2, 10, 11, 12]);
    await clock.advance(MINUTE);
    expect(ids(left)).toContain(3);
  });

  test("admits the less important to an empty window even if the plan fills it", async () => {
    const { clock, left, ask } = arena({ perMinute: 3, plannedPerMinute: [100] });
    ask(1, 7);
    ask(2, 7);

    await clock.advance(MINUTE);

    expect(ids(left)).toEqual([1, 2]);
  });

  test("refuses at once what provably cannot leave before its deadline", async () => {
    const { outcomes, ask, budget } = arena({ perMinute: 1 });
    ask(1);
    ask(2, 0, MINUTE);
    ask(3, 0, MINUTE + 1);

    await turn();

    expect(outcomes).toEqual(
      new Map([
        [1, "left"],
        [2, "budget"],
      ]),
    );
    expect(budget.snapshot()).toMatchObject({ usedLastMinute: 1, remaining: 0, waiting: 1, inFlight: 0 });
  });

  test("refuses at its deadline what others have overtaken", async () => {
    const { clock, outcomes, ask } = arena({ perMinute: 1 });
    ask(1);
    ask(2, 1, MINUTE + 10);
    ask(3, 0);

    await clock.advance(MINUTE);

    expect(outcomes.get(2)).toBe("budget");
    expect(outcomes.get(3)).toBe("left");
  });

  test("gives the turn of somebody who went away to the next", async () => {
    const { clock, left, outcomes, ask, budget } = arena({ perMinute: 1 });
    ask(1);
    const second = ask(2);
    const third = ask(3);
    ask(4);

    second.abort(new Error("shutdown"));
    third.abort(timeoutReason(1));
    await turn();
    expect(budget.snapshot().waiting).toBe(1);
    await clock.advance(MINUTE);

    expect(ids(left)).toEqual([1, 4]);
    expect(outcomes.get(2)).toBe("Error: shutdown");
    expect(outcomes.get(3)).toBe("budget");
  });

  test("lets nothing leave during a pause and refuses at once who cannot wait", async () => {
    const { clock, left, outcomes, ask, budget } = arena({ perMinute: 10 });
    budget.pause(5_000);
    budget.pause(1_000);
    ask(1, 0, 5_000);
    ask(2, 0, 5_001);
    await clock.advance(4_999);
    expect(left).toEqual([]);
    expect(outcomes.get(1)).toBe("rate_limited");
    expect(budget.pausedUntil).toBe(clock.now() + 1);

    await clock.advance(1);

    expect(ids(left)).toEqual([2]);
    expect(budget.pausedUntil).toBeUndefined();
  });

  test("refuses those in the queue when a pause begins that outlasts them", async () => {
    const { outcomes, ask, budget } = arena({ perMinute: 1 });
    ask(1);
    ask(2, 0, 2 * MINUTE);

    budget.pause(3 * MINUTE);
    await turn();

    expect(outcomes.get(2)).toBe("rate_limited");
  });

  test("lets no more leave than can be under way", async () => {
    const clock = new FakeClock();
    const budget = new Budget({ perMinute: 100 }, clock, 2);
    const ends: (() => void)[] = [];
    const signal = new AbortController().signal;
    const runs = [1, 2, 3].map(() =>
      budget.run({ priority: 0, deadline: Number.POSITIVE_INFINITY, signal }, () => {
        return new Promise<void>((resolve) => ends.push(resolve));
      }),
    );
    expect(budget.snapshot()).toMatchObject({ inFlight: 2, waiting: 1, usedLastMinute: 2 });

    ends[0]?.();
    await turn();
    expect(budget.snapshot()).toMatchObject({ inFlight: 2, waiting: 0, usedLastMinute: 3 });
    for (const end of ends) end();
    await Promise.all(runs);
  });

  test("gives the place of a failed request back", async () => {
    const { budget, clock } = arena({ perMinute: 9 }, 1);
    const turnOf = { priority: 0, deadline: clock.now() + 1, signal: new AbortController().signal };
    const fails = () => {
      throw new Error("at once");
    };

    await expect(budget.run(turnOf, fails)).rejects.toThrow("at once");
    await expect(budget.run(turnOf, async () => "ok")).resolves.toBe("ok");
  });

  test("is not held up by a clock that is set back", async () => {
    const { clock, left, ask } = arena({ perMinute: 1 });
    ask(1);
    clock.set(clock.now() - 3_600_000);
    ask(2);

    await clock.advance(MINUTE);

    expect(ids(left)).toEqual([1, 2]);
  });

  test("is not opened by a clock that is set forward, nor is a pause ended", async () => {
    const { budget, clock, left, ask } = arena({ perMinute: 1 });
    ask(1);
    await clock.advance(0);
    clock.set(clock.now() + 3_600_000);
    ask(2);
    await clock.advance(MINUTE - 1);
    expect(ids(left)).toEqual([1]);
    await clock.advance(1);
    expect(ids(left)).toEqual([1, 2]);
    budget.pause(10_000);
    clock.set(clock.now() + 3_600_000);
    expect(budget.pausedUntil).toBe(clock.now() + 10_000);
  });

  test("takes up what the process before had used", async () => {
    const before = arena({ perMinute: 3, perMonth: 1_000_000 });
    for (const id of [1, 2]) before.ask(id);
    await before.clock.advance(20_000);
    const record = before.budget.record();
    const clock = new FakeClock(before.clock.now() + 10_000);
    const budget = new Budget({ perMinute: 3, perMonth: 1_000_000 }, clock, 8, record);

    expect(budget.snapshot()).toMatchObject({ usedLastMinute: 2, remaining: 1 });
    expect(budget.record().minute.map(({ at }) => clock.now() - at)).toEqual([30_000, 30_000]);
    expect(budget.record().month?.tokens).toBeCloseTo(
      Math.min(budget.snapshot().month?.capacity ?? 0, (record.month?.tokens ?? 0) + 10 * (1_000_000 / (31 * 86_400))),
      1,
    );
    await clock.advance(30_000);
    expect(budget.snapshot().usedLastMinute).toBe(0);
  });

  test("is not closed for longer by a record from the future", async () => {
    const clock = new FakeClock();
    const record = {
      minute: [{ at: clock.now() + 3_600_000, priority: 0 }],
      month: { tokens: 0, at: clock.now() + 3_600_000 },
    };
    const budget = new Budget({ perMinute: 1, perMonth: 1_000_000 }, clock, 8, record);
    expect(budget.snapshot().remaining).toBe(0);
    await clock.advance(MINUTE);
    expect(budget.snapshot().remaining).toBe(1);
    expect(budget.snapshot().month?.available).toBeGreaterThan(20);
  });

  test("never lets anything leave again when the month allows nothing more", async () => {
    const { clock, outcomes, ask, budget } = arena({ perMinute: 10, perMonth: 1 });
    ask(1);
    ask(2, 0, MONTH);

    await clock.advance(0);

    expect(outcomes.get(2)).toBe("budget");
    expect(budget.snapshot().month).toEqual({ limit: 1, capacity: 1, available: 0, usedSinceStart: 1 });
  });
});

const arrivals = fc.array(
  fc.record({
    gap: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20_000 })),
    priority: fc.integer({ min: 0, max: 3 }),
    patience: fc.option(fc.integer({ min: 0, max: 200_000 }), { nil: undefined }),
    abortAfter: fc.option(fc.integer({ min: 0, max: 90_000 }), { nil: undefined, freq: 6 }),
    pause: fc.option(fc.integer({ min: 1_000, max: 90_000 }), { nil: undefined, freq: 12 }),
  }),
  { maxLength: 40 },
);
const plan = fc.array(fc.double({ min: 0, max: 6, noNaN: true }), { maxLength: 4 });

describe("whatever arrives", () => {
  test("no minute sees more than the limit, everybody is served or refused, and order is kept", async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, fc.integer({ min: 1, max: 6 }), plan, async (script, perMinute, plannedPerMinute) => {
        const { clock, budget, left, outcomes, ask } = arena({ perMinute, plannedPerMinute });
        const asked: { priority: number; from: number; deadline: number }[] = [];
        const pauses: { after: number; until: number }[] = [];
        for (const [id, { gap, priority, patience, abortAfter, pause }] of script.entries()) {
          await clock.advance(gap);
          if (pause !== undefined) {
            budget.pause(pause);
            pauses.push({ after: left.length, until: clock.now() + pause });
          }
          const abort = ask(id, priority, patience);
          asked.push({ priority, from: clock.now(), deadline: clock.now() + (patience ?? Number.POSITIVE_INFINITY) });
          if (abortAfter !== undefined) {
            void clock.sleep(abortAfter).then(() => abort.abort(new Error("gone")));
          }
        }
        // Long enough for one a minute after the last pause.
        await clock.advance((script.length + 3) * MINUTE);

        expect(outcomes.size).toBe(script.length);
        expect(budget.snapshot()).toMatchObject({ waiting: 0, inFlight: 0 });
        expect(clock.sleepers).toBe(0);
        const times = left.map(({ at }) => at);
        expect(most(times, MINUTE)).toBeLessThanOrEqual(perMinute);
        for (const { id, at, priority } of left) {
          expect(at).toBeLessThan(asked[id]?.deadline ?? 0);
          const position = left.findIndex((other) => other.id === id);
          expect(pauses.filter(({ after, until }) => position >= after && at < until)).toEqual([]);
          const overtaken = left.slice(position + 1).filter((other) => {
            const came = asked[other.id]?.from ?? 0;
            return came < at && (other.priority < priority || (other.priority === priority && other.id < id));
          });
          expect(overtaken).toEqual([]);
        }
        const refusals = [...outcomes].filter(([, outcome]) => outcome === "budget" || outcome === "rate_limited");
        for (const [id] of refusals) expect(script[id]?.patience).toBeDefined();
      }),
      { numRuns: 150, seed: 20261121 },
    );
  });

  test("no 31 days see more than the limit of the month", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: MONTH / 6 }), { minLength: 5, maxLength: 30 }),
        fc.integer({ min: 2, max: 40 }),
        async (gaps, perMonth) => {
          const { clock, left, ask } = arena({ perMinute: 3, perMonth });
          for (const [burst, gap] of gaps.entries()) {
            for (let one = 0; one < 4; one += 1) ask(burst * 4 + one, one % 2);
            await clock.advance(gap);
          }
          await clock.advance(3 * MONTH);

          const times = left.map(({ at }) => at);
          expect(most(times, MONTH + 1)).toBeLessThanOrEqual(perMonth);
          expect(most(times, MINUTE)).toBeLessThanOrEqual(3);
        },
      ),
      { numRuns: 40, seed: 20261121 },
    );
  });
});
