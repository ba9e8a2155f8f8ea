// The document at /api/v1/status, which the page shows, too. Its times are Unix time in milliseconds until it is
// written as text, in which undefined fields are absent.
import { formatSchedule } from "../scheduler/interval.ts";
import { healthOf, problemsOf } from "../telemetry/health.ts";
import type { ReloadReports } from "../telemetry/reports.ts";
import { needsAttention, networkStatuses, type StatusSources, type TargetStatus } from "../telemetry/status.ts";
import type { Selection } from "./status-query.ts";

/** The running program. */
export interface Program {
  readonly version: string;
  /** Unix time, milliseconds. */
  readonly startedAt: number;
  readonly reloads: ReloadReports;
}

/** The document; docs/status.md describes it. */
export type Status = ReturnType<typeof statusOf>;

/** The document, with one page of the selected targets. */
export function statusOf(sources: StatusSources, { version, startedAt, reloads }: Program, selection: Selection) {
  const { page, limit } = selection;
  const networks = networkStatuses(sources);
  const problems = problemsOf(networks, reloads);
  const selected = networks
    .flatMap(({ targets }) => targets)
    .filter((target) => matches(target, selection))
    .sort((a, b) => rankOf(a) - rankOf(b) || (a.last_success_at ?? 0) - (b.last_success_at ?? 0));
  return {
    status: healthOf(networks, problems),
    version,
    time: sources.now,
    started_at: startedAt,
    problems,
    networks: networks.map(({ name, url, upstreams, budget, collectors }) => ({
      ...{ name, url, upstreams, budget },
      collectors: collectors.map((one) => ({ ...one, schedule: formatSchedule(one.schedule) })),
    })),
    targets: {
      /** On all pages. */
      matched: selected.length,
      page,
      pages: Math.max(1, Math.ceil(selected.length / limit)),
      limit,
      items: selected.slice((page - 1) * limit, page * limit),
    },
  };
}

function matches(target: TargetStatus, { network, collector, state, q = "" }: Selection): boolean {
  if (target.network !== (network ?? target.network) || target.collector !== (collector ?? target.collector))
    return false;
  const texts = [target.principal, target.name, target.group];
  return (
    target.state === (state ?? target.state) && texts.some((one = "") => one.toLowerCase().includes(q.toLowerCase()))
  );
}

// Those that need attention, then the oldest data, then those that wait.
const rankOf = (target: TargetStatus): number => (needsAttention(target) ? 0 : target.state === "waiting" ? 2 : 1);

/** The document with every secret masked. */
export const masked = (status: Status, mask: (text: string) => string): Status =>
  JSON.parse(
    JSON.stringify(status, (_, value: unknown) => (typeof value === "string" ? mask(value) : value)),
  ) as Status;

/** The document as JSON, with times in RFC 3339. */
export const jsonOf = (status: Status): string =>
  JSON.stringify(status, (name, value: unknown) =>
    typeof value === "number" && /^time$|^since$|^until$|^at$|_(at|since)$/.test(name)
      ? new Date(value).toISOString()
      : value,
  );
