// A page with every family on it, as it is on a quiet day, for what all alerts make of it together.
import { collectorFamilies } from "../../src/collectors/index.ts";
import type { Family, Label } from "../../src/exposition/family.ts";
import { selfMetrics } from "../../src/telemetry/self-metrics.ts";
import { climb, hold } from "../support/promtool.ts";

/** A series of the page, and what it is on a quiet day: a constant value, or one that increases every minute. */
export interface Line {
  readonly name: string;
  readonly kind: Family["kind"];
  /** A self-metric: it stays on the page when the API is down. */
  readonly isOwn: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly from: number;
  readonly step: number;
}

const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  network: ["mainnet"],
  collector: ["fees", "mempool", "blocks", "addresses", "balances", "waiting", "contracts", "contract_calls"],
  group: ["heartbeat"],
};
/** There only when something has happened. */
const USUALLY_ABSENT = /_last_reorg_|_missing_nonce$|_mempool_blocked_/;
const TROUBLE = /failures_total|pauses|unexpected|overflow|gap|revert|skipped|missing|irregular|reorg|bad_/;
const STANDING: Readonly<Record<string, number>> = {
  stacks_exporter_collector_interval_seconds: 60,
  stacks_exporter_budget_limit_requests: 74_400,
  stacks_exporter_budget_remaining_requests: 90,
  stacks_exporter_series_limit: 20_000,
  stacks_exporter_state_damaged: 0,
  stacks_mempool_fee_priority_microstx: 3000,
  stacks_mempool_transactions: 40,
  stacks_chain_tenure_execution_cost_limit: 50,
  stacks_chain_blocks_per_burn_block: 60,
  stacks_address_backlog_transactions: 0,
  stacks_address_unlock_burn_block_height: 2000,
};

function quietDay(family: Family, labels: Readonly<Record<string, string>>): Pick<Line, "from" | "step"> {
  const { name, kind } = family;
  if (name.endsWith("_timestamp_seconds")) return { from: 0, step: 60 };
  if (kind === "gauge") {
    if ("state" in labels && name.startsWith("stacks_exporter_"))
      return { from: labels.state === "active" ? 1 : 0, step: 0 };
    return { from: STANDING[name] ?? 1, step: 0 };
  }
  const failed = (labels.tx_status ?? "success") !== "success" || (labels.outcome ?? "ok") !== "ok";
  // Contracts are rarely deployed.
  const isRare = failed || labels.tx_type === "smart_contract";
  return { from: 50, step: TROUBLE.test(name) || isRare ? 0 : 1 };
}

function combinations(labels: Readonly<Record<string, Label>>): Record<string, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (sets, [name, { values }]) => {
      const all = EXAMPLES[name] ?? values ?? ["one"];
      return sets.flatMap((set) => all.map((value) => ({ ...set, [name]: value })));
    },
    [{}],
  );
}

/** All series of the page. */
export const page: readonly Line[] = [
  ...collectorFamilies.map((family) => ({ family, isOwn: false })),
  ...selfMetrics.map((family) => ({ family, isOwn: true })),
]
  .filter(({ family }) => !USUALLY_ABSENT.test(family.name))
  .flatMap(({ family, isOwn }) =>
    // A part of the series is sufficient for large families.
    combinations(family.labels)
      .slice(0, 30)
      .map((labels) => ({ name: family.name, kind: family.kind, isOwn, labels, ...quietDay(family, labels) })),
  );

/** The selector of a line, as promtool wants it. */
export function nameOf({ name, labels }: Line): string {
  const all = { ...labels, job: "stacks", instance: "exporter" };
  return `${name}{${Object.entries(all)
    .map(([label, value]) => `${label}="${value}"`)
    .join(", ")}}`;
}

/** The samples of a line on a quiet day, from one minute on. */
export function quietly({ from, step }: Line, minutes: number, since = 0): string {
  return step === 0 ? hold(from, minutes) : climb(from + step * since, step, minutes);
}
