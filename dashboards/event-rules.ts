// The dashboard of the event rules of a configuration: one row per contract, one panel or two per metric.
import { crc32 } from "node:zlib";
import type { Family } from "../src/exposition/family.ts";
import type { Board, Row } from "./board.ts";
import { lines, type Panel } from "./panel.ts";
import { ofFamily, perMinute } from "./select.ts";
import { ruleErrors } from "./shared-panels.ts";

/** A contract with event rules. */
export interface RuledContract {
  /** Value of the label `name`. */
  readonly name: string;
  /** The metrics that its rules make. */
  readonly families: readonly Family[];
}

const IDENTITY = ["network", "name", "contract_id"];
const NO_EVENT = "No such event was counted in this range";

/** Numbers for panels, which stay the same when other rules are added: links of users refer to them. */
class Ids {
  readonly #used = new Set<number>();

  of(text: string): number {
    let id = crc32(text) >>> 1;
    while (this.#used.has(id)) id += 1;
    this.#used.add(id);
    return id;
  }
}

const errors = (id: number): Panel =>
  ruleErrors({
    id,
    title: "Events that do not fit their rule",
    noValue: "None: all events match the types of the rules",
    width: 24,
    height: 6,
  });

/** The panel of a metric: the rate of a counter, the value of a gauge. */
function panelOf(family: Family, contract: string, ids: Ids): Panel {
  const labels = ["network", ...family.labelNames.filter((label) => !IDENTITY.includes(label))];
  const series = ofFamily(family, "", { name: contract });
  const isCounter = family.kind === "counter";
  const legend = labels.map((label) => `{{${label}}}`).join(" ");
  return lines({
    id: ids.of(`${contract} ${family.name}`),
    title: family.name,
    description: isCounter
      ? `${family.help} Per minute, by the labels of the rule. Series without an increase in the time range are not shown.`
      : `${family.help} The value of the newest event, by the labels of the rule.`,
    noValue: isCounter ? NO_EVENT : "No such event yet, or the contract is not polled",
    unit: "short",
    ...(isCounter ? { axis: "per minute", interval: "5m" } : { min: "auto" as const }),
    width: 12,
    height: 8,
    queries: {
      [legend]: isCounter ? perMinute(labels.join(", "), series) : `max by (${labels.join(", ")}) (${series})`,
    },
  });
}

/** The dashboard of these contracts. */
export function eventRulesBoard(contracts: readonly RuledContract[]): Board {
  const ids = new Ids();
  const rows = contracts.map(
    ({ name, families }): Row => ({
      id: ids.of(name),
      title: name,
      panels: families.map((family) => panelOf(family, name, ids)),
    }),
  );
  return {
    uid: "stacks-event-rules",
    title: "Stacks / Event rules",
    description: "Which values do the event rules of the configuration read from the events of the contracts?",
    from: "now-6h",
    networks: "several",
    rows: [...rows, { id: ids.of("quality"), title: "Data quality", panels: [errors(ids.of("errors"))] }],
  };
}
