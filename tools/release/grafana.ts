// Dashboards in the form that grafana.com takes: what an import asks for, and what a dashboard needs.

/** A dashboard as JSON. */
export interface Dashboard {
  readonly panels: readonly PanelOf[];
  readonly templating: { readonly list: readonly { readonly type: string }[] };
}

interface PanelOf {
  readonly type: string;
  readonly panels?: readonly PanelOf[];
}

const INPUT = "DS_PROMETHEUS";
/** The oldest Grafana that reads the schema of the dashboards. */
const GRAFANA = "10.0.0";
// A row is no plugin.
const PANELS: Readonly<Record<string, string>> = {
  alertlist: "Alert list",
  gauge: "Gauge",
  heatmap: "Heatmap",
  stat: "Stat",
  "state-timeline": "State timeline",
  table: "Table",
  timeseries: "Time series",
};

const typesOf = (panels: readonly PanelOf[]): readonly string[] =>
  panels.flatMap(({ type, panels: inner = [] }) => [...(type === "row" ? [] : [type]), ...typesOf(inner)]);

/** The dashboard for an import: Grafana asks for the data source, which becomes the default of the variable. */
export function importable(dashboard: Dashboard): object {
  const source = `\${${INPUT}}`;
  const list = dashboard.templating.list.map((variable) =>
    variable.type === "datasource"
      ? { ...variable, current: { selected: true, text: source, value: source } }
      : variable,
  );
  const plugins = [...new Set(typesOf(dashboard.panels))].sort().map((id) => {
    const name = PANELS[id];
    if (name === undefined) throw new Error(`tools/release/grafana.ts: expected the name of panels of type ${id}`);
    return { type: "panel", id, name, version: "" };
  });
  return {
    __inputs: [
      {
        name: INPUT,
        label: "Prometheus",
        description: "The Prometheus that scrapes stacks-exporter.",
        type: "datasource",
        pluginId: "prometheus",
        pluginName: "Prometheus",
      },
    ],
    __requires: [
      { type: "grafana", id: "grafana", name: "Grafana", version: GRAFANA },
      { type: "datasource", id: "prometheus", name: "Prometheus", version: "1.0.0" },
      ...plugins,
    ],
    ...dashboard,
    id: null,
    templating: { ...dashboard.templating, list },
  };
}
