// A day of an exchange in virtual time: 40 wallets with balances and waiting transactions, within the budget of a free
// key. How soon the waiting transactions are seen, and what that costs. The API is the simulator; the exporter runs in
// this process, with real requests.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Random } from "../../simulator/chain/random.ts";
import type { Tx } from "../../simulator/chain/transaction.ts";
import { startSimulator } from "../../simulator/server.ts";
import { confirmedGap } from "../../src/collectors/waiting/gap.ts";
import type { Observation } from "../../src/collectors/waiting/state.ts";
import { waiting } from "../../src/collectors/waiting/waiting.ts";
import { planOf } from "../../src/commands/estimate.ts";
import { loadConfigText } from "../../src/commands/load-config.ts";
import { StateFile } from "../../src/storage/state-file.ts";
import { createApp } from "../../test/support/app.ts";
import { VirtualClock } from "./virtual-clock.ts";

const START = Date.UTC(2026, 10, 21);
const HOUR = 3_600_000;
const MINUTES_OF_MONTH = 31 * 24 * 60;

/** The simulated day. */
export interface ExchangeOptions {
  readonly wallets: number;
  readonly hours: number;
  /** Withdrawals of a wallet in an hour, on average. */
  readonly perHour: number;
  /** Parts of the withdrawals that are underpaid, follow a missing nonce, or are dropped. The first are replaced. */
  readonly trouble: { readonly underpaid: number; readonly gaps: number; readonly dropped: number };
}

/** Delays in seconds, sorted. */
export type Delays = readonly number[];

export interface ExchangeDay {
  readonly withdrawals: number;
  /** From the receipt of a transaction to the poll that knows it, of those that a poll has known. */
  readonly seen: Delays;
  /** Withdrawals that waited for five minutes or more, and that no poll has known. */
  readonly missed: number;
  /** From the receipt of the first transaction behind a missing nonce to the metric. */
  readonly gaps: Delays;
  /** From the drop or the replacement to the counter. */
  readonly dropped: Delays;
  readonly replaced: Delays;
  readonly requests: number;
  readonly byOperation: Readonly<Record<string, number>>;
  /** Requests in 31 days: of the plan, quiet and busy, and of the collector as on this day. */
  readonly month: { readonly plan: readonly [number, number]; readonly measured: number };
}

const TROUBLED_MS = HOUR / 2;

/** Simulates a day. */
export async function simulateExchange(options: ExchangeOptions): Promise<ExchangeDay> {
  const clock = new VirtualClock(START);
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-bench-"));
  const random = new Random("exchange");
  const simulator = await startSimulator({
    seed: 24,
    history: 400,
    now: () => clock.now(),
    keepBlocks: 1_000_000,
    activity: 1 / 3,
  });
  const { chain } = simulator;
  const wallets = Array.from({ length: options.wallets }, (_, index) => chain.accounts.occasional(index));
  const seenAt = new Map<string, number>();
  const gapAt = new Map<string, number>();
  const removedAt = new Map<string, number>();
  const { samples } = waiting;
  waiting.samples = (observation, network, target) => {
    note(observation, target.key, clock.now());
    return samples(observation, network, target);
  };
  function note(observation: Observation, wallet: string, at: number): void {
    const keep = (times: Map<string, number>, key: string) => times.set(key, times.get(key) ?? at);
    for (const { id } of observation.known) keep(seenAt, id);
    const gap = confirmedGap(observation);
    if (gap !== undefined) keep(gapAt, `${wallet} ${gap.nonce}`);
    for (const [id, { as }] of Object.entries(observation.ended)) if (as !== "mined") keep(removedAt, id);
  }
  const sent: Tx[] = [];
  const later: { readonly at: number; readonly act: () => void }[] = [];
  const expected = {
    gaps: new Map<string, number>(),
    dropped: new Map<string, number>(),
    replaced: new Map<string, number>(),
  };
  function withdraw(): void {
    const wallet = random.pick(wallets);
    const draw = random.next();
    const { underpaid, gaps, dropped } = options.trouble;
    if (draw < underpaid) {
      const tx = send(wallet, { fee: 100 });
      then(() => {
        if (chain.mempool.get(tx.id) === undefined) return;
        expected.replaced.set(tx.id, clock.now());
        chain.replace(tx, 5000);
      });
    } else if (draw < underpaid + gaps) {
      const tx = send(wallet, { skip: 1 });
      expected.gaps.set(`${wallet} ${tx.nonce - 1}`, clock.now());
      then(() => chain.send(wallet, { nonce: tx.nonce - 1 }));
    } else if (draw < underpaid + gaps + dropped) {
      const tx = send(wallet, { fee: 100 });
      then(() => {
        if (chain.mempool.get(tx.id) === undefined) return;
        expected.dropped.set(tx.id, clock.now());
        chain.drop(tx);
        then(() => chain.send(wallet, { nonce: tx.nonce }));
      });
    } else send(wallet, {});
  }
  function send(wallet: string, how: Parameters<typeof chain.send>[1]): Tx {
    const tx = chain.send(wallet, how);
    sent.push(tx);
    return tx;
  }
  const then = (act: () => void) => later.push({ at: clock.now() + TROUBLED_MS, act });
  try {
    const config = configOf(simulator.url, wallets);
    const stateFile = new StateFile(join(folder, "state.db"), { log: { warn: () => undefined }, clock });
    const app = await createApp(config, undefined, { clock, stateFile });
    await app.start();
    // The first round reads every list.
    await clock.run(clock.now() + 2 * HOUR);
    const [before, countsBefore, from] = [simulator.log.total, simulator.log.counts(), clock.now()];
    const end = from + options.hours * HOUR;
    const perMs = (options.wallets * options.perHour) / HOUR;
    for (let next = from; next < end; ) {
      const step = Math.min(end, next + random.exponential(1 / perMs), ...later.map(({ at }) => at));
      await clock.run(step);
      simulator.advance(0);
      for (const due of later.filter(({ at }) => at <= step)) {
        later.splice(later.indexOf(due), 1);
        due.act();
      }
      if (step > next || step === end) withdraw();
      next = Math.max(step, next + 1);
    }
    const requests = simulator.log.total - before;
    const byOperation = Object.entries(simulator.log.counts()).map(
      ([key, count]) => [key, count - (countsBefore[key] ?? 0)] as const,
    );
    const stopped = app.stop();
    await clock.run(clock.now() + 10_000);
    await stopped;
    const delays = (from: ReadonlyMap<string, number>, to: ReadonlyMap<string, number>): Delays =>
      [...from].map(([key, at]) => ((to.get(key) ?? Number.POSITIVE_INFINITY) - at) / 1000).sort((a, b) => a - b);
    const receipts = new Map(sent.map(({ id, receivedAt }) => [id, receivedAt * 1000]));
    return {
      withdrawals: sent.length,
      seen: delays(new Map([...receipts].filter(([id]) => seenAt.has(id))), seenAt),
      missed: sent.filter(({ id, receivedAt }) => {
        const place = chain.ledger.placeOf(id);
        return !seenAt.has(id) && (place?.block.time ?? chain.now) - receivedAt >= 330;
      }).length,
      gaps: delays(expected.gaps, gapAt),
      dropped: delays(expected.dropped, removedAt),
      replaced: delays(expected.replaced, removedAt),
      requests,
      byOperation: Object.fromEntries(byOperation.filter(([, count]) => count > 0)),
      month: {
        plan: await plannedOf(config),
        measured: (ownRequests(byOperation) * MINUTES_OF_MONTH) / (options.hours * 60),
      },
    };
  } finally {
    waiting.samples = samples;
    await simulator.close();
    rmSync(folder, { recursive: true });
  }
}

/** The requests of the collector. */
function ownRequests(byOperation: readonly (readonly [string, number])[]): number {
  const isOwn = (key: string) => /principal\}\/(mempool|nonces)|transactions\/\{tx_id\} /.test(key);
  return byOperation.filter(([key]) => isOwn(key)).reduce((sum, [, count]) => sum + count, 0);
}

const configOf = (url: string, wallets: readonly string[]) => `listen: 127.0.0.1:0
networks:
  - name: m
    url: ${url}
    budget: free_key
    addresses:
${wallets.map((address) => `      - { address: ${address}, group: exchange, waiting: true, min_balance: { stx: 5000 STX } }`).join("\n")}
`;

/** Requests in 31 days: of quiet targets, and of busy ones. */
async function plannedOf(config: string): Promise<readonly [number, number]> {
  const loaded = await loadConfigText(config, "bench", {}, {});
  const [network] = planOf(loaded.config).networks;
  const { requestsPerMinute = Number.NaN, busyPerMinute = Number.NaN } = network ?? {};
  return [requestsPerMinute * MINUTES_OF_MONTH, (requestsPerMinute + busyPerMinute) * MINUTES_OF_MONTH];
}
