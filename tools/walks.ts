// npm run walks: how many source files process one value. Counts the files of src/ in which a function is called while
// one fee is polled and served, while a watched transaction is counted (also without those of the fee), and while one
// setting is read. Functions that run only when a module loads do not count.
import { Session } from "node:inspector/promises";
import { setTimeout } from "node:timers/promises";
import { pino } from "pino";
import { type Simulator, startSimulator } from "../simulator/server.ts";
import { type Clock, systemClock } from "../src/api/clock.ts";
import { App } from "../src/app.ts";
import type { Task } from "../src/collectors/collector.ts";
import { collectors } from "../src/collectors/index.ts";
import { formatErrors } from "../src/config/errors.ts";
import { readDocument } from "../src/config/files.ts";
import { load } from "../src/config/load.ts";
import { redactorOf } from "../src/config/secret.ts";
import type { Config } from "../src/config/settings.ts";

const source = new URL("../src/", import.meta.url).href;

interface Script {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

/** Files of src/ in which a function was called. */
const called = (scripts: readonly Script[]): string[] =>
  scripts
    .filter(
      ({ url, functions }) => url.startsWith(source) && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
    )
    .map(({ url }) => url.slice(source.length))
    .sort();

/** The configuration of a text. */
async function configOf(text: string): Promise<Config> {
  const loaded = await load({ document: readDocument("exporter.yaml", text), env: {}, readFile: () => "", collectors });
  if (!loaded.ok) throw new Error(formatErrors(loaded.errors));
  return loaded.config;
}

/** The functions of this process that run from one moment on, which `of` waits for, to the end of `during`. */
async function coverage(during: () => Promise<unknown>, of = async () => {}): Promise<readonly Script[]> {
  const session = new Session();
  session.connect();
  await of();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await session.post("Profiler.takePreciseCoverage");
  await during();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  return result;
}

/** An exporter of a simulated chain with these collectors, which watches one address of it. */
async function appOn({ url, chain }: Simulator, names: readonly string[], clock: Clock): Promise<App> {
  const settings = collectors.map(({ name }) => [name, names.includes(name) ? { every: "2s" } : { enabled: false }]);
  const budget = { per_minute: 600, per_month: "unlimited" };
  const addresses = [{ address: chain.accounts.contracts.vault }];
  const config = await configOf(
    JSON.stringify({
      networks: [{ name: "simulated", url, budget, addresses }],
      state: "memory",
      collectors: Object.fromEntries(settings),
    }),
  );
  return new App({
    config,
    version: "walk",
    log: pino({ level: "silent" }),
    listen: [{ host: "127.0.0.1", port: 0 }],
    redactor: redactorOf([]),
    clock,
  });
}

/** One poll of the collector `fees`, and one scrape of its samples. */
async function feeWalk(): Promise<string[]> {
  await using simulator = await startSimulator({ seed: 1 });
  await using ends = new AsyncDisposableStack();
  const app = ends.adopt(await appOn(simulator, ["fees"], systemClock), (one) => one.stop());
  const [listener] = await app.start();
  const polled = async () => {
    const before = simulator.requests.length;
    while (simulator.requests.length === before) await setTimeout(50);
    await setTimeout(200);
  };
  const scraped = async () => {
    await polled();
    await (await fetch(`${listener?.url}/metrics`)).text();
  };
  return called(await coverage(scraped, polled));
}

/** One poll of the collector `addresses` that counts transactions, from the request to the committed counters. */
async function transactionWalk(): Promise<string[]> {
  let time = Date.now();
  await using simulator = await startSimulator({ seed: 1, now: () => time });
  await using ends = new AsyncDisposableStack();
  const clock = { ...systemClock, now: () => time };
  const app = ends.adopt(await appOn(simulator, ["blocks", "addresses"], clock), (one) => one.stop());
  const [blocks, addresses] = app.tasks as [Task, Task];
  const counted = async () =>
    [...`${await app.page.body("classic", false)}`.matchAll(/^stacks_address_transactions_total.* (\d+)$/gm)].join();
  await app.poll(blocks);
  await app.poll(addresses);
  const before = await counted();
  time += 600_000;
  simulator.advance(0);
  await app.poll(blocks);
  const files = called(await coverage(() => app.poll(addresses)));
  if ((await counted()) === before) throw new Error("the poll counted nothing");
  return files;
}

function print(name: string, files: readonly string[]): void {
  console.log(`${name}: ${files.length} files`);
  for (const file of files) console.log(`  ${file}`);
}

const fee = await feeWalk();
const transaction = await transactionWalk();
print("one fee, from the request to the page", fee);
print("one watched transaction, from the request to the committed counter", transaction);
const own = transaction.filter((file) => !fee.includes(file));
print("files that only the transaction passes", own);
const setting = await coverage(() => configOf("collectors: { fees: { every: 45s } }"));
print("one setting, from the file to the configuration", called(setting));
