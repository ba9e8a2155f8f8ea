import { expect, test } from "@jest/globals";
import { playTrace } from "../../tools/evaluation/trace.ts";
import { truthOf } from "../../tools/evaluation/truth.ts";
import { WORLD, type World } from "../../tools/evaluation/world.ts";

const INCIDENTS = ["rush", "flash", "surge", "flood", "whale", "stuck", "shift", "outage"] as const;

/** The world with nothing but these incidents, as often as given. */
function only(often: Partial<Record<(typeof INCIDENTS)[number], number>>): World {
  const changed = INCIDENTS.map((kind) => [kind, { ...WORLD[kind], perFourWeeks: often[kind] ?? 0 }]);
  return { ...WORLD, ...(Object.fromEntries(changed) as Pick<World, (typeof INCIDENTS)[number]>) };
}

test("a trace is the same again, and another one with another seed or regime", () => {
  const trace = playTrace("test", "small", 2);

  expect(playTrace("test", "small", 2)).toEqual(trace);
  expect(playTrace("other", "small", 2).server.low).not.toEqual(trace.server.low);
  expect(playTrace("test", "large", 2).server.low).not.toEqual(trace.server.low);
});

test.each([
  ["none", 5],
  ["small", 26],
  ["large", 188],
] as const)("without incidents there is no event, and the pool has its usual size: %s", (regime, usual) => {
  const { price, server, minutes } = playTrace("calm", regime, 4, only({}));

  expect(truthOf(price).events).toEqual([]);
  expect(Math.abs((server.waiting.toSorted()[minutes / 2] ?? 0) - usual) / usual).toBeLessThan(0.35);
});

test("a rush is an event, because events are defined by the price to be mined, not by the injected incident", () => {
  const { price, needed, incidents } = playTrace("rush", "small", 4, only({ rush: 28 }));
  const { events } = truthOf(price);

  expect(events.length).toBeGreaterThanOrEqual(1);
  for (const { from, until } of events) {
    expect(incidents.some((rush) => rush.from / 60 < until && rush.until / 60 + 180 > from)).toBe(true);
  }
  // What has to be paid is expensive in the same times, or shorter.
  for (const { from, until } of truthOf(needed).events)
    expect(events.some((event) => event.from < until && event.until + 10 > from)).toBe(true);
});

test("a cluster of stuck transactions lifts every percentile, and is not an event", () => {
  const { price, incidents, server } = playTrace("stuck", "small", 4, only({ stuck: 28 }));
  const { from, until } = incidents[0] ?? { from: 0, until: 0 };

  expect(server.low[Math.floor((from + until) / 120)]).toBeGreaterThan(100_000);
  expect(truthOf(price).events).toEqual([]);
});
