// The shape of /api/v1/status, as it is documented and tested. Only its types are part of the program: what is published
// allows for fields that later versions add, what is tested does not.
import { z } from "zod";
import { REASONS } from "../api/errors.ts";
import { VERDICTS } from "../telemetry/health.ts";
import { TARGET_STATES } from "../telemetry/status.ts";
import { upstreamAnswer } from "./status-upstream-shape.ts";

const count = () => z.int().min(0);
const seconds = () => z.number().min(0);
const time = () => z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const keysOf = <Key extends string>(record: Readonly<Record<Key, unknown>>) => Object.keys(record) as Key[];
const state = z.enum(TARGET_STATES);

const failure = z.object({
  reason: z.enum(keysOf(REASONS)).describe("One of the closed list of reasons."),
  message: z.string().describe("What happened, secrets masked."),
  at: time().describe("When."),
});
const lastError = failure
  .optional()
  .describe("The last failure. It is over when `failing_since` is absent. Absent when there was none.");
const failingSince = time().optional().describe("When the first failure in a row ended. Absent while nothing fails.");
const nextPoll = time()
  .optional()
  .describe("When the next poll is due; in a pause, not before its end. In the past: waiting for its turn.");

const problem = z.object({
  network: z.string().optional().describe("Where. Absent when it is the watch list, which is one for all networks."),
  collector: z.string().optional().describe("Absent when it is the whole network, or several collectors of it."),
  message: z.string().describe("What is wrong, in words that may change."),
  since: time().optional().describe("Since when, where that is known."),
  until: time().optional().describe("When it passes by itself, where that is known."),
});

const budget = z.object({
  planned: z.number().min(0).describe("Requests that the schedules need when nothing goes wrong."),
  limit: count().optional().describe("Requests that may leave. Absent when there is no limit."),
  used: count()
    .optional()
    .describe(
      "Requests that left: in the last 60 seconds (minute), since the start (month). Absent when there is no limit.",
    ),
  available: count().optional().describe("Requests that could leave now. Absent when there is no limit."),
});

const rateLimit = z.object({
  window: z.string().describe("Span that the server named: `default`, `second`, `minute` or `month`."),
  limit: count().optional().describe("Requests per window."),
  remaining: count().optional().describe("Requests that are left."),
  reset_at: time().optional().describe("When the window ends."),
  seen_at: time().describe("When the server said so."),
});

const retired = z.object({
  name: z.string().describe("Name of the operation."),
  since: time().describe("First 410 in a row."),
  next_try_at: time().describe("When it may be asked again."),
});

const collector = z.object({
  name: z.string().describe("Name of the collector."),
  state: state.describe("Of many targets the worst."),
  schedule: z.string().describe("As configured: `every 30s`, or a cron expression with seconds (UTC)."),
  interval_seconds: seconds().describe("Time between two polls of the same target."),
  stretch_ratio: z.number().min(1).describe("How much longer that is than configured, because of the budget."),
  max_age_seconds: seconds().describe("Age at which values disappear from the metrics."),
  targets: z
    .object({
      total: count().describe("All."),
      ...(Object.fromEntries(TARGET_STATES.map((name) => [name, count().describe(`Those in state \`${name}\`.`)])) as {
        [Name in (typeof TARGET_STATES)[number]]: z.ZodInt;
      }),
      expired: count().describe("Those whose values are older than the maximum age, in any state."),
    })
    .describe("How many targets there are."),
  oldest_success_at: time().optional().describe("Last success of the target that succeeded least recently."),
  age_seconds: seconds().optional().describe("Age of the oldest data: time since then."),
  next_poll_at: nextPoll,
  failing_since: failingSince,
  last_error: lastError,
});

const outage = z.object({
  operation: z.string().optional().describe("The only operation that fails. Absent: the whole server."),
  reason: z.enum(keysOf(REASONS)).describe("Reason of the first failure."),
  message: z.string().describe("What the first failure was."),
  since: time().describe("When that was."),
  next_probe_at: time().describe("When one request may ask again; all others fail at once."),
});

const network = z.object({
  name: z.string().describe("Name of the network."),
  url: z.string().describe("Scheme, host and port of the upstream that is polled."),
  upstreams: z.array(upstreamAnswer).describe("Its upstreams, the preferred one first."),
  paused_until: time().optional().describe("End of the pause that the server asked for. Absent while there is none."),
  longest_pause_seconds: seconds().describe("Longest pause that the server can cause (`longest_pause`)."),
  outage: outage.optional().describe("What does not answer. Absent while everything does."),
  budget: z
    .object({ minute: budget.describe("Any 60 seconds."), month: budget.describe("Any 31 days.") })
    .describe("The request budget; a month is 31 days."),
  rate_limits: z.array(rateLimit).describe("Quotas of the server, as its headers last said."),
  retired_operations: z.array(retired).describe("Operations that the server has switched off (410)."),
  collectors: z.array(collector).describe("Its collectors."),
});

const target = z.object({
  network: z.string().describe("Name of the network."),
  collector: z.string().describe("Name of the collector."),
  principal: z.string().optional().describe("The watched principal. Absent for the whole chain."),
  name: z.string().optional().describe("Its name in the watch list."),
  group: z.string().optional().describe("Its group, where it has one."),
  state: state.describe("Its state."),
  expired: z.boolean().describe("Whether its values are older than the maximum age, and gone from the metrics."),
  last_success_at: time().optional().describe("When the last valid answer came. Absent until then."),
  age_seconds: seconds().optional().describe("Age of the data: time since then."),
  last_poll_at: time().optional().describe("When the last poll ended."),
  next_poll_at: nextPoll,
  failing_since: failingSince,
  failures_in_a_row: count().describe("Polls that failed since the last success."),
  last_error: lastError,
});

/** The answer of /api/v1/status. */
export const statusAnswer = z
  .object({
    status: z.enum(keysOf(VERDICTS)).describe("How the exporter is as a whole."),
    version: z.string().describe("Version of the exporter."),
    time: time().describe("When this was true."),
    started_at: time().describe("When the exporter started."),
    uptime_seconds: seconds().describe("Time since then."),
    problems: z.array(problem).describe("What is wrong; empty when nothing is."),
    networks: z.array(network).describe("The networks, whatever targets were asked for."),
    targets: z
      .object({
        matched: count().describe("Targets that the parameters select, on all pages."),
        page: z.int().min(1).describe("Number of this page, from 1."),
        pages: z.int().min(1).describe("Number of pages."),
        limit: z.int().min(1).describe("Targets per page."),
        items: z.array(target).describe("Failing targets first, then the oldest data first."),
      })
      .describe("The targets that were asked for."),
  })
  .meta({ title: "Status of a stacks-exporter" });

/** The answer of /api/v1/status. */
export type StatusAnswer = z.infer<typeof statusAnswer>;
