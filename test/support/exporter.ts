// The exporter in this process, for tests that judge it only by what a user sees: the metrics page, the log, the
// status, and a restart on the same state file. Everything of it is real, and it talks to a server on a socket; only
// the time is virtual, and a test decides what is polled when.
//
//     await using api = await startApiServer((url, operation) => ({ json: … }));
//     await using exporter = await Exporter.start({
//       api, // or a Simulator
//       network: { confirmations: 3, addresses: [{ address: PRINCIPAL, name: "p" }] },
//       collectors: { blocks: {}, addresses: { backfill: "all" } }, // the others are disabled
//     });
//     await exporter.poll("blocks");
//     await exporter.pass(60);
//     await exporter.poll("addresses"); // every target; or one: poll("addresses", PRINCIPAL)
//     const page = await exporter.page();
//     page.value("stacks_chain_block_height"); // undefined if absent
//     page.sum("stacks_address_transactions_total", { name: "p" }); // exact, 0n if absent
//     page.by("stacks_contract_calls_total", "function", "tx_status"); // { "swap success": 3n }
//     exporter.failures; // ["addresses behind"]
//     await exporter.restart(); // as after kill -9
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { App } from "../../src/app.ts";
import { jsonOf, type Status } from "../../src/http/status.ts";
import { Store } from "../../src/store/store.ts";
import { createApp, onlyCollectors } from "./app.ts";
import { FakeClock } from "./fake-clock.ts";
import { Page } from "./page.ts";
import type { Written } from "./status.ts";

/** Value of the label `network`. */
export const NETWORK = "m";

/** A configuration, and the API that it polls. */
export interface ExporterOptions {
  /** A server; each request to it is in `requests`. */
  readonly api: { readonly url: string; readonly requests: readonly unknown[] };
  /** Settings of the network besides its name, URL and budget. The budget is ample unless it is set here. */
  readonly network?: object;
  /** The enabled collectors, with their settings. */
  readonly collectors: Readonly<Record<string, object>>;
  /** Other settings of the configuration. */
  readonly settings?: object;
  /** Path of the state file to continue with, which is not changed. @default an empty one */
  readonly state?: string;
  /** The beginnings of the names of the families to read from the page, which takes less time. @default all */
  readonly families?: readonly string[];
  /** The time before each poll. Unix time, milliseconds. @default the time of `pass` */
  readonly now?: () => number;
  /**
   * A poll that waits for the clock, for a retry or its budget, is woken when that takes at most this long. Below the
   * timeouts, because the clock passes while a response is under way. Milliseconds. @default 2000
   */
  readonly longestWaitMs?: number;
}

// A poll that waits for nothing but the clock does nothing for some turns of the event loop.
const QUIET_TURNS = 50;
// Each save waits for the disk, which this folder does not have.
const FOLDER = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** A running exporter, which polls only on request. */
export class Exporter implements AsyncDisposable {
  readonly clock: FakeClock;
  /** The fields of each line of the log, with its message in `msg`. Level `debug` and above. */
  readonly log: Readonly<Record<string, unknown>>[] = [];
  readonly #folder = mkdtempSync(join(FOLDER, "stacks-exporter-"));
  #options: ExporterOptions;
  #path = join(this.#folder, "0.db");
  #starts = 0;
  #app: App | undefined;

  private constructor(options: ExporterOptions) {
    this.#options = options;
    this.clock = new FakeClock(options.now?.());
  }

  /** Starts an exporter with an empty state file. It sends no request before the first poll. */
  static async start(options: ExporterOptions): Promise<Exporter> {
    const exporter = new Exporter(options);
    if (options.state !== undefined) copyFileSync(options.state, exporter.#path);
    await exporter.#start();
    return exporter;
  }

  get app(): App {
    if (this.#app === undefined) throw new Error("the exporter is stopped");
    return this.#app;
  }

  /** The state file of the running exporter. */
  get path(): string {
    return this.#path;
  }

  /** `collector reason` of each failed poll. */
  get failures(): readonly string[] {
    const failed = this.log.filter(({ msg }) => String(msg).startsWith("poll failed"));
    return failed.map(({ collector, reason }) => `${collector} ${reason}`);
  }

  /** The messages of the log at a level, `warn` unless it differs. */
  messages(level: "error" | "warn" | "info" = "warn"): readonly string[] {
    const number = { error: 50, warn: 40, info: 30 }[level];
    return this.log.flatMap((line) => (line.level === number ? String(line.msg) : []));
  }

  /**
   * Polls the targets of a collector in turn, or the one with this principal. A failed poll is in `failures`.
   * @throws Error for a defect of the exporter (reason `bug`), and when there is no such target.
   */
  async poll(collector: string, principal?: string): Promise<void> {
    const tasks = this.app.tasks.filter(
      (task) => task.collector.name === collector && (principal ?? task.target.key) === task.target.key,
    );
    if (tasks.length === 0) throw new Error(`there is no target ${collector} ${principal ?? ""}`);
    const lines = this.log.length;
    for (const task of tasks) {
      await this.#follow();
      const { api, longestWaitMs = 2_000 } = this.#options;
      await this.clock.until(this.app.poll(task), longestWaitMs, QUIET_TURNS, () => api.requests.length);
    }
    const bug = this.log.slice(lines).find(({ reason }) => reason === "bug");
    if (bug !== undefined) throw new Error(`${collector}: ${bug.error} ${bug.stack}`);
  }

  /** Advances the clock by some seconds. For an exporter without `now`. */
  async pass(seconds: number): Promise<void> {
    await this.clock.advance(seconds * 1000);
  }

  /** The metrics page as it is served now. */
  async page(): Promise<Page> {
    await this.#follow();
    this.app.page.touch();
    const text = (await this.app.page.body("openmetrics", false)).toString();
    const lines = new RegExp(`^(# EOF|(# \\S+ )?(${this.#options.families?.join("|") ?? ""}))`);
    return new Page(
      text
        .split("\n")
        .filter((line) => line === "" || lines.test(line))
        .join("\n"),
    );
  }

  /** The document at /api/v1/status with these parameters. */
  status(selection: Parameters<App["status"]>[0] = { limit: 100 }): Written<Status> {
    return JSON.parse(jsonOf(this.app.status(selection))) as Written<Status>;
  }

  /**
   * Another process continues with what is in the state file now, or in that of `state`, as after `kill -9`, and with
   * other settings.
   */
  async restart(changes: Partial<Omit<ExporterOptions, "now">> = {}): Promise<void> {
    this.#starts += 1;
    const path = join(this.#folder, `${this.#starts}.db`);
    const from = changes.state ?? this.#path;
    for (const suffix of ["", "-wal"].filter((one) => existsSync(from + one))) {
      copyFileSync(from + suffix, path + suffix);
    }
    await this.#app?.stop();
    this.#path = path;
    this.#options = { ...this.#options, ...changes };
    await this.#start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#app?.stop();
    rmSync(this.#folder, { recursive: true });
  }

  async #start(): Promise<void> {
    const { api, network, collectors, settings } = this.#options;
    const budget = { per_minute: 100_000, per_month: "unlimited" };
    const configuration = {
      networks: [{ name: NETWORK, url: api.url, budget, ...network }],
      collectors: JSON.parse(onlyCollectors(collectors)),
      ...settings,
    };
    const { clock } = this;
    const stateFile = new Store(this.#path);
    const write = (line: string) => void this.log.push(JSON.parse(line));
    this.#app = await createApp(JSON.stringify(configuration), write, { store: stateFile, clock });
  }

  async #follow(): Promise<void> {
    const ahead = (this.#options.now?.() ?? 0) - this.clock.now();
    if (ahead > 0) await this.clock.advance(ahead);
  }
}
