// The panels of the exporter's board about upstreams: which one is polled, which can be used, and how far each lags.
import { lines, type Panel, shown, table } from "./panel.ts";
import { of } from "./select.ts";

const NOT_SCRAPED = "Nothing: is the exporter scraped?";
const inRange = (family: string) => `sum by (network, upstream) (increase(${of(family)}[$__range]))`;
const yesNo = (name: string, no: string) => ({
  name,
  properties: { mappings: [shown(1, "yes", "green", 0), shown(0, "no", no, 1)] },
});

/** One row: a table of what is, and the lag over time. */
export const upstreams: readonly Panel[] = [
  table({
    id: 51,
    title: "Upstreams",
    description:
      "The servers of each network: which one is polled, whether it can be used (it answers, follows the right chain and does not lag), how far it lags, how often it took over in the range shown, and hourly comparisons in which it had another block at a settled height. The status page names the cause.",
    unit: "short",
    decimals: 0,
    noValue: NOT_SCRAPED,
    width: 12,
    height: 8,
    queries: [
      { expr: `max by (network, upstream) (${of("stacks_exporter_upstream_active")})` },
      { expr: `min by (network, upstream) (${of("stacks_exporter_upstream_up")})` },
      { expr: `max by (network, upstream) (${of("stacks_exporter_upstream_lag_blocks")})` },
      { expr: inRange("stacks_exporter_upstream_switches_total") },
      { expr: inRange("stacks_exporter_upstream_disagreements_total") },
    ],
    columns: {
      network: "network",
      upstream: "upstream",
      "Value #A": "polled",
      "Value #B": "can be used",
      "Value #C": "lag",
      "Value #D": "took over",
      "Value #E": "disagreed",
    },
    overrides: [yesNo("polled", "text"), yesNo("can be used", "red")],
  }),
  lines({
    id: 52,
    title: "Lag of the upstreams",
    legend: "right",
    description:
      "Blocks between the highest known tip and the tip that each upstream last told. A few blocks are the time between two probes.",
    unit: "short",
    decimals: 0,
    noValue: "No upstream has told its tip",
    width: 12,
    height: 8,
    axis: "blocks",
    min: 0,
    queries: [
      {
        expr: `max by (network, upstream) (${of("stacks_exporter_upstream_lag_blocks")})`,
        legend: "{{network}} {{upstream}}",
      },
    ],
  }),
];
