// The committed dashboards, with their panels and queries as lists.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../dashboards/json/", import.meta.url));

interface Link {
  readonly url?: string;
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: Readonly<Record<"x" | "y" | "w" | "h", number>>;
  readonly panels?: readonly Panel[];
  readonly targets?: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly legendFormat?: string;
    readonly instant?: boolean;
    readonly datasource: { readonly uid: string };
  }[];
  readonly links?: readonly Link[];
  readonly datasource?: { readonly uid: string };
  readonly options?: { readonly legend?: { readonly calcs: readonly string[] } };
  readonly fieldConfig: {
    readonly defaults: {
      readonly unit?: string;
      readonly noValue?: string;
      readonly thresholds?: { readonly steps: readonly { readonly value: number | null }[] };
    };
  };
}

export interface Variable {
  readonly name: string;
  readonly type: string;
  readonly query: string;
  /** The expression that matches all values. */
  readonly allValue?: string;
}

export interface Dashboard {
  readonly uid: string;
  readonly tags: readonly string[];
  readonly editable: boolean;
  readonly graphTooltip: number;
  readonly links: readonly Link[];
  readonly templating: { readonly list: readonly Variable[] };
  readonly annotations: { readonly list: readonly { readonly name: string; readonly expr: string }[] };
  readonly panels: readonly Panel[];
}

/** Every committed dashboard. */
export const dashboards: readonly Dashboard[] = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => JSON.parse(readFileSync(folder + name, "utf8")) as Dashboard);

/** Every panel and every row of a dashboard, nested ones included. */
export const entriesOf = ({ panels }: Dashboard): Panel[] =>
  panels.flatMap((panel) => [panel, ...(panel.panels ?? [])]);

/** Every panel except rows. */
export const panelsOf = (dashboard: Dashboard): Panel[] => entriesOf(dashboard).filter(({ type }) => type !== "row");

/** A query of a panel, an annotation or a variable. */
export interface BoardQuery {
  /** Its position, for a message. */
  readonly at: string;
  readonly expr: string;
  readonly legend: string;
}

/** Every PromQL expression of a dashboard. */
export function queriesOf(dashboard: Dashboard): BoardQuery[] {
  const { uid, annotations } = dashboard;
  return [
    ...panelsOf(dashboard).flatMap(({ id, title, targets = [] }) =>
      targets.map(({ refId, expr, legendFormat = "" }) => ({
        at: `${uid}/${id}/${refId} (${title})`,
        expr,
        legend: legendFormat,
      })),
    ),
    ...annotations.list
      .filter(({ expr }) => expr !== undefined)
      .map(({ name, expr }) => ({ at: `${uid}, annotation ${name}`, expr, legend: "" })),
  ];
}

/** The selector within `label_values(selector, label)`. */
export const selectorOfVariable = ({ query }: Variable): string => /^label_values\((.*), \w+\)$/.exec(query)?.[1] ?? "";
