import { expect, test } from "@jest/globals";
import { importable } from "../../tools/release/grafana.ts";
import { dashboards, panelsOf } from "../support/dashboards.ts";

test.each(dashboards.map((dashboard) => [dashboard.uid, dashboard] as const))(
  "%s asks for its data source, and names every plugin that it needs",
  (_, dashboard) => {
    const { templating, ...made } = importable(dashboard) as typeof dashboard & {
      readonly __inputs: readonly { readonly name: string; readonly pluginId: string }[];
      readonly __requires: readonly { readonly type: string; readonly id: string }[];
    };

    expect(made.__inputs).toMatchObject([{ name: "DS_PROMETHEUS", pluginId: "prometheus" }]);
    const sources = templating.list.filter(({ type }) => type === "datasource");
    const value = "$" + "{DS_PROMETHEUS}";
    expect(sources).toMatchObject([{ name: "datasource", current: { value } }]);
    const required = made.__requires.map(({ type, id }) => `${type} ${id}`);
    const types = new Set(panelsOf(dashboard).map(({ type }) => type));
    expect(required).toEqual(expect.arrayContaining(["grafana grafana", "datasource prometheus"]));
    for (const type of types) if (type !== "row") expect(required).toContain(`panel ${type}`);
    expect(made).toMatchObject({ id: null, uid: dashboard.uid });
  },
);
