// npm run compare [commit] [seeds]: runs the exporter of a commit (default: 40da7cc) and the present one side by side
// on simulated chains with forks, replicas and restarts (default: 20 seeds), and compares the counters of the families
// that both have. The chain stands still while they poll, so that both see the same.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Chain } from "../simulator/chain/chain.ts";
import { countPrints, expectedCalls } from "../simulator/chain/expected-totals.ts";
import { Random } from "../simulator/chain/random.ts";
import type { ReplicaSpec } from "../simulator/replicas/replica.ts";
import { startSimulator, type Upstream } from "../simulator/server.ts";
import { watchListOf } from "../simulator/watch-list.ts";
import { differences } from "../test/support/expected-totals.ts";
import { Page } from "../test/support/page.ts";
import { parseExposition } from "../test/support/parser.ts";
import { type Serving, serve, until } from "../test/support/program.ts";

const [commit = "40da7cc", seeds = "20"] = process.argv.slice(2);
const CONFIRMATIONS = 3;
const STEPS = 12;
const BEHIND_MS = 3_000;
const SUCCESS = "stacks_exporter_collector_last_success_timestamp_seconds";
const HISTORY_SECONDS = 12 * 3600;
const OWN = /^(stacks_exporter|process|nodejs)_/;
const root = fileURLToPath(new URL("..", import.meta.url));

type Counters = ReadonlyMap<string, string>;

/** An exporter that polls one address of the simulator. */
class Side {
  readonly upstream: Upstream;
  readonly #args: readonly string[];
  readonly #main: string;
  #serving: Serving | undefined;

  constructor(folder: string, main: string, upstream: Upstream, network: object) {
    this.upstream = upstream;
    this.#main = main;
    const config = join(folder, "config.yaml");
    const every = { every: "2s", timeout: "2s" };
    const collectors = {
      ...Object.fromEntries(["fees", "mempool", "mempool_transactions"].map((name) => [name, { enabled: false }])),
      blocks: { ...every, catch_up: 1000 },
      ...{ addresses: every, contracts: every, contract_calls: every, transactions: every },
    };
    const networks = [{ name: "simulated", url: upstream.url, confirmations: CONFIRMATIONS, ...network }];
    // YAML contains JSON.
    writeFileSync(config, JSON.stringify({ state: { path: join(folder, "state.db") }, networks, collectors }));
    this.#args = ["--config", config];
  }

  async start(): Promise<void> {
    this.#serving = await serve(this.#args, {}, { main: this.#main });
    await this.#serving.ready();
  }

  async kill(): Promise<void> {
    this.#serving?.child.kill("SIGKILL");
    await this.#serving?.finished;
  }

  /** The page without histograms, which only earlier commits have. */
  async page(): Promise<string> {
    const families = (await this.#serving?.page())?.split(/^(?=# HELP )/m) ?? [];
    return families.filter((family) => !/^# TYPE \S+ histogram$/m.test(family)).join("");
  }

  /** Waits for a poll of each target that has begun from now on. */
  async polled(): Promise<void> {
    // A poll that is under way ends before its timeout.
    const from = Date.now() / 1000 + 2;
    await until(async () => {
      const families = parseExposition(await this.page(), "classic");
      const times = families.find(({ name }) => name === SUCCESS)?.samples ?? [];
      return times.every(({ value }) => value > from) ? true : undefined;
    }, "polls");
  }
}

/** Texts of values by series. */
function countersOf(page: string): Counters {
  const families = parseExposition(page, "classic").filter(({ type, name }) => type === "counter" && !OWN.test(name));
  const labelsOf = (labels: ReadonlyMap<string, string>) => [...labels].map(([label, value]) => `${label}="${value}"`);
  const samples = families.flatMap((family) => family.samples);
  return new Map(samples.map(({ name, labels, text }) => [`${name}{${labelsOf(labels).sort()}}`, text]));
}

/** The totals of a page that differ from those of the blocks above `from` and up to `to`. */
function wrongOf(page: string, chain: Chain, from: number, to: number): readonly string[] {
  const shown = new Page(page, "classic");
  const { addresses, contracts } = watchListOf(chain.accounts);
  const principals = addresses.map(({ address }) => address);
  const expected = contracts.flatMap(({ contract_id: id }): [string, Readonly<Record<string, string>>, number][] => [
    ["stacks_contract_events_total", { contract_id: id }, countPrints(chain, id, to) - countPrints(chain, id, from)],
    ...Object.entries(expectedCalls(chain, id, from + 1, to).calls).map(([key, count]) => {
      const [name = "", tx_status = ""] = key.split(" ");
      const labels = { contract_id: id, function: name, tx_status };
      return ["stacks_contract_calls_total", labels, count] as [string, Readonly<Record<string, string>>, number];
    }),
  ]);
  const mined = chain.ledger.blocks.filter(({ height }) => height > from && height <= to).flatMap(({ txs }) => txs);
  expected.push(["stacks_chain_mined_transactions_total", {}, mined.length]);
  const ofContracts = expected.flatMap(([name, labels, value]) => {
    const found = shown.sum(name, labels);
    return found === BigInt(value) ? [] : `${name} ${Object.values(labels)} is ${found}, expected ${value}`;
  });
  return [...differences(shown, chain, principals, to, from), ...ofContracts];
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** What can be behind an address. */
function replicasOf(random: Random): readonly ReplicaSpec[] {
  const lag: ReplicaSpec = { kind: "lag", blocks: random.int(1, 8) };
  return random.pick<readonly ReplicaSpec[]>([
    [lag],
    [{ kind: "newest" }, lag],
    [{ kind: "stuck" }],
    [{ kind: "empty" }],
  ]);
}

/** Polls one chain with both; returns their counters, and what differs from the chain. */
async function run(seed: number, mains: readonly [string, string]) {
  const random = new Random(`compare-${seed}`);
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-compare-"));
  const now = Date.now();
  const simulator = await startSimulator({ seed, history: 60, now: () => now, start: now / 1000 - HISTORY_SECONDS });
  const { chain } = simulator;
  const { addresses, contracts } = watchListOf(chain.accounts);
  const network = {
    budget: { per_minute: 100_000, per_month: "unlimited" },
    addresses: addresses.map(({ address, name }) => ({ address, name })),
    contracts: contracts.map(({ contract_id, name }) => ({ contract_id, name })),
  };
  const [oldFolder, newFolder] = [mkdtempSync(join(folder, "old-")), mkdtempSync(join(folder, "new-"))];
  const before = new Side(oldFolder, mains[0], simulator, network);
  const present = new Side(newFolder, mains[1], await simulator.listen(), network);
  const sides = [before, present];
  try {
    const depth = () => chain.height - CONFIRMATIONS + 1;
    const from = depth();
    await Promise.all(sides.map((side) => side.start()));
    for (let step = 0; step < STEPS; step += 1) {
      simulator.advance(random.int(20, 240));
      if (random.chance(0.4)) chain.reorg(random.int(1, CONFIRMATIONS - 1));
      const [specs, requests, isBehind] = [replicasOf(random), random.int(5, 40), random.chance(0.4)];
      for (const { upstream } of sides) if (isBehind) upstream.replicas.use(specs, { requests });
      if (random.chance(0.3)) {
        await Promise.all(sides.map((side) => side.kill()));
        for (const { upstream } of sides) upstream.replicas.clear();
        await Promise.all(sides.map((side) => side.start()));
      }
      if (isBehind) await pause(BEHIND_MS);
      for (const { upstream } of sides) upstream.replicas.clear();
      await Promise.all(sides.map((side) => side.polled()));
    }
    simulator.advance(120);
    const result = async (side: Side) => {
      const page = await side.page();
      return { counters: countersOf(page), wrong: wrongOf(page, chain, from, depth()) };
    };
    for (let same = 0, last = ""; same < 2; ) {
      await Promise.all(sides.map((side) => side.polled()));
      const now = JSON.stringify(await Promise.all(sides.map(async (side) => [...(await result(side)).counters])));
      same = now === last ? same + 1 : 0;
      last = now;
    }
    return [await result(before), await result(present)] as const;
  } finally {
    await Promise.all(sides.map((side) => side.kill()));
    await simulator.close();
    rmSync(folder, { recursive: true });
  }
}

const familyOf = (series: string) => series.replace(/\{.*/, "");

/** Checks the commit out into a folder, with the packages of the repository and those that it lacks. */
function checkOut(folder: string): string {
  const tree = join(folder, "tree");
  execFileSync("git", ["worktree", "add", "--detach", tree, commit], { cwd: root, stdio: "ignore" });
  symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
  const { devDependencies } = JSON.parse(readFileSync(join(tree, "package.json"), "utf8"));
  const missing = Object.entries(devDependencies).filter(([name]) => !existsSync(join(root, "node_modules", name)));
  const packages = missing.map((one) => one.join("@"));
  if (packages.length > 0) execFileSync("npm", ["install", "--no-save", "--prefix", folder, ...packages]);
  return join(tree, "src/main.ts");
}

const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-commit-"));
let differing = 0;
try {
  const main = checkOut(folder);
  for (let seed = 1; seed <= Number(seeds); seed += 1) {
    const [before, now] = await run(seed, [main, join(root, "src/main.ts")]);
    const [old, present] = [before.counters, now.counters];
    const [oldFamilies, families] = [
      new Set([...old.keys()].map(familyOf)),
      new Set([...present.keys()].map(familyOf)),
    ];
    if (seed === 1) {
      console.log(`only before: ${[...oldFamilies].filter((name) => !families.has(name)).join(", ") || "none"}`);
      console.log(`only now: ${[...families].filter((name) => !oldFamilies.has(name)).join(", ") || "none"}`);
    }
    const all = [...new Set([...old.keys(), ...present.keys()])].sort();
    const common = all.filter((series) => oldFamilies.has(familyOf(series)) && families.has(familyOf(series)));
    const different = common.filter((series) => (old.get(series) ?? "0") !== (present.get(series) ?? "0"));
    console.log(`seed ${seed}: ${common.length - different.length} of ${common.length} counters are equal`);
    console.log(`  ${before.wrong.length} totals before and ${now.wrong.length} now differ from the chain`);
    for (const text of now.wrong) console.log(`  now: ${text}`);
    for (const series of different) console.log(`  ${series} ${old.get(series)} -> ${present.get(series)}`);
    differing += different.length;
  }
} finally {
  execFileSync("git", ["worktree", "remove", "--force", join(folder, "tree")], { cwd: root });
  rmSync(folder, { recursive: true });
}
process.exitCode = differing === 0 ? 0 : 1;
