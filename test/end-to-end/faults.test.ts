// Every fault with every collector: the page stays available, the reason is counted, no wrong value is exposed, and
// recovery needs no restart.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Fault } from "../../simulator/faults/fault.ts";
import { startSimulator } from "../../simulator/server.ts";
import { REASONS } from "../../src/api/errors.ts";
import type { App } from "../../src/app.ts";
import { createApp, readPage } from "../support/app.ts";
import { until } from "../support/program.ts";

const COLLECTORS = ["fees", "mempool", "blocks"] as const;
const GAUGES = {
  fees: "stacks_mempool_fee_priority_microstx",
  mempool: "stacks_mempool_transactions",
  blocks: "stacks_chain_block_height",
} as const;

let simulator: Awaited<ReturnType<typeof startSimulator>>;
let app: App;

const config = (more = "", maxAge = "1m") => `
networks: [{ name: simulated, url: "${simulator.url}", budget: { per_minute: 1000, per_month: unlimited } }]
collectors:
  fees: { every: 2s, timeout: 2s, max_age: ${maxAge} }
  mempool: { every: 2s, timeout: 2s, max_age: ${maxAge} }
  blocks: { every: 2s, timeout: 2s, max_age: ${maxAge}${more} }
`;

beforeEach(async () => {
  simulator = await startSimulator({ seed: 3, history: 80 });
});
afterEach(async () => {
  await app.stop();
  await simulator.close();
});

/** The number of series of each family, as counted and as exposed. */
function seriesOf({ families }: Awaited<ReturnType<typeof readPage>>) {
  const names = [...families.values()].map(({ name, type }) => (type === "counter" ? `${name}_total` : name));
  return {
    counted: Object.fromEntries([...families.values()].map(({ samples }, index) => [names[index], samples.length])),
    reported: Object.fromEntries(
      (families.get("stacks_exporter_series")?.samples ?? []).map(({ labels, value }) => [
        new Map(labels).get("family"),
        value,
      ]),
    ),
  };
}

const CASES: readonly [Fault, keyof typeof REASONS][] = [
  [{ kind: "429", retryAfter: 1 }, "rate_limited"],
  [{ kind: "429", retryAfter: 1, asDate: true, body: "html" }, "rate_limited"],
  [{ kind: "500" }, "http_server"],
  [{ kind: "503" }, "http_server"],
  [{ kind: "status", status: 502, body: "html" }, "http_server"],
  [{ kind: "status", status: 403, body: "text" }, "unauthorized"],
  [{ kind: "status", status: 401, body: "empty" }, "unauthorized"],
  [{ kind: "status", status: 400, body: "text" }, "http_client"],
  [{ kind: "410" }, "gone"],
  [{ kind: "404" }, "not_found"],
  [{ kind: "slow-headers", seconds: 600 }, "timeout"],
  [{ kind: "slow-body", stalls: true, bytes: 10 }, "timeout"],
  [{ kind: "cut" }, "network"],
  [{ kind: "reset" }, "network"],
  [{ kind: "garbage", form: "text" }, "bad_body"],
  [{ kind: "garbage", form: "truncated" }, "bad_body"],
  [{ kind: "garbage", form: "html" }, "bad_body"],
  [{ kind: "garbage", form: "empty" }, "bad_body"],
  [{ kind: "wrong-shape", form: "other" }, "bad_body"],
  [{ kind: "wrong-shape", form: "list" }, "bad_body"],
  [{ kind: "wrong-shape", form: "strings" }, "bad_body"],
  [{ kind: "wrong-shape", form: "missing" }, "bad_body"],
  [{ kind: "huge", mebibytes: 17 }, "too_large"],
  [{ kind: "redirect", to: "other-host" }, "redirect"],
  [{ kind: "redirect", to: "same-host" }, "redirect"],
];

test.each(CASES)(
  "%j is counted as %s by every collector, exposes no wrong value, and passes",
  async (fault, reason) => {
    app = await createApp(config());
    // Timeouts are short here, and the machine may be busy.
    for (let tries = 0; tries < 10 && (await app.pollOnce()).length > 0; tries += 1);
    const good = await readPage(app);
    for (const collector of COLLECTORS) expect(good.families.has(GAUGES[collector])).toBe(true);

    // Something has changed since: a 304 has no body to corrupt.
    simulator.advance(30);
    simulator.faults.set(fault);
    await app.pollOnce();
    const bad = await readPage(app);

    expect(bad.value("stacks_up")).toBe(0);
    for (const collector of COLLECTORS) {
      const shown = (name: string, more = "") =>
        bad.value(`stacks_exporter_collector_${name} collector=${collector}${more}`);
      expect(shown("success")).toBe(0);
      const reasons = Object.keys(REASONS).filter((one) => (shown("failures_total", ` reason=${one}`) ?? 0) > 0);
      // The first 429 pauses all; and a retry can run into the deadline.
      expect([[reason], ["timeout"]]).toContainEqual(reasons);
      // Depends on the counted reason, because on a slow machine every fault can become a timeout.
      const [counted] = reasons;
      const state = counted === "gone" ? "retired" : counted === "rate_limited" ? "paused" : "degraded";
      expect(shown("state", ` state=${state}`)).toBe(1);
    }
    // The samples are those of before the fault.
    for (const collector of COLLECTORS) {
      expect(bad.families.get(GAUGES[collector])?.samples).toEqual(good.families.get(GAUGES[collector])?.samples);
    }

    simulator.faults.clear();
    await pauseIsOver(reason === "rate_limited");
    // After a failure one request tries the server again, at most 2 s later here.
    await until(async () => ((await app.pollOnce()).length === 0 ? true : undefined), "every poll to succeed");
    const after = await readPage(app);
    const { counted, reported } = seriesOf(after);
    expect(reported).toEqual(counted);
    expect(after.value("stacks_up")).toBe(1);
    for (const collector of COLLECTORS)
      expect(after.value(`stacks_exporter_collector_success collector=${collector}`)).toBe(1);
  },
);

/** Waits for the end of a pause, as the page reports it. */
async function pauseIsOver(isPaused: boolean): Promise<void> {
  if (!isPaused) return;
  for (;;) {
    const page = await readPage(app);
    const { counted, reported } = seriesOf(page);
    expect(reported).toEqual(counted);
    const end = page.value("stacks_exporter_upstream_pause_end_timestamp_seconds");
    if (end === undefined) return;
    await new Promise((resolve) => setTimeout(resolve, end * 1000 - Date.now() + 5));
  }
}

test("null is missing data where the API documents it, and a bad body elsewhere", async () => {
  app = await createApp(config());
  await app.pollOnce();
  simulator.faults.set({ kind: "wrong-shape", form: "nulls" });
  await app.pollOnce();
  const { families, value } = await readPage(app);

  expect(value("stacks_exporter_collector_failures_total collector=fees reason=bad_body")).toBe(1);
  expect(value("stacks_exporter_collector_failures_total collector=blocks reason=bad_body")).toBe(1);
  const drift = families.get("stacks_exporter_unexpected_payload")?.samples ?? [];
  expect(drift.length).toBeGreaterThan(0);
  for (const { labels } of drift) expect(["missing", "null", "type", "enum"]).toContain(labels.get("kind"));
});

test("in an outage gauges become absent, and counters stay", async () => {
  app = await createApp(config("", "2s"));
  await app.pollOnce();
  simulator.faults.set({ kind: "db-down" });
  await app.pollOnce();
  await until(async () => {
    const { families } = await readPage(app);
    return Object.values(GAUGES).some((gauge) => families.has(gauge)) ? undefined : true;
  }, "the values to expire");
  const { families, value } = await readPage(app);

  for (const gauge of Object.values(GAUGES)) expect(families.has(gauge)).toBe(false);
  for (const counter of ["stacks_chain_blocks", "stacks_chain_reorgs", "stacks_mempool_snapshots_changed"]) {
    expect(families.get(counter)?.samples.length).toBeGreaterThan(0);
  }
  expect(value("stacks_exporter_collector_last_success_timestamp_seconds collector=fees")).toBeGreaterThan(0);
});

test("no request is sent during a pause", async () => {
  app = await createApp(config());
  const first = simulator.requests.length;
  // Longer than any poll waits.
  simulator.faults.set({ kind: "429", retryAfter: 300 });
  await app.pollOnce();
  simulator.faults.clear();
  const before = simulator.requests.length;
  for (let poll = 0; poll < 5; poll += 1) await app.pollOnce();

  expect(simulator.requests.length).toBe(before);
  const { value } = await readPage(app);
  // One, or more when responses of running requests requested a longer pause.
  const pauses = value("stacks_exporter_upstream_pauses_total") ?? 0;
  expect(pauses).toBeGreaterThanOrEqual(1);
  expect(pauses).toBeLessThanOrEqual(before - first);
  expect(value("stacks_exporter_upstream_pause_end_timestamp_seconds")).toBeGreaterThan(Date.now() / 1000 + 20);
});

describe("when the API retires the old operations", () => {
  test("blocks continue with the list", async () => {
    app = await createApp(config());
    simulator.faults.set({ kind: "retired" });
    expect(await app.pollOnce()).toEqual([]);
    simulator.advance(60);
    expect(await app.pollOnce()).toEqual([]);

    const { value } = await readPage(app);
    expect(value("stacks_chain_block_height source=block")).toBe(simulator.chain.height);
    expect(value("stacks_chain_blocks_total")).toBeGreaterThan(2);
  });

  test("with `tip: probe` blocks use the replacement, and request the old operation once per poll until retired", async () => {
    app = await createApp(config(", tip: probe"));
    simulator.faults.set({ kind: "retired" });
    expect(await app.pollOnce()).toEqual([]);
    simulator.advance(60);
    expect(await app.pollOnce()).toEqual([]);

    const { value } = await readPage(app);
    expect(value("stacks_exporter_collector_state collector=blocks state=active")).toBe(1);
    expect(value("stacks_exporter_upstream_operation_retired operation=block_by_height")).toBe(0);
    expect(value("stacks_chain_block_height source=block")).toBe(simulator.chain.height);
    expect(simulator.requests.filter(({ path }) => path.includes("/block/by_height/"))).toHaveLength(2);
    expect(value("stacks_up")).toBe(1);
  });
});

test("an unchanged response is a 304, and counts as a success", async () => {
  await simulator.close();
  simulator = await startSimulator({ seed: 3, history: 80, now: () => 1_795_000_000_000 });
  app = await createApp(config());
  for (let poll = 0; poll < 3; poll += 1) expect(await app.pollOnce()).toEqual([]);
  const { value } = await readPage(app);

  for (const operation of ["mempool_fees", "mempool_stats", "blocks"]) {
    const responses = (code: string) =>
      value(`stacks_exporter_upstream_requests_total operation=${operation} code=${code}`) ?? 0;
    expect(responses("304")).toBeGreaterThanOrEqual(2);
    expect(responses("200")).toBeLessThanOrEqual(operation === "blocks" ? 4 : 1);
  }
});
