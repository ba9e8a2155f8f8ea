// The history of a chain against what the collectors count of it in polls.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { watchListOf } from "../../simulator/watch-list.ts";
import { createClient } from "../../src/api/client.ts";
import { systemClock } from "../../src/api/clock.ts";
import type { ChainView } from "../../src/collectors/chain/chain-view.ts";
import { type AnyCollector, targetsOf } from "../../src/collectors/collector.ts";
import { collectorOf } from "../../src/collectors/index.ts";
import type { NetworkConfig } from "../../src/config/config.ts";
import type { Family, Sample } from "../../src/exposition/family.ts";
import type { Past, Source } from "../../src/history/past.ts";
import { COLLECTORS_WITH_PAST, pastsOf } from "../../src/history/pasts.ts";
import { readPast } from "../../src/history/read.ts";
import { Spool } from "../../src/history/spool.ts";
import { configOf } from "../commands/fixture.ts";
import { START, stillSimulator } from "../simulator/support.ts";
import { observe } from "../support/observe.ts";

const CONFIRMATIONS = 4;

/** The samples of counters and histograms, without those that are 0 and those that a history does not have. */
function countersOf(samples: Iterable<Sample>, unknown: readonly Family[]): Record<string, string> {
  const counters: Record<string, string> = {};
  for (const { family, labels, value } of samples) {
    if (family.kind === "gauge" || unknown.includes(family)) continue;
    const text = JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? Number(part) : part));
    if (!/[1-9]/.test(text)) continue;
    counters[`${family.name} ${JSON.stringify(labels)}`] = text;
  }
  return counters;
}

const gaugesOf = (samples: Iterable<Sample>, unknown: readonly Family[]) =>
  Object.fromEntries(
    [...samples]
      .filter(({ family }) => family.kind === "gauge" && !unknown.includes(family))
      .map(({ family, labels, value }) => [`${family.name} ${JSON.stringify(labels)}`, value]),
  );

const RULES = [
  {
    metric: "vault_deposited_units_total",
    type: "counter",
    help: "Deposits.",
    match: [{ path: "value.event", equals: "deposit" }],
    value: { path: "value.amount" },
  },
];

async function networkWith(url: string, watch: object, settings: object = {}): Promise<NetworkConfig> {
  const network = {
    name: "simulated",
    url,
    confirmations: CONFIRMATIONS,
    budget: { per_minute: 100_000, per_month: "unlimited" },
    ...watch,
  };
  const details = ["histograms", "events", "costs", "post_conditions"];
  const collectors = { addresses: { details, max_assets: 1, ...settings } };
  const { networks } = await configOf(JSON.stringify({ networks: [network], collectors }));
  return networks[0] as NetworkConfig;
}

test.each([
  [1, {}],
  [2, { api: "v3" }],
  [3, { transfers: false }],
])("a history counts what polls count, at each of them: seed %i, %j", async (seed, settings) => {
  await using ends = new AsyncDisposableStack();
  const simulator = await stillSimulator({ seed, history: 30, activity: 0.4 });
  ends.defer(() => simulator.close());
  const { addresses, contracts } = watchListOf(simulator.chain.accounts);
  const watch = {
    addresses,
    contracts: contracts.map((contract, index) => ({ ...contract, ...(index === 0 ? { events: RULES } : {}) })),
  };
  const network = await networkWith(simulator.url, watch, settings);
  const client = createClient({
    baseUrl: simulator.url,
    userAgent: "test",
    budget: { perMinute: 1_000_000, perMonth: undefined },
  });
  ends.defer(() => client.close());
  const stop = new AbortController().signal;
  const api = () => client.forPoll({ priority: 0, signal: stop });

  // Polls of the daemon, every 20 to 300 seconds.
  interface Point {
    readonly tip: number;
    readonly samples: ReadonlyMap<string, readonly Sample[]>;
  }
  const points: Point[] = [];
  const known = new Map<string, unknown>();
  const pollAll = async (now: number) => {
    const samples = new Map<string, readonly Sample[]>();
    let chain: ChainView | undefined;
    for (const { name, options } of network.collectors) {
      if (!(COLLECTORS_WITH_PAST as readonly string[]).includes(name)) continue;
      const collector: AnyCollector = collectorOf(name);
      for (const target of targetsOf(collector, network, options)) {
        const key = `${name} ${target.key}`;
        const polled = await observe(collector, api(), known.get(key), {
          options: options as object,
          now,
          target,
          chain,
          isFollowed: true,
        });
        known.set(key, polled);
        chain = collector.chainView?.(polled) ?? chain;
        samples.set(key, [...collector.samples(polled, network.name, target)]);
      }
    }
    points.push({ tip: chain?.tipHeight ?? 0, samples });
  };
  let now = START;
  await pollAll(now * 1000);
  // Names of calls have series from the first poll on.
  const begun = points[0] as Point;
  for (let round = 0; round < 12; round += 1) {
    const seconds = 20 + ((round * 97) % 280);
    now += seconds;
    simulator.advance(seconds);
    await pollAll(now * 1000);
  }

  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-history-"));
  ends.defer(() => rmSync(folder, { recursive: true }));
  const spool = new Spool(folder, { warn: () => undefined });
  ends.defer(() => spool.close());
  const timeOf = (height: number) => simulator.chain.ledger.atHeight(height)?.time ?? 0;
  const range = { since: timeOf(1), until: now };
  const context = { open: api, spool, range, clock: systemClock, stop, onRead: () => undefined, note: () => undefined };
  let compared = 0;
  for (const past of await pastsOf(network, COLLECTORS_WITH_PAST)) {
    const source = (await readPast(past, context)) as Source;
    const replay = past.replay(source, spool);
    const key = keyOf(past, network);
    // The height up to which a poll has counted.
    const heightAt = ({ tip }: Point): number => {
      if (past.collector === "blocks") return tip;
      if (past.collector !== "contracts") return tip - CONFIRMATIONS + 1;
      // An event counts when the tip that listed it has its confirmations.
      const listed = points.filter((point) => point.tip <= tip - CONFIRMATIONS + 1).map((point) => point.tip);
      return Math.max(begun.tip, ...listed);
    };
    const rowsTo = (after: number, to: number) => spool.rows(replay.list, after, to, replay.additions);
    let at = timeOf(heightAt(begun));
    let state = replay.begin(rowsTo(at - past.lead, at), at);
    for (const point of points.slice(1)) {
      const to = timeOf(heightAt(point));
      if (to > at) state = replay.advance(state, rowsTo(at, to), to);
      at = Math.max(at, to);
      const polled = point.samples.get(key) ?? [];
      const expected = countersOf(polled, past.unknown);
      expect({ key, counters: countersOf(replay.samples(state), past.unknown) }).toEqual({ key, counters: expected });
      compared += Object.keys(expected).length;
      if (past.collector === "blocks") {
        expect(gaugesOf(replay.samples(state), past.unknown)).toEqual(gaugesOf(polled, past.unknown));
      }
    }
  }
  expect(compared).toBeGreaterThan(500);
});

/** The key of the target's polls. */
function keyOf({ collector, name }: Past, { addresses, contracts }: NetworkConfig): string {
  const watched = [...addresses, ...contracts].find((one) => name.endsWith(` ${one.name}`));
  return `${collector} ${watched?.principal ?? ""}`;
}

test("every family of a collector with a past is in it, or is known to be missing", async () => {
  const network = await networkWith("https://m", {
    addresses: [{ address: "SP000000000000000000002Q6VF78" }],
    contracts: [{ contract_id: "SP000000000000000000002Q6VF78.pox-4" }],
  });
  const pasts = await pastsOf(network, COLLECTORS_WITH_PAST);

  expect(pasts.map(({ collector }) => collector)).toEqual([...COLLECTORS_WITH_PAST]);
  for (const { collector, unknown } of pasts) {
    expect(collectorOf(collector).families).toEqual(expect.arrayContaining([...unknown]));
  }
});
