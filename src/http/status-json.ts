// The document at /api/v1/status, which the page shows, too, and its query. Its times are Unix time in milliseconds
// until it is written as text, in which undefined fields are absent.
import { z } from "zod";
import { sum } from "../api/budget.ts";
import type { Task } from "../collectors/collector.ts";
import { healthOf, problemsOf } from "../telemetry/health.ts";
import type { ReloadReports } from "../telemetry/status.ts";
import {
  needsAttention,
  networkStatuses,
  type StatusSources,
  TARGET_STATES,
  type TargetStatus,
} from "../telemetry/status.ts";

const text = z.string().optional();
const selection = z.strictObject({
  network: text,
  collector: text,
  state: z.enum(TARGET_STATES).optional(),
  principal: text,
  name: text,
  group: text,
  limit: z.coerce.number().int().min(1).max(100_000).default(100),
});

/** Which targets are listed: those with these values, and how many of them. docs/status.md describes it. */
export type Selection = z.output<typeof selection>;

/** Parses a query such as `collector=addresses&state=degraded`. @throws ZodError */
export const parseQuery = (query: object): Selection => selection.parse(query);

/** The document; docs/status.md describes it. */
export type Status = ReturnType<typeof statusOf>;

/** The document of a version that started at a Unix time in milliseconds, with the selected targets. */
export function statusOf(
  sources: StatusSources & { readonly version: string; readonly startedAt: number; readonly reloads: ReloadReports },
  { limit, ...wanted }: Selection,
) {
  const { version, startedAt, reloads } = sources;
  const networks = networkStatuses(sources);
  const problems = problemsOf(networks, reloads);
  // Reading them takes longer than the others.
  const isNamed = wanted.principal !== undefined || wanted.name !== undefined;
  const filters = Object.entries(wanted) as [keyof typeof wanted, string | undefined][];
  const selected = networks
    .flatMap(({ targets }) => targets)
    .filter((target) => filters.every(([name, value]) => value === undefined || target[name] === value))
    .sort((a, b) => rankOf(a) - rankOf(b) || (a.last_success_at ?? 0) - (b.last_success_at ?? 0));
  return {
    status: healthOf(networks, problems),
    version,
    time: sources.now,
    started_at: startedAt,
    problems,
    networks: networks.map(({ name, url, upstreams, budget, first_polls_end_at, collectors }) => {
      return { name, url, upstreams, budget, first_polls_end_at, collectors };
    }),
    targets: {
      matched: selected.length,
      items: selected.slice(0, limit).map((target) => ({
        ...target,
        counted: isNamed ? countedOf(target, sources) : undefined,
      })),
    },
  };
}

/** The last counted transactions of a target, newest first; undefined if its collector keeps none. */
function countedOf({ network, collector, principal }: TargetStatus, { tasks, state }: StatusSources) {
  const isIt = ({ target, ...task }: Task) =>
    task.network === network && task.collector.name === collector && target.key === principal;
  const task = tasks.find(isIt);
  const observation = task && state.observationOf(task);
  const rows = observation === undefined ? undefined : task?.collector.lastCounted?.(observation);
  return rows?.toReversed().map(({ id, time, amounts }) => ({
    tx_id: id,
    time: time && time * 1000,
    // Exact: amounts of tokens have up to 128 bits.
    amounts: Object.fromEntries(Object.entries(amounts).map(([asset, amount]) => [asset, String(amount)])),
  }));
}

// Those that need attention, then the oldest data, then those that wait.
const rankOf = (target: TargetStatus): number => (needsAttention(target) ? 0 : target.state === "waiting" ? 2 : 1);

/** How many targets of a network have not been polled yet, and until when; undefined if there is none. */
export function unpolledOf({ collectors, first_polls_end_at: end }: Status["networks"][number]): string | undefined {
  const unpolled = sum(collectors.map(({ targets }) => targets.waiting));
  if (unpolled === 0) return undefined;
  return `${unpolled} targets have not been polled yet; planned until ${new Date(end).toISOString()}`;
}

/** A document with every secret masked. */
export const masked = <Document>(document: Document, mask: (text: string) => string): Document =>
  JSON.parse(
    JSON.stringify(document, (_, value: unknown) => (typeof value === "string" ? mask(value) : value)),
  ) as Document;

/** The document as JSON, with times in RFC 3339. */
export const jsonOf = (status: Status): string =>
  JSON.stringify(status, (name, value: unknown) =>
    typeof value === "number" && /^(time|since|at)$|_(at|since)$/.test(name) ? new Date(value).toISOString() : value,
  );
