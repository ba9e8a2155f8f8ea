// Several exporters share a watch list: they are killed, and their number changes. Prometheus scrapes all of them, and
// its sums are compared with the expected totals.
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { OCCASIONAL_ACCOUNTS } from "../../simulator/chain/accounts.ts";
import type { Chain } from "../../simulator/chain/chain.ts";
import { canonicalTransactions } from "../../simulator/chain/expected-totals.ts";
import type { Tx } from "../../simulator/chain/transaction.ts";
import { startSimulator } from "../../simulator/server.ts";
import { sum } from "../../src/api/budget-limits.ts";
import { freeAddress, startDaemon } from "./daemon.ts";
import { differences, totalsOf } from "./expected-totals.ts";
import { type Running, start } from "./program.ts";

const CONFIRMATIONS = 3;
const SAMPLED = 100;
/** Timeout for the sums, on a busy machine. Seconds. */
const PATIENCE = 2700;

const COUNTERS = [
  "stacks_address_transactions_total",
  "stacks_address_received_microstx_total",
  "stacks_address_sent_microstx_total",
  "stacks_address_fees_paid_microstx_total",
] as const;
/** The five families that an allow list exposes. The first one is 1 for each address that was polled. */
const FAMILIES = ["stacks_address_info", ...COUNTERS] as const;

/** Options of a run. */
export interface ShardLoopOptions {
  readonly addresses: number;
  /** Blocks before the start. */
  readonly history: number;
  /** Interval of the collector addresses. @default 10 */
  readonly everySeconds?: number;
  /** Exposes five families of the addresses only. @default false */
  readonly isAllowed?: boolean;
  /** Interval and timeout of the scrapes. @default 2 */
  readonly scrapeSeconds?: number;
}

/** The result. */
export interface ShardLoop {
  readonly addresses: number;
  /**
   * Seconds until every address was polled and the totals were right: at first, after a kill of each shard, and with
   * the new number of shards.
   */
  readonly seconds: readonly number[];
  /** The sums of Prometheus at the end, and the expected ones. */
  readonly found: Sums;
  readonly expected: Sums;
  /** Each shard when the totals were right: memory (MB), bytes of its page, and series on it. */
  readonly shards: readonly (readonly { readonly rssMb: number; readonly bytes: number; readonly series: number }[])[];
  /** Requests to the simulated API until the totals were right. */
  readonly requests: readonly number[];
  readonly faults: readonly string[];
}

function partiesOf({ sender, sponsor, payload, events }: Tx): ReadonlySet<string> {
  const called = payload.type === "token_transfer" ? payload.recipient : "contract" in payload ? payload.contract : "";
  const moved = events.flatMap((event) => (event.kind === "print" ? [] : [event.sender ?? "", event.recipient ?? ""]));
  return new Set([sender, sponsor ?? "", called, ...moved]);
}

/** Totals over the watched addresses, by family; amounts in microSTX. */
type Sums = Readonly<Record<(typeof FAMILIES)[number], number>>;

/** The sums up to a height: a transaction counts once for each watched party. */
function expectedSums(chain: Chain, watched: ReadonlySet<string>, to: number): Sums {
  let transactions = 0;
  let [received, sent, fees] = [0n, 0n, 0n];
  for (const { tx, block } of canonicalTransactions(chain)) {
    if (block.height > to) continue;
    for (const party of partiesOf(tx)) if (watched.has(party)) transactions += 1;
    if (watched.has(tx.sponsor ?? tx.sender)) fees += BigInt(tx.fee);
    for (const event of tx.events) {
      if (event.kind !== "stx") continue;
      if (watched.has(event.sender ?? "")) sent += event.amount;
      if (watched.has(event.recipient ?? "")) received += event.amount;
    }
  }
  return {
    stacks_address_info: watched.size,
    stacks_address_transactions_total: transactions,
    stacks_address_received_microstx_total: Number(received),
    stacks_address_sent_microstx_total: Number(sent + fees),
    stacks_address_fees_paid_microstx_total: Number(fees),
  };
}

/** Runs the program at `main` in 4 shards, and then in 6. */
export async function shardLoop(main: string, options: ShardLoopOptions): Promise<ShardLoop> {
  const { addresses, history, everySeconds = 10, isAllowed = false, scrapeSeconds = 2 } = options;
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-shards-"));
  let virtual = Date.now();
  const simulator = await startSimulator({ seed: 1, history, now: () => virtual, keepBlocks: 1_000_000 });
  const { chain } = simulator;
  const { users, sponsor, contracts, occasional, unused } = chain.accounts;
  const steady = [...users, sponsor, ...Object.values(contracts)];
  const watched = new Set(steady);
  for (let index = 0; watched.size < addresses; index += 1) {
    watched.add(index < OCCASIONAL_ACCOUNTS ? occasional(index) : unused(index));
  }
  const list = join(folder, "list.txt");
  writeFileSync(list, [...watched].join("\n"));
  const listens = await Promise.all(Array.from({ length: 6 }, freeAddress));
  const faults: string[] = [];
  const seconds: number[] = [];
  const requests: number[] = [];
  const shards: ShardLoop["shards"][number][] = [];
  const running: Running[] = [];

  const startShard = async (index: number, count: number) => {
    const file = join(folder, `shard-${index}.yaml`);
    writeFileSync(
      file,
      `listen: ${listens[index]}
state: { path: ${join(folder, `shard-${index}.db`)} }
shard: { index: ${index}, count: ${count} }
networks:
  - name: simulated
    url: ${simulator.url}
    confirmations: ${CONFIRMATIONS}
    budget: { per_minute: 100000, per_month: unlimited }
    address_files: [list.txt]
collectors:
  fees: { enabled: false }
  mempool: { enabled: false }
  mempool_transactions: { enabled: false }
  blocks: { every: 1s, timeout: 1s, catch_up: 1000 }
  transactions: { every: 1s, timeout: 1s }
  addresses: { every: ${everySeconds}s, timeout: 10s, backfill: all }
${isAllowed ? `metrics: { allow: [process_resident_memory_bytes, ${FAMILIES}] }\n` : ""}`,
    );
    const program = start(["--config", file], {}, { main });
    running[index] = program;
    await program.says(/"listening"/);
  };
  const end = async (index: number, signal: NodeJS.Signals) => {
    running[index]?.child.kill(signal);
    await running[index]?.finished;
  };
  const startAll = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => startShard(index, count)));
  const grow = () => {
    virtual += 120_000;
    simulator.advance(0);
  };

  const scraped = { job_name: "stacks", static_configs: [{ targets: listens }] };
  const config = join(folder, "prometheus.yml");
  writeFileSync(
    config,
    JSON.stringify({
      global: { scrape_interval: `${scrapeSeconds}s`, scrape_timeout: `${scrapeSeconds}s` },
      scrape_configs: [scraped],
    }),
  );
  const prometheus = await startDaemon("prometheus", [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
  ]);
  const query = async (expr: string): Promise<number> => {
    const response = await fetch(`${prometheus.url}/api/v1/query?${new URLSearchParams({ query: expr })}`);
    const { data } = (await response.json()) as { data: { result: readonly { value: [number, string] }[] } };
    return Number(data.result[0]?.value[1] ?? 0);
  };
  const sums = async () => {
    const found = await Promise.all(FAMILIES.map(async (name) => [name, await query(`sum(${name})`)] as const));
    return Object.fromEntries(found) as Sums;
  };
  const confirmed = () => (chain.ledger.tip?.height ?? 0) - CONFIRMATIONS + 1;
  const untilRight = async (count: number, what: string) => {
    const begin = Date.now();
    const expected = expectedSums(chain, watched, confirmed());
    let found = await sums();
    while (!isDeepStrictEqual(found, expected) && Date.now() - begin < PATIENCE * 1000) {
      await sleep(1000);
      found = await sums();
    }
    seconds.push(Math.round((Date.now() - begin) / 1000));
    requests.push(simulator.log.total - sum(requests));
    for (const name of FAMILIES) {
      if (found[name] !== expected[name]) {
        faults.push(`${what}: Prometheus has ${found[name]} of ${name}, expected ${expected[name]}`);
      }
    }
    const pages = await Promise.all(
      listens.slice(0, count).map(async (listen) => (await fetch(`http://${listen}/metrics`)).text()),
    );
    shards.push(
      pages.map((page) => ({
        rssMb: Math.round(Number(/^process_resident_memory_bytes (\S+)/m.exec(page)?.[1]) / 1e6),
        bytes: Buffer.byteLength(page),
        series: page.split("\n").filter((line) => /^[a-z]/.test(line)).length,
      })),
    );
    const sample = new Set([...steady, ...[...watched].slice(0, SAMPLED)]);
    const isSampled = (line: string) => line.startsWith("#") || sample.has(/address="([^"]*)"/.exec(line)?.[1] ?? "");
    const totals = new Map(
      pages.flatMap((page) => [...totalsOf(`${page.split("\n").filter(isSampled).join("\n")}\n`)]),
    );
    const wrong = differences(totals, chain, [...sample], confirmed()).filter(
      (one) => !isAllowed || COUNTERS.some((name) => one.startsWith(`${name} `)),
    );
    faults.push(...wrong.map((one) => `${what}: ${one}`));
  };

  try {
    await startAll(4);
    await untilRight(4, "at first");
    for (const index of [0, 1, 2, 3]) {
      grow();
      await sleep(500);
      await end(index, "SIGKILL");
      await startShard(index, 4);
    }
    await untilRight(4, "after the kills");
    await Promise.all([0, 1, 2, 3].map((index) => end(index, "SIGTERM")));
    grow();
    mkdirSync(join(folder, "next"));
    const old = [0, 1, 2, 3].map((index) => join(folder, `shard-${index}.db`));
    const resharded = start(["reshard", "--count", "6", "--out", join(folder, "next"), ...old], {}, { main });
    const { code, err } = await resharded.finished;
    if (code !== 0) faults.push(`reshard: ${err}`);
    for (const index of [0, 1, 2, 3, 4, 5]) {
      for (const suffix of ["-wal", "-shm"]) rmSync(join(folder, `shard-${index}.db${suffix}`), { force: true });
      renameSync(join(folder, "next", `shard-${index}.db`), join(folder, `shard-${index}.db`));
    }
    await startAll(6);
    await untilRight(6, "in 6 shards");
    const expected = expectedSums(chain, watched, confirmed());
    return { addresses: watched.size, seconds, requests, found: await sums(), expected, shards, faults };
  } finally {
    await Promise.all(running.map((_, index) => end(index, "SIGTERM")));
    await prometheus.stop();
    await simulator.close();
    rmSync(folder, { recursive: true });
  }
}
