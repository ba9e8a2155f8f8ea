import { expect, test } from "@jest/globals";
import { Incidents } from "../../src/telemetry/incidents.ts";
import { fakeTask } from "../support/fake-task.ts";

test("everything about a network can be forgotten", () => {
  const incidents = new Incidents();
  const [gone, other] = [fakeTask(async () => 0, { network: "a" }), fakeTask(async () => 0, { network: "ab" })];
  incidents.add(gone, "network");
  incidents.add(other, "network");
  incidents.hold({}, "a/second", "rate_limited");
  incidents.remove("a");

  expect(incidents.end(gone)).toBeUndefined();
  expect(incidents.add(gone, "network")).toBe(true);
  expect(incidents.hold({}, "a/second", "rate_limited")).toBe(true);
  expect(incidents.end(other)).toEqual({ reason: "network" });
});
