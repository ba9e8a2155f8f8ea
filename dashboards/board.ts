// Builds a dashboard from its declaration: lays out the panels, and adds the variables, links and annotations of all
// dashboards.
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";
import { oneLine } from "../alerts/model.ts";
import { DEFAULTS, filled, type Values } from "../alerts/values.ts";
import { DATASOURCE, type Panel } from "./panel.ts";
import { chosen, firing, metric, OF_TARGET, ofProcess } from "./select.ts";

/** Tag of all dashboards; the links between dashboards use it. */
export const TAG = "stacks-exporter";

/** A cell of the grid: a panel, or several panels stacked vertically. */
export type Slot = Panel | Stack;

interface Stack {
  readonly width: number;
  readonly height: number;
  readonly panels: readonly Panel[];
}

/** Stacks panels of the same width vertically. */
export function stack(...panels: readonly [Panel, ...Panel[]]): Stack {
  return { width: panels[0].width, height: panels.reduce((sum, { height }) => sum + height, 0), panels };
}

/** Panels under a heading; panels without a heading are at the top. */
export interface Row {
  /** Unique in the dashboard. Absent: no heading. */
  readonly id?: number;
  readonly title?: string;
  /** Closed by default: its queries run only when it is open. */
  readonly collapsed?: boolean;
  readonly panels: readonly Slot[];
}

export interface Board {
  /** Never changes: bookmarks and links use it. */
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  /** Default start of the time range, such as `now-6h`. */
  readonly from: string;
  /** Whether the dashboard shows one network at a time, or several. */
  readonly networks: "one" | "several";
  readonly variables?: readonly Variable[];
  readonly rows: readonly Row[];
}

/** A variable of a single dashboard. */
export type Variable =
  | {
      readonly kind: "label";
      readonly name: string;
      readonly label: string;
      readonly query: string;
      /** One value at a time. @default several */
      readonly isSingle?: boolean;
    }
  | { readonly kind: "choice"; readonly name: string; readonly label: string; readonly values: readonly string[] };

/**
 * A variable with the values of a label of a series, of the selected exporters and networks.
 * @param within earlier variables that restrict it, by the labels that have their names
 */
export function choiceOf(
  series: string,
  of: string,
  label: string,
  {
    name = of,
    within = [],
    isSingle = false,
  }: Partial<Record<"name", string>> & {
    readonly within?: readonly string[];
    readonly isSingle?: boolean;
  } = {},
): Variable {
  const scope = [...OF_TARGET, ...["network", ...within].map(chosen)].join(", ");
  return { kind: "label", name, label, query: `label_values(${series}{${scope}}, ${of})`, isSingle };
}

function labelVariable(name: string, label: string, query: string, isMulti: boolean) {
  const builder = new dashboard.QueryVariableBuilder(name)
    .label(label)
    .datasource(DATASOURCE)
    .query(query)
    .definition(query)
    .multi(isMulti)
    .includeAll(isMulti)
    .sort(dashboard.VariableSort.AlphabeticalAsc)
    .refresh(dashboard.VariableRefresh.OnTimeRangeChanged);
  // Also those without the label, such as an address without a group, or an exporter outside of clusters.
  const all = name === "job" || name === "instance" ? ".+" : ".*";
  return isMulti ? builder.allValue(all).current({ selected: true, text: "All", value: "$__all" }) : builder;
}

function ownVariable(variable: Variable) {
  const { name, label } = variable;
  if (variable.kind === "label") return labelVariable(name, label, variable.query, !variable.isSingle);
  const [first = ""] = variable.values;
  return new dashboard.CustomVariableBuilder(name)
    .label(label)
    .values(variable.values.join(","))
    .options(variable.values.map((value) => ({ selected: value === first, text: value, value })))
    .current({ selected: true, text: first, value: first });
}

/** A variable that chooses exporters, among those that the variables before it have chosen. */
function ofTarget(name: string, title: string, before: number, label = name) {
  const matchers = ["%(selector)s", ...OF_TARGET.slice(0, before)].join(", ");
  return labelVariable(name, title, `label_values(stacks_exporter_build_info{${matchers}}, ${label})`, true);
}

function variablesOf({ networks, variables = [] }: Board) {
  return [
    new dashboard.DatasourceVariableBuilder("datasource")
      .label("Data source")
      .type("prometheus")
      .current({ selected: true, text: "default", value: "default" }),
    ofTarget("cluster", "Cluster", 0, "%(clusterLabel)s"),
    ofTarget("namespace", "Namespace", 1, "%(namespaceLabel)s"),
    ofTarget("job", "Job", 2),
    ofTarget("instance", "Instance", 3),
    labelVariable(
      "network",
      "Network",
      `label_values(stacks_up{${OF_TARGET.join(", ")}}, network)`,
      networks === "several",
    ),
    ...variables.map(ownVariable),
  ];
}

const annotation = (name: string, expr: string, color: string, title: string, text: string) =>
  new dashboard.AnnotationQueryBuilder()
    .name(name)
    .datasource(DATASOURCE)
    .enable(true)
    .hide(false)
    .iconColor(color)
    .expr(expr)
    .step("60s")
    .titleFormat(title)
    .textFormat(text);

const annotations = () => [
  annotation("Alerts", firing, "red", "{{alertname}}", "{{severity}} {{name}} {{collector}}"),
  annotation(
    "Reorganisations",
    `increase(${metric("stacks_chain_reorgs_total")}[2m]) > 0`,
    "purple",
    "Reorganisation",
    "{{network}}: known blocks were replaced",
  ),
  annotation(
    "Restarts",
    `time() - ${ofProcess("process_start_time_seconds")} < 120`,
    "blue",
    "Exporter restarted",
    "{{instance}}: the process was restarted",
  ),
];

const links = () => [
  new dashboard.DashboardLinkBuilder("Stacks")
    .type(dashboard.DashboardLinkType.Dashboards)
    .tags([TAG])
    .asDropdown(false)
    .includeVars(true)
    .keepTime(true),
  new dashboard.DashboardLinkBuilder("Runbooks")
    .type(dashboard.DashboardLinkType.Link)
    .url("%(runbookUrl)s/")
    .icon("doc")
    .tooltip("Meaning of each alert, and what to do")
    .targetBlank(true),
];

const WIDTH = 24;

/** Places panels from left to right in lines. Returns the models and the first free line. */
function placed(slots: readonly Slot[], top: number): { readonly models: dashboard.Panel[]; readonly bottom: number } {
  let [x, y, lineHeight] = [0, top, 0];
  const models = slots.flatMap((slot) => {
    if (x + slot.width > WIDTH) [x, y, lineHeight] = [0, y + lineHeight, 0];
    let below = y;
    const stacked = ("panels" in slot ? slot.panels : [slot]).map(({ width, height, model }) => {
      const gridPos = { x, y: below, w: width, h: height };
      below += height;
      return { ...model, gridPos };
    });
    x += slot.width;
    lineHeight = Math.max(lineHeight, slot.height);
    return stacked;
  });
  return { models, bottom: y + lineHeight };
}

function layOut(rows: readonly Row[]): (dashboard.Panel | dashboard.RowPanel)[] {
  let y = 0;
  return rows.flatMap(({ id, title, collapsed = false, panels }) => {
    if (id === undefined || title === undefined) {
      const { models, bottom } = placed(panels, y);
      y = bottom;
      return models;
    }
    const { models, bottom } = placed(panels, y + 1);
    const head = new dashboard.RowBuilder(title).id(id).gridPos({ x: 0, y, w: WIDTH, h: 1 }).collapsed(collapsed);
    y = collapsed ? y + 1 : bottom;
    const row = head.build();
    return collapsed ? [{ ...row, panels: models }] : [row, ...models];
  });
}

/** The dashboard in the JSON format of Grafana, with values. */
export const boardWith = (board: Board, values: Values = DEFAULTS): dashboard.Dashboard =>
  filled(dashboardOf(board), values);

/** The dashboard in the JSON format of Grafana, with tokens. */
export function dashboardOf(board: Board): dashboard.Dashboard {
  const built = new dashboard.DashboardBuilder(board.title)
    .uid(board.uid)
    .description(oneLine(board.description))
    .tags([TAG])
    .readonly()
    .timezone("browser")
    .time({ from: board.from, to: "now" })
    .refresh("30s")
    .tooltip(dashboard.DashboardCursorSync.Crosshair)
    .variables(variablesOf(board))
    .annotations(annotations())
    .links(links())
    .build();
  return { ...built, panels: layOut(board.rows) };
}
