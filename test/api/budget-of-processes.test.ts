// An exporter and commands on one server: what an HTTP server receives, over kills and restarts.
import { expect, test } from "@jest/globals";
import type { BudgetRecord } from "../../src/api/budget.ts";
import { commandsPart, exporterPart, type WindowLimits } from "../../src/api/budget-limits.ts";
import { createClient } from "../../src/api/client.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { NONE, stats } from "./fixture.ts";
import { json, ScriptedServer } from "./scripted-server.ts";

const SECOND = 1000;

test.each([2, 4, 10])("a server receives no more than %i requests in any 60 s", async (perMinute) => {
  const server = await ScriptedServer.start(json({ count: 1 }));
  const clock = new FakeClock();
  const received: number[] = [];
  const processes: AsyncDisposable[] = [];
  const start = (budget: WindowLimits, saved: BudgetRecord | undefined) => {
    let record = saved;
    const client = createClient({
      baseUrl: server.url,
      userAgent: "stacks-exporter/0.0.0",
      budget,
      clock,
      used: saved,
      save: (next) => {
        record = next;
      },
    });
    processes.push({ [Symbol.asyncDispose]: () => client.close() });
    const { signal } = new AbortController();
    return {
      // A poll that cannot be sent now fails.
      poll: () =>
        client
          .forPoll({ priority: 0, signal, deadline: clock.now() + 1 })
          .getWhole(stats, NONE)
          .catch(() => undefined),
      saved: () => record,
    };
  };
  let exporter = start(exporterPart({ perMinute }), undefined);
  let command = start(commandsPart({ perMinute }), undefined);
  for (let second = 0; second < 300; second += 1) {
    const before = server.seen.length;
    await exporter.poll();
    await command.poll();
    if (second % 3 === 0) await exporter.poll();
    for (let one = before; one < server.seen.length; one += 1) received.push(clock.now());
    // Killed: only what is saved is known.
    if (second % 17 === 0) exporter = start(exporterPart({ perMinute }), exporter.saved());
    if (second % 5 === 0) command = start(commandsPart({ perMinute }), command.saved());
    await clock.advance(SECOND);
  }

  const busiest = Math.max(
    ...received.map((from) => received.filter((at) => at >= from && at < from + 60 * SECOND).length),
  );
  // A full window of both: the budget is used, and not exceeded.
  expect(busiest).toBe(perMinute);
  expect(received.length).toBeGreaterThan(4 * perMinute);
  for (const process of processes) await process[Symbol.asyncDispose]();
  await server.close();
});
