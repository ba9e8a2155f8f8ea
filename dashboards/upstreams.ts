// Panels of the dashboard Exporter about upstreams.
import { type Panel, shown, table } from "./panel.ts";
import { metric } from "./select.ts";

const yesNo = (name: string, no: string) => ({
  name,
  properties: { mappings: [shown(1, "yes", "green", 0), shown(0, "no", no, 1)] },
});

/** The row of upstreams. */
export const upstreams: readonly Panel[] = [
  table({
    id: 51,
    title: "Upstreams",
    description: `The upstreams of each network: the active one, whether each can be used (it responds, follows the
      right chain and does not lag), its lag, and switches to it or from it in the time range. The status page shows the
      cause.`,
    decimals: 0,
    labels: ["network", "upstream"],
    values: {
      polled: `max by (network, upstream) (${metric("stacks_exporter_upstream_active")})`,
      "can be used": `min by (network, upstream) (${metric("stacks_exporter_upstream_up")})`,
      lag: `max by (network, upstream) (${metric("stacks_exporter_upstream_lag_blocks")})`,
      switches: `max by (network, upstream) (changes(${metric("stacks_exporter_upstream_active")}[$__range]))`,
    },
    overrides: [yesNo("polled", "text"), yesNo("can be used", "red")],
  }),
];
