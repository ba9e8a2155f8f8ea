import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, test } from "@jest/globals";
import { minute } from "../../src/api/budget.ts";
import { turn } from "../support/fake-clock.ts";
import { Fixture, NONE, stats } from "./fixture.ts";
import { json } from "./scripted-server.ts";

test("the server never receives 11 requests in a minute, when a slow connection delays the first by 30 s", async () => {
  const arrivals: number[] = [];
  await using server = await Fixture.start([
    (response, request) => {
      arrivals.push(f.clock.now());
      json({ count: 1 })(response, request);
    },
  ]);
  const slow = Promise.withResolvers<void>();
  const pending = [slow.promise];
  const relay = createServer(async (socket) => {
    await pending.pop();
    socket.pipe(connect(server.server.port, "127.0.0.1")).pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(relay, "listening");
  const baseUrl = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
  await using f = await Fixture.start([], { baseUrl, budget: { perMinute: 10 }, connections: 20 });
  const responses = Promise.all(Array.from({ length: 30 }, () => f.api(600_000).get(stats, NONE)));
  while (arrivals.length < 9) await turn();
  await f.clock.advance(30_000);
  slow.resolve();
  await f.clock.until(responses, 120_000, 50, () => arrivals.length);

  expect(arrivals).toHaveLength(30);
  for (const from of arrivals) {
    expect(arrivals.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(10);
  }
  relay.close();
});

test("what a priority uses beyond its plan is not taken from the reserve of another", () => {
  const none = { ended: [], inFlight: 0 };
  const sent = [none, none, { ended: Array.from({ length: 12 }, () => 0), inFlight: 0 }];

  expect(minute(30, [5, 5, 5], sent, 1, 5).room).toBe(30 - 5 - 5 - 12 - 5);
  expect(minute(30, [5, 5, 5], sent, 1, 0).room).toBe(30 - 12);
});

test("a priority that begins with more than its plan can send its plan in the same minute beside a lower one", () => {
  const first = Array.from({ length: 20 }, () => 0);
  const second: number[] = [];
  const sent = [[], first, second].map((ended) => ({ ended, inFlight: 0 }));
  const room = (now: number, priority: number) => minute(60, [0, 6], sent, now, priority).room;
  let seconds = 0;
  for (let now = 1000; now < 120_000; now += 1000) {
    for (const list of [first, second]) while ((list[0] ?? now) + 60_000 <= now) list.shift();
    for (; room(now, 2) > 0; seconds += 1) second.push(now);
    if (now % 10_000 > 0) continue;
    expect([now, room(now, 1) > 0]).toEqual([now, true]);
    first.push(now);
  }
  // The lower one gets the rest.
  expect(seconds).toBeGreaterThan(80);
});
