import { expect, test } from "@jest/globals";
import { play, scoreEstimates } from "../../tools/evaluation/estimates.ts";
import { WORLD } from "../../tools/evaluation/world.ts";

// A day with a rush.
const WITH_RUSH = { ...WORLD, rush: { ...WORLD.rush, perFourWeeks: 56 } };

test("most transactions that pay the estimate are mined in time, with room and without", () => {
  const played = play("checking-1", "large", 1, WITH_RUSH);

  const { "10m": soon, "1h": later } = scoreEstimates(played, { every: 300, behind: 150, useFactor: 1 });

  for (const { full, room, overpayment, polls, absent } of [soon, later]) {
    expect(full.all).toBeGreaterThan(50);
    expect(room.all).toBeGreaterThan(500);
    expect(full.inTime / full.all).toBeGreaterThan(0.8);
    expect(room.inTime / room.all).toBeGreaterThan(0.95);
    expect(overpayment.length).toBeGreaterThan(3);
    expect(polls).toBeGreaterThan(40);
    expect(absent).toBe(0);
  }
});

test("an estimate of old transactions is worse", () => {
  const played = play("checking-1", "large", 1, WITH_RUSH);

  const { full: old } = scoreEstimates(played, { every: 1800, behind: 900, useFactor: 1 })["10m"];
  const { full: fresh } = scoreEstimates(played, { every: 60, behind: 0, useFactor: 1 })["10m"];

  expect(old.inTime / old.all).toBeLessThan(fresh.inTime / fresh.all - 0.05);
});
