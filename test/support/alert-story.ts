// What an exporter's alerts notify while something happens on its chain. The exporter and the chain run on a virtual
// clock; Prometheus (promtool) evaluates every rule on the pages that it would have scraped, and Alertmanager routes
// what fires.
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { namesIn } from "../../alerts/series.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../simulator/server.ts";
import { groups, rules } from "../alerts/rules.ts";
import { START } from "../simulator/support.ts";
import { ALERTMANAGER, Alertmanager, groupOf, type Labels, type Routed, secondsToNotify } from "./alertmanager.ts";
import { Exporter, type ExporterOptions } from "./exporter.ts";
import { run } from "./promtool.ts";

/** The programs that have to be on the PATH. */
export const PROGRAMS = ["promtool", ALERTMANAGER] as const;

/** Seconds between two scrapes, and between two evaluations of the rules. */
export const SCRAPE_SECONDS = 15;

/** A receiver gets an alert. */
export interface Notified {
  /** Seconds after the start. */
  readonly at: number;
  readonly receiver: string;
  readonly alert: string;
  /** The label `name`: empty for an alert that is not about a target. */
  readonly name: string;
  readonly labels: Labels;
}

/** What an alert story records. */
export interface Outcome {
  /** In the order of time. */
  readonly notified: readonly Notified[];
  /** At each scrape, what becomes of the alerts that fire. */
  readonly routed: readonly (readonly Routed[])[];
}

export class AlertStory implements AsyncDisposable {
  readonly simulator: Simulator;
  readonly exporter: Exporter;
  /** Seconds after the start. */
  second = 0;
  /** The pages that were scraped. */
  readonly pages: string[] = [];
  readonly #scrapes = new Scrapes();
  #recorded: readonly string[] | undefined;
  #isDown = false;

  private constructor(simulator: Simulator, exporter: Exporter, recorded: readonly string[] | undefined) {
    this.simulator = simulator;
    this.exporter = exporter;
    this.#recorded = recorded;
  }

  /**
   * Starts an exporter.
   * @param before events of a part of the past, in seconds, before it starts
   * @param earlier another version of the exporter. With the pages that it served, those are scraped until `restart`,
   * and nothing is polled.
   */
  static async start(
    options: SimulatorOptions,
    past: number,
    before: (simulator: Simulator) => Omit<ExporterOptions, "api">,
    earlier: { readonly Exporter?: Pick<typeof Exporter, "start">; readonly pages?: readonly string[] } = {},
  ): Promise<AlertStory> {
    let exporter: Exporter | undefined;
    const now = () => exporter?.clock.now() ?? START * 1000;
    const simulator = await startSimulator({ ...options, now, start: START - past });
    const settings = before(simulator);
    simulator.advance(past);
    exporter = await (earlier.Exporter ?? Exporter).start({ ...settings, api: simulator });
    if (earlier.pages === undefined) await exporter.app.start();
    return new AlertStory(simulator, exporter, earlier.pages);
  }

  /** Passes seconds, with every request and scrape that is due. */
  async pass(seconds: number): Promise<void> {
    for (const end = this.second + seconds; this.second < end; this.second += 1) {
      // The chain goes on with requests.
      this.simulator.advance(0);
      if (this.second % SCRAPE_SECONDS === 0) await this.#scrape();
      await this.exporter.clock.run(1, () => this.simulator.requests.length);
    }
  }

  /** Passes whole intervals of scrapes until something is so, an hour at most; returns the seconds that it took. */
  async passUntil(isSo: () => Promise<boolean>): Promise<number> {
    const before = this.second;
    do {
      await this.pass(SCRAPE_SECONDS);
      if (this.second > before + 3600) throw new Error("what the story waits for does not happen");
    } while (!(await isSo()));
    return this.second - before;
  }

  /** From now on, no scrape succeeds. */
  end(): void {
    this.#isDown = true;
  }

  /** Restarts the exporter, which cannot be scraped for some seconds. @param state its state file, if not its own */
  async restart(seconds: number, state?: string): Promise<void> {
    this.end();
    await this.pass(seconds);
    await this.exporter.restart(state === undefined ? {} : { state });
    await this.exporter.app.start();
    this.#recorded = undefined;
    this.#isDown = false;
  }

  /** What Prometheus and Alertmanager make of the pages so far. */
  async outcome(): Promise<Outcome> {
    const firing = await this.#scrapes.firing();
    await using alertmanager = await Alertmanager.start();
    const routed: (readonly Routed[])[] = [];
    const notified: Notified[] = [];
    // What was notified and still fires. It is not repeated when it was inhibited in between.
    let open = new Map<string, Routed>();
    for (const [index, alerts] of firing.entries()) {
      const isSame = index > 0 && isDeepStrictEqual(alerts, firing[index - 1]);
      const now = isSame ? (routed.at(-1) ?? []) : await alertmanager.route(alerts);
      routed.push(now);
      const known = open;
      open = new Map();
      for (const one of now) {
        const { receiver, labels } = one;
        const key = JSON.stringify(labels);
        if (receiver === undefined && !known.has(key)) continue;
        open.set(key, known.get(key) ?? one);
        if (receiver === undefined || known.has(key)) continue;
        const isFirst = ![...known.values()].some((other) => groupOf(other) === groupOf(one));
        const at = index * SCRAPE_SECONDS + secondsToNotify(receiver, isFirst);
        notified.push({ at, receiver, alert: labels.alertname ?? "", name: labels.name ?? "", labels });
      }
    }
    return { notified, routed };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.exporter[Symbol.asyncDispose]();
    await this.simulator.close();
  }

  async #scrape(): Promise<void> {
    const page = this.#isDown ? undefined : await this.#page();
    if (page !== undefined) this.pages.push(page);
    this.#scrapes.take(page);
  }

  async #page(): Promise<string> {
    if (this.#recorded === undefined) return (await this.exporter.app.page.body("classic", false)).toString();
    const page = this.#recorded[this.pages.length];
    if (page === undefined) throw new Error("the recording has no more pages");
    return page;
  }
}

const used = new Set(rules.flatMap(({ expr }) => namesIn(expr)));

/** What Prometheus has scraped: a sample of each series for each scrape, in the notation of promtool. */
class Scrapes {
  readonly #series = new Map<string, string[]>();
  #count = 0;

  /** @param page undefined: the scrape fails */
  take(page: string | undefined): void {
    const samples = (page ?? "").split("\n").flatMap((line): [string, string][] => {
      const [, name = "", labels = "", value = ""] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const all = ['job="stacks"', 'instance="exporter"', ...(labels === "" ? [] : [labels])];
      return used.has(name) ? [[`${name}{${all.join(",")}}`, value]] : [];
    });
    const up: [string, string] = ['up{job="stacks",instance="exporter"}', page === undefined ? "0" : "1"];
    this.#add(new Map([...samples, up]));
  }

  #add(samples: ReadonlyMap<string, string>): void {
    for (const key of samples.keys())
      if (!this.#series.has(key)) this.#series.set(key, new Array<string>(this.#count).fill("_"));
    for (const [key, values] of this.#series) {
      const isGone = values.length > 0 && !["_", "stale"].includes(values.at(-1) ?? "");
      values.push(samples.get(key) ?? (isGone ? "stale" : "_"));
    }
    this.#count += 1;
  }

  /** The labels of the alerts that fire at each scrape. */
  async firing(): Promise<readonly (readonly Labels[])[]> {
    using folder = mkdtempDisposableSync(join(tmpdir(), "stacks-exporter-story-"));
    const write = (name: string, content: object) => writeFileSync(join(folder.path, name), JSON.stringify(content));
    // promtool begins at 1970; the pages have times of the chain. So the present time and that of a scrape are moved.
    const moved = groups.map((group) => ({
      ...group,
      rules: group.rules.map((rule) => ({
        ...rule,
        expr: rule.expr.replaceAll(/time\(\)|timestamp\(\w+\)/g, `($& + ${START})`),
      })),
    }));
    write("rules.json", { groups: moved });
    const input_series = [...this.#series].map(([series, values]) => ({ series, values: values.join(" ") }));
    // Nothing is expected, so promtool prints what fires.
    const promql_expr_test = Array.from({ length: this.#count }, (_, index) => ({
      expr: 'ALERTS{alertstate="firing"}',
      eval_time: `${index * SCRAPE_SECONDS}s`,
      exp_samples: [],
    }));
    const interval = `${SCRAPE_SECONDS}s`;
    const tests = [{ interval, input_series, promql_expr_test }];
    write("test.json", { rule_files: ["rules.json"], evaluation_interval: interval, tests });
    const { output } = await run("promtool", ["test", "rules", join(folder.path, "test.json")]);
    if (!output.startsWith("Unit Testing:")) throw new Error(`promtool: ${output}`);
    const firing: Labels[][] = Array.from({ length: this.#count }, () => []);
    for (const [, time = "", got = ""] of output.matchAll(/time: ([\dhms]+),\n\s+exp:\s?nil\n\s+got:(.*)/g)) {
      firing[secondsOf(time) / SCRAPE_SECONDS] = got.split(/ 1E\+00(?:, |$)/).flatMap(labelsOf);
    }
    return firing;
  }
}

/** The labels of an alert as promtool prints them; none of an empty text. */
function labelsOf(text: string): Labels[] {
  const all = [...text.matchAll(/(\w+)=("(?:[^"\\]|\\.)*")/g)].map(([, label = "", value = ""]) => [
    label,
    JSON.parse(value) as string,
  ]);
  const { __name__, alertstate, ...labels } = Object.fromEntries(all) as Record<string, string>;
  return all.length === 0 ? [] : [labels];
}

const UNITS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1 };
const secondsOf = (time: string): number =>
  [...time.matchAll(/(\d+)([hms])/g)].reduce((sum, [, n, unit = "s"]) => sum + Number(n) * (UNITS[unit] ?? 1), 0);
