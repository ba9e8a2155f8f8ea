// A status made of what a test says: tasks that were polled or not, networks as their API clients would report them.
import type { Reason } from "../../src/api/errors.ts";
import type { Target } from "../../src/collectors/collector.ts";
import type { Task } from "../../src/collectors/task.ts";
import { Exposition } from "../../src/exposition/exposition.ts";
import { answerOf } from "../../src/http/status-answer.ts";
import { LIMIT } from "../../src/http/status-query.ts";
import type { StatusView } from "../../src/http/status-routes.ts";
import { State } from "../../src/storage/state.ts";
import type { NetworkReport, WatchListReport } from "../../src/telemetry/report.ts";
import { type Selection, type Status, statusOf } from "../../src/telemetry/status.ts";
import { fakeTask, level, total } from "./fake-task.ts";

export const NOON = Date.UTC(2026, 10, 21, 12);

/** Everything, as a query without parameters asks for it. */
export const ALL: Selection = { page: 1, limit: LIMIT.usual };

/** The target of a watch list. */
export const watched = (principal: string, name = principal, group = ""): Target => ({
  key: principal,
  watched: { principal, name, group, labels: {} },
});

/** What a status is made of, to be changed by a test. Time stands still at noon. */
export class StatusWorld {
  now = NOON;
  secret = "s3cret";
  readonly tasks: Task[] = [];
  readonly networks: NetworkReport[] = [];
  watchList: WatchListReport | undefined;
  readonly due = new Map<Task, number>();
  readonly state = new State(new Exposition([level, total]));

  /** Adds a network; 10 of 50 requests of the minute are used. */
  network(name = "mainnet", changes: Partial<NetworkReport> = {}): this {
    this.networks.push({
      network: name,
      origin: `https://${name}.example`,
      upstreams: [],
      blocked: undefined,
      minute: { limit: 50, used: 10, remaining: 40 },
      month: undefined,
      plannedPerMinute: 3.2,
      pausedUntil: undefined,
      longestPauseMs: 900_000,
      outage: undefined,
      operations: [],
      retired: [],
      rateLimits: [],
      ...changes,
    });
    return this;
  }

  /** Adds a target of a collector, polled every 10 s, values valid for 30 s, due in 4 s. */
  task(collector: string, changes: Partial<Task> = {}): Task {
    const task = fakeTask(async () => 1, changes, collector);
    this.tasks.push(task);
    this.due.set(task, this.now + 4_000);
    return task;
  }

  /** Lets a poll succeed so many seconds ago. */
  succeed(task: Task, secondsAgo: number): void {
    this.state.succeed(task, 1, [], this.now - secondsAgo * 1000);
  }

  /** Lets a poll fail so many seconds ago. */
  fail(task: Task, secondsAgo: number, reason: Reason, message = "no"): void {
    this.state.fail(task, { reason, message, at: this.now - secondsAgo * 1000 });
  }

  status(selection: Selection = ALL): Status {
    const { tasks, state, networks, watchList, now } = this;
    return statusOf({ tasks, state, networks, watchList, now, dueAt: (task) => this.due.get(task) }, selection);
  }

  answer(selection: Selection = ALL) {
    const { program, mask } = this.view();
    return answerOf(this.status(selection), program, mask);
  }

  /** For a server. */
  view(): StatusView {
    return {
      program: { version: "1.2.3", startedAt: NOON - 3_600_000 },
      known: {
        networks: this.networks.map(({ network }) => network),
        collectors: [...new Set(this.tasks.map(({ collector }) => collector.name))],
      },
      statusOf: (selection) => this.status(selection),
      mask: (text) => text.replaceAll(this.secret, "***"),
    };
  }
}
