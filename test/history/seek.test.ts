import { expect, test } from "@jest/globals";
import { pointAfter } from "../../src/history/seek.ts";

/** A chain whose blocks take 5 s in even hours and 60 s in odd ones, with an outage of two days. */
function chainOf(seconds: number) {
  const times: number[] = [];
  for (let at = 0; at < seconds; ) {
    times.push(at);
    at += times.length === 5000 ? 172_800 : Math.floor(at / 3600) % 2 === 0 ? 5 : 60;
  }
  const tip = { height: times.length - 1, at: times.at(-1) ?? 0 };
  let requests = 0;
  const pointAt = async (height: number) => {
    requests += 1;
    const at = times[height];
    return at === undefined ? undefined : { height, at };
  };
  return { tip, pointAt, requests: () => requests };
}

test.each([0.02, 0.1, 0.35, 0.5, 0.77, 0.95])("the point at %d of a chain is found with few requests", async (part) => {
  const { tip, pointAt, requests } = chainOf(20 * 86_400);
  const time = Math.floor(tip.at * part);

  const point = await pointAfter(time, tip, pointAt);

  expect(point?.at).toBeGreaterThan(time);
  expect((point?.at ?? 0) - time).toBeLessThan(0.2 * tip.at);
  expect(requests()).toBeLessThanOrEqual(10);
});

test("a time near the tip needs no request", async () => {
  const { tip, pointAt, requests } = chainOf(86_400);

  expect(await pointAfter(tip.at - 3000, tip, pointAt)).toBeUndefined();
  expect(await pointAfter(tip.at + 3000, tip, pointAt)).toBeUndefined();
  expect(requests()).toBe(0);
});

test("a time before the chain ends the search", async () => {
  const { tip, pointAt, requests } = chainOf(86_400);

  expect((await pointAfter(-1e9, tip, pointAt))?.height).toBe(1);
  expect(requests()).toBeLessThanOrEqual(10);
});
