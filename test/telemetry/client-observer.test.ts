import { beforeEach, expect, test } from "@jest/globals";
import type { Observer } from "../../src/api/outages.ts";
import { clientObserver, Incidents } from "../../src/telemetry/incidents.ts";
import { Instruments } from "../../src/telemetry/self-metrics.ts";
import { fakeTask } from "../support/fake-task.ts";

const NOON = Date.UTC(2026, 10, 22, 12);
const SINCE = new Date(NOON).toISOString();
const cause = { reason: "network", message: "ECONNREFUSED 127.0.0.1:3999: no connection" } as const;
const whole = { since: NOON, ...cause };
const task = fakeTask(async () => 0, { network: "mainnet" });

let lines: unknown[];
let instruments: Instruments;
let incidents: Incidents;
let now: number;
let observer: Observer;

beforeEach(() => {
  lines = [];
  incidents = new Incidents();
  now = NOON;
  const say = (level: string) => (fields: object, message: string) => lines.push([level, message, fields]);
  instruments = new Instruments();
  observer = clientObserver({
    ...{ network: "mainnet", instruments, incidents },
    log: { debug: () => undefined, info: say("info"), warn: say("warn") },
    clock: { now: () => now },
    fields: { network: "mainnet" },
    upstream: "default",
    onRecovered: () => lines.push("retried"),
  });
});

const request = (code: string) => observer.onRequest?.("block", code);

test("an outage is logged once at its start and once at its end", () => {
  observer.onOutage?.(whole);
  now += 660_000;
  observer.onOutage?.(undefined);

  const began = { network: "mainnet", since: SINCE, reason: "network", error: cause.message };
  expect(lines).toEqual([
    ["warn", "the API does not respond; a single request probes it from time to time", began],
    ["info", "the API responds again", { network: "mainnet", reason: "network", downSeconds: 660 }],
    "retried",
  ]);
});

test("an outage is logged although a poll has failed for its reason, and that poll recovers with it", () => {
  expect(incidents.begin(task, "network default")).toBe(true);
  observer.onOutage?.(whole);
  observer.onOutage?.(undefined);

  expect(lines).toHaveLength(3);
  expect(incidents.end(task)).toBeUndefined();
});

test("polls that fail for an outage that is logged already are not a new incident", () => {
  observer.onOutage?.(whole);

  expect(incidents.begin(task, "network default")).toBe(false);
  expect(incidents.begin(task, "gone default")).toBe(true);
});

test("a pause is logged with its end", () => {
  observer.onPause?.(NOON + 60_000);

  const message = "the API requested a pause (429); no request is sent before the end of the pause";
  const facts = { network: "mainnet", reason: "rate_limited", until: "2026-11-22T12:01:00.000Z" };
  expect(lines).toEqual([["warn", message, facts]]);
});

test("events are counted", async () => {
  const operation = "block";
  request("200");
  request("timeout");
  observer.onPause?.(NOON + 60_000);
  observer.onDrift?.(operation, "hash", "missing");

  const samples = (await instruments.samples()).map(({ family, labels, value }) => [family.name, labels, value]);
  const labels = { network: "mainnet", operation };
  expect(samples).toEqual(
    expect.arrayContaining([
      ["stacks_exporter_upstream_requests_total", { ...labels, code: "200" }, 1],
      ["stacks_exporter_upstream_requests_total", { ...labels, code: "timeout" }, 1],
      ["stacks_exporter_upstream_pauses_total", { network: "mainnet" }, 1],
      ["stacks_exporter_unexpected_payload_total", { ...labels, field: "hash", kind: "missing" }, 1],
    ]),
  );
});
