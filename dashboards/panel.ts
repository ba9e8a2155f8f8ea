// Panels. Required properties (title, description, unit, text for missing data) are fields of `Spec`.
import type * as cog from "@grafana/grafana-foundation-sdk/cog";
import * as common from "@grafana/grafana-foundation-sdk/common";
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";
import * as gaugePanel from "@grafana/grafana-foundation-sdk/gauge";
import * as prometheus from "@grafana/grafana-foundation-sdk/prometheus";
import * as statPanel from "@grafana/grafana-foundation-sdk/stat";
import * as timelinePanel from "@grafana/grafana-foundation-sdk/statetimeline";
import * as tablePanel from "@grafana/grafana-foundation-sdk/table";
import * as linesPanel from "@grafana/grafana-foundation-sdk/timeseries";
import { oneLine } from "../alerts/model.ts";
import { scaled } from "../alerts/values.ts";

const NOT_SCRAPED = "No data: is the exporter scraped?";

/** The data source of every query. */
export const DATASOURCE: common.DataSourceRef = { type: "prometheus", uid: "$datasource" };

/** Expressions by their legends, in the format of Grafana; `__auto` shows all labels. */
export type Queries = Readonly<Record<string, string>>;

/** A limit of an alert, or a multiple of it, where a number belongs: a token, which becomes one with the values. */
export const level = (limit: string, factor = 1): number => scaled(limit, factor) as unknown as number;

/** Colours by value. Each applies from its value upwards, the first from minus infinity. */
export type Step = readonly [number, string];
export type Steps = readonly [readonly [null, string], ...Step[]];

/** Overrides the appearance of some fields. */
export interface Override {
  readonly name?: string;
  readonly regexp?: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Properties of every panel. */
export interface Look {
  /** Unique in its dashboard, and never reused: links and alerts of users refer to it. */
  readonly id: number;
  readonly title: string;
  /** Explains the panel and its use. */
  readonly description: string;
  /** Unit, as named by Grafana. @default short */
  readonly unit?: string;
  /** Text for a missing value. @default that of an exporter that is not scraped */
  readonly noValue?: string;
  /** In columns, of 24. @default 12 */
  readonly width?: number;
  /** In grid units of 30 pixels. @default 8 */
  readonly height?: number;
  readonly decimals?: number;
  /** @default 0 for lines, unless the axis is logarithmic */
  readonly min?: number | "auto";
  readonly max?: number;
  readonly steps?: Steps;
  /** Text and colour that replace a value. */
  readonly mappings?: readonly dashboard.ValueMapping[];
  readonly overrides?: readonly Override[];
  /** Minimum interval between two points, such as `5m`: for long windows. */
  readonly interval?: string;
  /** A link to more information. */
  readonly link?: { readonly title: string; readonly url: string };
}

/** A panel with queries. */
export interface Spec extends Look {
  readonly queries: Queries;
}

/** A panel without a position. */
export interface Panel {
  readonly width: number;
  readonly height: number;
  readonly model: dashboard.Panel;
}

type Builder =
  | gaugePanel.PanelBuilder
  | linesPanel.PanelBuilder
  | statPanel.PanelBuilder
  | tablePanel.PanelBuilder
  | timelinePanel.PanelBuilder;

type Shape = "range" | "instant" | "table";

const refId = (index: number) => String.fromCharCode("A".charCodeAt(0) + index);

function target(expr: string, legend: string, index: number, shape: Shape): cog.Builder<cog.Dataquery> {
  const query = new prometheus.DataqueryBuilder()
    .refId(refId(index))
    .datasource(DATASOURCE)
    .expr(expr)
    .legendFormat(legend);
  if (shape === "table") return query.instant().format(prometheus.PromQueryFormat.Table);
  return shape === "instant" ? query.instant() : query.range();
}

const thresholds = (steps: Steps) =>
  new dashboard.ThresholdsConfigBuilder()
    .mode(dashboard.ThresholdsMode.Absolute)
    .steps(steps.map(([value, color]) => ({ value, color })));

const colours = (mode: dashboard.FieldColorModeId) => new dashboard.FieldColorBuilder().mode(mode);

function finish(
  builder: Builder,
  spec: Look,
  shape: Shape,
  queries: readonly (readonly [legend: string, expr: string])[],
): Panel {
  const { width = 12, height = 8, min } = spec;
  builder
    .id(spec.id)
    .title(spec.title)
    .description(oneLine(spec.description))
    .datasource(DATASOURCE)
    .unit(spec.unit ?? "short")
    .noValue(spec.noValue ?? NOT_SCRAPED)
    .targets(queries.map(([legend, expr], index) => target(expr, legend, index, shape)));
  if (spec.decimals !== undefined) builder.decimals(spec.decimals);
  if (typeof min === "number") builder.min(min);
  if (spec.max !== undefined) builder.max(spec.max);
  if (spec.interval !== undefined) builder.interval(spec.interval);
  if (spec.mappings !== undefined) builder.mappings([...spec.mappings]);
  builder.thresholds(thresholds(spec.steps ?? [[null, "text"]]));
  if (spec.link !== undefined) {
    builder.links([new dashboard.DashboardLinkBuilder(spec.link.title).url(spec.link.url).targetBlank(true)]);
  }
  for (const { name, regexp, properties } of spec.overrides ?? []) {
    const list = Object.entries(properties).map(([id, value]) => ({ id, value }));
    if (name !== undefined) builder.overrideByName(name, list);
    else builder.overrideByRegexp(regexp ?? "", list);
  }
  return { width, height, model: builder.build() };
}

const reduced = (calc: string) => new common.ReduceDataOptionsBuilder().calcs([calc]).values(false);

const TEXT_MODES = { name: common.BigValueTextMode.Name, both: common.BigValueTextMode.ValueAndName };

export interface StatSpec extends Spec {
  readonly colour?: "value" | "background";
  readonly text?: keyof typeof TEXT_MODES;
  /** Size of the values in pixels. Absent: as large as fits, where a wide one can be cut. */
  readonly size?: number;
  /** Values below each other: ten names stay legible. @default side by side where they fit */
  readonly isList?: boolean;
}

/** Single values with common properties. */
export const stats = (common: Partial<StatSpec>, ...specs: readonly StatSpec[]): readonly Panel[] =>
  specs.map((spec) => stat({ ...common, ...spec }));

/** Single values. The steps colour the value, or the background. */
export function stat(spec: StatSpec): Panel {
  const { colour = "value", text, size, isList = false } = spec;
  const builder = new statPanel.PanelBuilder()
    .reduceOptions(reduced("lastNotNull"))
    .colorMode(colour === "value" ? common.BigValueColorMode.Value : common.BigValueColorMode.Background)
    .graphMode(common.BigValueGraphMode.None)
    .textMode(text === undefined ? common.BigValueTextMode.Auto : TEXT_MODES[text])
    .justifyMode(common.BigValueJustifyMode.Center)
    .colorScheme(colours(dashboard.FieldColorModeId.Thresholds));
  if (isList) builder.orientation(common.VizOrientation.Horizontal);
  if (size !== undefined) builder.text(new common.VizTextDisplayOptionsBuilder().valueSize(size));
  return finish(builder, spec, "instant", Object.entries(spec.queries));
}

/** A gauge from `min` to `max`, coloured by the steps. */
export function gauge(spec: Spec & { readonly min: number; readonly max: number; readonly steps: Steps }): Panel {
  const builder = new gaugePanel.PanelBuilder()
    .reduceOptions(reduced("lastNotNull"))
    .showThresholdLabels(false)
    .showThresholdMarkers(true)
    .colorScheme(colours(dashboard.FieldColorModeId.Thresholds));
  return finish(builder, spec, "instant", Object.entries(spec.queries));
}

export interface LinesSpec extends Spec {
  /** Label of the y axis. */
  readonly axis?: string;
  readonly log?: boolean;
  /** Maximum of the y axis, unless a value exceeds it. */
  readonly softMax?: number;
  /** Stacked areas. */
  readonly stacked?: boolean;
  readonly bars?: boolean;
  /** A dashed red line at this value; of two, the lower one is orange. */
  readonly limit?: number | readonly [number, number];
  /** @default right, or below a narrow panel */
  readonly legend?: "bottom" | "right";
  /** Connects points across gaps: for series with pauses between events. */
  readonly join?: boolean;
}

/** Lines over time. */
export function lines(spec: LinesSpec): Panel {
  const { axis, log = false, stacked = false, bars = false, limit, join = false, width = 12 } = spec;
  const { legend = width < 12 ? "bottom" : "right", min = log ? "auto" : 0 } = spec;
  const builder = new linesPanel.PanelBuilder()
    .lineWidth(bars ? 0 : stacked ? 1 : 2)
    .fillOpacity(bars ? 80 : stacked ? 35 : 0)
    .showPoints(common.VisibilityMode.Never)
    .spanNulls(join)
    .drawStyle(bars ? common.GraphDrawStyle.Bars : common.GraphDrawStyle.Line)
    .colorScheme(colours(dashboard.FieldColorModeId.PaletteClassic))
    .tooltip(
      new common.VizTooltipOptionsBuilder().mode(common.TooltipDisplayMode.Multi).sort(common.SortOrder.Descending),
    )
    .legend(
      new common.VizLegendOptionsBuilder()
        .showLegend(true)
        .displayMode(common.LegendDisplayMode.Table)
        .placement(legend === "right" ? common.LegendPlacement.Right : common.LegendPlacement.Bottom)
        .calcs(["lastNotNull", "max"])
        // Grafana's name of lastNotNull. Largest first: the legend cuts off what does not fit.
        .sortBy("Last *")
        .sortDesc(true),
    );
  if (axis !== undefined) builder.axisLabel(axis);
  // Otherwise the axis of a panel with only zeros goes up to 100.
  if (spec.softMax !== undefined || bars) builder.axisSoftMax(spec.softMax ?? 1);
  if (stacked) builder.stacking(new common.StackingConfigBuilder().mode(common.StackingMode.Normal).group("A"));
  if (log) {
    builder.scaleDistribution(new common.ScaleDistributionConfigBuilder().type(common.ScaleDistribution.Log).log(10));
  }
  const finished = (steps: Pick<Look, "steps">) =>
    finish(builder, { ...spec, ...steps, min }, "range", Object.entries(spec.queries));
  if (limit === undefined) return finished({});
  builder.thresholdsStyle(new common.GraphThresholdsStyleConfigBuilder().mode(common.GraphThresholdsStyleMode.Dashed));
  const [lower, upper] = Array.isArray(limit) ? limit : [undefined, limit];
  const orange: Step[] = lower === undefined ? [] : [[lower, "orange"]];
  return finished({ steps: [[null, "transparent"], ...orange, [upper, "red"]] });
}

/** Rates per minute, stacked. */
export const rates = (spec: LinesSpec): Panel => lines({ axis: "per minute", stacked: true, ...spec });

/** Rows of labels and values. */
export function table(
  spec: Look & {
    /** The shown labels; as an object, with their headings. */
    readonly labels: readonly string[] | Readonly<Record<string, string>>;
    /** Expressions by the headings of their columns. */
    readonly values?: Queries;
    /** Expressions of which only the labels are shown. */
    readonly only?: readonly string[];
    /** @default joins the rows with the same labels */
    readonly transformations?: readonly dashboard.DataTransformerConfig[];
    /** Column to sort by; a leading `-` sorts in descending order. */
    readonly sortBy?: string;
  },
): Panel {
  const { labels, values = {}, only = [], transformations = [{ id: "merge", options: {} }], sortBy } = spec;
  const queries = [...only.map((expr) => ["", expr] as const), ...Object.entries(values)];
  // Grafana's name of the field of a single query has no letter.
  const field = (index: number) => (queries.length === 1 ? "Value" : `Value #${refId(index)}`);
  const columns: Readonly<Record<string, string>> = {
    ...(Array.isArray(labels) ? Object.fromEntries(labels.map((label) => [label, label])) : labels),
    ...Object.fromEntries(Object.keys(values).map((heading, index) => [field(only.length + index), heading])),
  };
  const names = Object.keys(columns);
  const builder = new tablePanel.PanelBuilder()
    .cellHeight(common.TableCellHeight.Sm)
    .align(common.FieldTextAlignment.Auto)
    .transformations([
      ...transformations,
      { id: "filterFieldsByName", options: { include: { names } } },
      {
        id: "organize",
        options: {
          indexByName: Object.fromEntries(names.map((name, index) => [name, index])),
          renameByName: columns,
          excludeByName: {},
        },
      },
    ]);
  builder.minWidth(70).overrideByRegexp(".*", [{ id: "noValue", value: "–" }]);
  if (sortBy !== undefined) {
    const isDescending = sortBy.startsWith("-");
    builder.sortBy([
      new common.TableSortByFieldStateBuilder().displayName(sortBy.replace(/^-/, "")).desc(isDescending),
    ]);
  }
  return finish(
    builder,
    spec,
    "table",
    queries.map(([, expr]) => ["__auto", expr]),
  );
}

/** States over time, one row each. */
export function timeline(spec: Spec): Panel {
  const builder = new timelinePanel.PanelBuilder()
    .showValue(common.VisibilityMode.Never)
    .mergeValues(true)
    .rowHeight(0.8)
    .fillOpacity(80)
    .lineWidth(0)
    .colorScheme(colours(dashboard.FieldColorModeId.Thresholds))
    .legend(
      new common.VizLegendOptionsBuilder()
        .showLegend(true)
        .displayMode(common.LegendDisplayMode.List)
        .placement(common.LegendPlacement.Bottom)
        .calcs([]),
    );
  return finish(builder, spec, "range", Object.entries(spec.queries));
}

/** Maps a value to a text and a colour. */
export const shown = (value: number | string, text: string, color: string, index = 0): dashboard.ValueMapping => ({
  type: dashboard.MappingType.ValueToText,
  options: { [String(value)]: { text, color, index } },
});

/** Maps values from `from` to below `to` to a text and a colour. */
export const between = (
  from: number | null,
  to: number | null,
  text: string,
  color: string,
  index: number,
): dashboard.ValueMapping => ({
  type: dashboard.MappingType.RangeToText,
  options: { from, to, result: { text, color, index } },
});

/** Shows a field in a fixed colour. */
export const coloured = (name: string, color: string, more: Readonly<Record<string, unknown>> = {}): Override => ({
  name,
  properties: { color: { mode: "fixed", fixedColor: color }, ...more },
});
