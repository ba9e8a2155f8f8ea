// 40 wallets with the budget of a free key: a start, a payment too many, an outage of eleven minutes, a restart, and a
// wallet that runs dry right after it. The exporter and the chain run on a virtual clock; Prometheus (promtool)
// evaluates every rule on the pages that it would have scraped.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { namesIn } from "../../alerts/series.ts";
import { startSimulator } from "../../simulator/server.ts";
import { START } from "../simulator/support.ts";
import { Exporter } from "../support/exporter.ts";
import { describeWith } from "../support/installed.ts";
import { run } from "../support/promtool.ts";
import { groups, rules } from "./rules.ts";

const SCRAPE_SECONDS = 15;
/** Seconds after the start. */
const AT = {
  dry: 20 * 60,
  outflow: 30 * 60,
  outage: 40 * 60,
  back: 51 * 60,
  restart: 60 * 60,
  dryAgain: 61 * 60,
  end: 75 * 60,
};
/** Seconds for which a process that restarts cannot be scraped. */
const DOWN_SECONDS = 30;
const WITHIN_SECONDS = 300;
const COLLECTORS = [
  "blocks",
  "fees",
  "mempool",
  "transactions",
  "mempool_transactions",
  "addresses",
  "balances",
  "waiting",
];

interface Firing {
  /** Seconds after the start. */
  readonly at: number;
  readonly alert: string;
  /** The wallet; empty for other alerts. */
  readonly name: string;
}

const used = new Set(rules.flatMap(({ expr }) => namesIn(expr)));

/** What Prometheus has scraped: a sample of each series for each scrape, in the notation of promtool. */
class Scrapes {
  readonly #series = new Map<string, string[]>();
  #count = 0;

  take(page: string): void {
    const samples = page.split("\n").flatMap((line): [string, string][] => {
      const [, name = "", labels = "", value = ""] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const all = ['job="stacks"', 'instance="exporter"', ...(labels === "" ? [] : [labels])];
      return used.has(name) ? [[`${name}{${all.join(",")}}`, value]] : [];
    });
    this.#add(new Map([...samples, ['up{job="stacks",instance="exporter"}', "1"]]));
  }

  miss(): void {
    this.#add(new Map([['up{job="stacks",instance="exporter"}', "0"]]));
  }

  #add(samples: ReadonlyMap<string, string>): void {
    for (const key of samples.keys())
      if (!this.#series.has(key))
        this.#series.set(
          key,
          Array.from({ length: this.#count }, () => "_"),
        );
    for (const [key, values] of this.#series) {
      const isGone = values.length > 0 && !["_", "stale"].includes(values.at(-1) ?? "");
      values.push(samples.get(key) ?? (isGone ? "stale" : "_"));
    }
    this.#count += 1;
  }

  /** The alerts that fire at each scrape. */
  async firing(folder: string): Promise<readonly Firing[]> {
    const write = (name: string, content: object) => writeFileSync(join(folder, name), JSON.stringify(content));
    // promtool begins at 1970; the pages have the times of the chain. A comparison with the present time is moved.
    const now = `(time() + ${START})`;
    const moved = groups.map((group) => ({
      ...group,
      rules: group.rules.map((rule) => ({ ...rule, expr: rule.expr.replaceAll("time()", now) })),
    }));
    write("rules.json", { groups: moved });
    const scrapes = Array.from({ length: this.#count }, (_, index) => index * SCRAPE_SECONDS);
    const input_series = [...this.#series].map(([series, values]) => ({ series, values: values.join(" ") }));
    // Nothing is expected, so promtool prints what fires.
    const promql_expr_test = scrapes.map((at) => ({
      expr: 'count by (alertname, name) (ALERTS{alertstate="firing"})',
      eval_time: `${at}s`,
      exp_samples: [],
    }));
    const interval = `${SCRAPE_SECONDS}s`;
    const tests = [{ interval, input_series, promql_expr_test }];
    write("test.json", { rule_files: ["rules.json"], evaluation_interval: interval, tests });
    const { output } = await run("promtool", ["test", "rules", join(folder, "test.json")]);
    expect(output).toContain("Unit Testing:");
    const failures = [...output.matchAll(/time: ([\dhms]+),\n\s+exp:\s?nil\n\s+got:(.*)/g)];
    return failures.flatMap(([, time = "", got = ""]) =>
      [...got.matchAll(/\{alertname="(\w+)"(?:, name="([^"]*)")?\}/g)].map(([, alert = "", name = ""]) => {
        return { at: secondsOf(time), alert, name };
      }),
    );
  }
}

const secondsOf = (time: string): number =>
  [...time.matchAll(/(\d+)([hms])/g)].reduce(
    (sum, [, n, unit]) => sum + Number(n) * { h: 3600, m: 60, s: 1 }[unit as "h"],
    0,
  );

describeWith("promtool")("40 wallets with a free key", () => {
  const ends = new AsyncDisposableStack();
  let firing: readonly Firing[];
  /** Seconds from the start, the restart and the end of the outage until every target was read. */
  const readAfter: number[] = [];

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-wallets-"));
    ends.defer(() => rmSync(folder, { recursive: true }));
    let exporter: Exporter | undefined;
    const now = () => exporter?.clock.now() ?? START * 1000;
    const simulator = ends.adopt(await startSimulator({ history: 60, now, start: START - 900 }), (one) => one.close());
    const { chain } = simulator;
    const balanceOf = (address: string) => chain.ledger.balances.of(address, "stx");
    const wallet = (index: number) => chain.accounts.occasional(3000 + index);
    const addresses = Array.from({ length: 40 }, (_, index) => ({
      address: wallet(index),
      name: `wallet-${index}`,
      group: "hot",
      waiting: true,
      min_balance: { stx: "1000 STX" },
      max_outflow: { stx: "100000 STX" },
    }));
    // The API has no balance of an account that was never used.
    for (const { address } of addresses) chain.send(address, { fee: 10_000, amount: 1n });
    simulator.advance(900);
    exporter = ends.use(
      await Exporter.start({
        api: simulator,
        network: { addresses, budget: { per_minute: 900, per_month: 150_000 } },
        collectors: Object.fromEntries(COLLECTORS.map((name) => [name, {}])),
      }),
    );
    /** Leaves 100 STX, or sends an amount of STX. */
    const pay = (index: number, stx?: number) =>
      chain.send(wallet(index), {
        fee: 10_000,
        amount: stx === undefined ? balanceOf(wallet(index)) - 100_000_000n : BigInt(stx) * 1_000_000n,
      });
    const scrapes = new Scrapes();
    const unread = async () =>
      (await (exporter as Exporter).page())
        .samples("stacks_exporter_collector_targets")
        .filter(({ labels }) => ["waiting", "degraded"].includes(labels.get("state") ?? ""))
        .reduce((sum, { value }) => sum + value, 0);
    let since: number | undefined = 0;
    await exporter.app.start();
    for (let second = 0; second <= AT.end; second += 1) {
      // The chain goes on with requests.
      simulator.advance(0);
      if (second === AT.dry) pay(3);
      if (second === AT.outflow) pay(7, 200_000);
      if (second === AT.dryAgain) pay(11);
      if (second === AT.outage) simulator.faults.set({ kind: "503" });
      if (second === AT.back) {
        simulator.faults.clear();
        since = second;
      }
      if (second === AT.restart + DOWN_SECONDS) {
        await exporter.restart();
        await exporter.app.start();
        since = second;
      }
      const isDown = second >= AT.restart && second < AT.restart + DOWN_SECONDS;
      if (second % SCRAPE_SECONDS === 0) {
        if (isDown) scrapes.miss();
        else scrapes.take((await exporter.app.page.body("classic", false)).toString());
        if (since !== undefined && !isDown && second > since && (await unread()) === 0) {
          readAfter.push(second - since);
          since = undefined;
        }
      }
      await exporter.clock.until(exporter.clock.sleep(1000), 1000, 20, () => simulator.requests.length);
    }
    firing = await scrapes.firing(folder);
  });
  afterAll(() => ends.disposeAsync());

  const times = (alert: string, name: string) =>
    firing.filter((one) => one.alert === alert && one.name === name).map(({ at }) => at);

  test("every wallet is read within two minutes of a start, an outage and a restart", () => {
    expect(readAfter).toHaveLength(3);
    for (const seconds of readAfter) expect(seconds).toBeLessThanOrEqual(120);
  });

  test("an unhealthy wallet pages within five minutes", () => {
    const [dry = Number.NaN] = times("StacksAddressBalanceLow", "wallet-3");
    const [outflow = Number.NaN] = times("StacksAddressOutflowHigh", "wallet-7");
    const [dryAgain = Number.NaN] = times("StacksAddressBalanceLow", "wallet-11");
    const delays = { dry: dry - AT.dry, outflow: outflow - AT.outflow, dryAgain: dryAgain - AT.dryAgain };
    for (const seconds of Object.values(delays)) {
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(WITHIN_SECONDS);
    }
  });

  test("a page about a balance continues through the outage and the restart", () => {
    const [first = Number.NaN, ...others] = times("StacksAddressBalanceLow", "wallet-3");
    expect(others).toHaveLength((AT.end - first) / SCRAPE_SECONDS);
  });

  test("nothing pages about a healthy wallet, and the outage has one page", () => {
    const unhealthy = ["wallet-3", "wallet-7", "wallet-11"];
    expect(firing.filter(({ name }) => name !== "" && !unhealthy.includes(name))).toEqual([]);
    expect([...new Set(firing.filter(({ name }) => name === "").map(({ alert }) => alert))]).toEqual([
      "StacksUpstreamDown",
    ]);
  });
});
