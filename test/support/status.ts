// A status for tests: tasks with the outcome of their polls, networks as their API clients report them.
import type { Reason } from "../../src/api/errors.ts";
import type { Target, Task } from "../../src/collectors/collector.ts";
import { Exposition } from "../../src/exposition/exposition.ts";
import { LIMITS, type Limits } from "../../src/http/limits.ts";
import { createWebServer, pagesOf, type View, type WebServer } from "../../src/http/server.ts";
import { jsonOf, masked, parseQuery, type Status, statusOf, statusPage } from "../../src/http/status.ts";
import { MEMORY } from "../../src/store/open.ts";
import { State } from "../../src/store/state.ts";
import { Store } from "../../src/store/store.ts";
import { feeReport } from "../../src/telemetry/fee-report.ts";
import type { NetworkReport, ReloadReports, StatusSources, UpstreamReport } from "../../src/telemetry/status.ts";
import { fakeTask, level, total } from "./fake-task.ts";

export const NOON = Date.UTC(2026, 10, 21, 12);

/** ISO time, in seconds from noon. */
export const at = (secondsFromNoon: number) => new Date(NOON + secondsFromNoon * 1000).toISOString();

/** The text of a page, without markup. */
export const textOf = (page: string) =>
  page
    .replace(/<style>[\s\S]*<\/style>/, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    .replace(/\s+/g, " ");

/** The target of a watch list. */
export const watched = (principal: string, name = principal, group = ""): Target => ({
  key: principal,
  watched: { principal, name, group, labels: {} },
  confirmations: 6,
});

/** An upstream before the first contact, with changes. */
export const upstream = (name: string, changes: Partial<UpstreamReport> = {}): UpstreamReport => ({
  name,
  url: `https://${name}.example`,
  active: false,
  up: undefined,
  lag_blocks: undefined,
  cause: undefined,
  ...changes,
});

/** A document whose times are text. */
export type Written<Value> = Value extends readonly (infer Element)[]
  ? readonly Written<Element>[]
  : Value extends object
    ? {
        readonly [Name in keyof Value]: Name extends Time
          ? string | Extract<Value[Name], undefined>
          : Written<Value[Name]>;
      }
    : Value;
type Time = "time" | "since" | "at" | `${string}_at` | `${string}_since`;

/** A server of all pages for plain HTTP. */
export const serverOf = (view: View, limits: Limits = LIMITS): WebServer =>
  createWebServer(pagesOf(view, limits), limits);

/** The sources of a status. The time is always noon. */
export class StatusWorld {
  now = NOON;
  secret = "s3cret";
  readonly tasks: Task[] = [];
  readonly networks: NetworkReport[] = [];
  reloads: ReloadReports = { configuration: undefined, files: undefined, web: undefined };
  readonly state = new State(new Exposition([level, total]), new Store(MEMORY));

  /** Adds a network; 10 of 50 requests of the minute are used. */
  network(name = "mainnet", changes: Partial<NetworkReport> = {}): this {
    this.networks.push({
      name,
      url: `https://${name}.example`,
      upstreams: [],
      blocked: undefined,
      first_polls_end_at: NOON,
      budget: { minute: { planned: 3.2, limit: 50, used: 10, available: 40 }, month: { planned: 142_848 } },
      pausedUntil: undefined,
      outage: undefined,
      ...changes,
    });
    return this;
  }

  /** Adds a target of a collector, polled every 10 s, values valid for 30 s. */
  task(collector: string, changes: Partial<Task> = {}): Task {
    const task = fakeTask(async () => 1, changes, collector);
    this.tasks.push(task);
    this.#follow(task.network);
    return task;
  }

  /** Adds many watched targets of one collector. */
  watch(collector: string, names: readonly string[]): Task[] {
    const first = this.task(collector, { target: watched(`SP${names[0]}`, names[0]) });
    const others = names.slice(1).map((name) => ({ ...first, target: watched(`SP${name}`, name) }));
    this.tasks.push(...others);
    this.#follow(first.network);
    return [first, ...others];
  }

  #follow(network: string): void {
    this.state.follow(
      network,
      this.tasks.filter((task) => task.network === network),
    );
  }

  /** Records a successful poll some seconds ago. */
  succeed(task: Task, secondsAgo: number): void {
    this.state.begin(task).succeed(1, this.now - secondsAgo * 1000);
  }

  /** Records a failed poll some seconds ago. */
  fail(task: Task, secondsAgo: number, reason: Reason, message = "no"): void {
    this.state.fail(task, { reason, message, at: this.now - secondsAgo * 1000 });
  }

  /** Records a poll some seconds ago that found that the server lacks the operation. */
  lack(task: Task, secondsAgo: number): void {
    this.state.unsupported(task, this.now - secondsAgo * 1000);
  }

  status(query: object = {}): Status {
    const { reloads } = this;
    return statusOf({ ...this.sources(), version: "1.2.3", startedAt: NOON - 3_600_000, reloads }, parseQuery(query));
  }

  sources(): StatusSources {
    const { tasks, state, networks, now } = this;
    return { tasks, state, networks, now };
  }

  /** The document at /api/v1/status, as a client reads it. */
  json(query: object = {}): Written<Status> {
    return JSON.parse(jsonOf(this.#masked(query))) as Written<Status>;
  }

  #masked(query: object = {}): Status {
    return masked(this.status(query), this.view().mask);
  }

  /** The status page. */
  page(): string {
    return statusPage(this.#masked());
  }

  /** The text of the status page, without markup. */
  pageText(): string {
    return textOf(this.page());
  }

  /** The status as served, by an exporter that is ready. An error fails the test. */
  view(): Omit<View, "page"> {
    return {
      missing: () => [],
      statusOf: (selection) => this.status(selection),
      feesOf: (network) => feeReport(network, this.sources()),
      runbook: async (subject) =>
        new Map([
          ["", "the index"],
          ["fees", "the fees"],
        ]).get(subject),
      mask: (text) => text.replaceAll(this.secret, "***"),
      onError: (error) => {
        throw error;
      },
    };
  }
}
