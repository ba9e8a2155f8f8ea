// The form of the dashboards: what Grafana, a linter and a reader expect of each.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { DEFAULTS } from "../../alerts/values.ts";
import { TAG } from "../../dashboards/board.ts";
import { boards } from "../../dashboards/index.ts";
import { type Dashboard, dashboards, entriesOf, type Panel, panelsOf } from "../support/dashboards.ts";

// Bookmarks, links and provisioning of others depend on them.
const UIDS = ["stacks-addresses", "stacks-contracts", "stacks-exporter", "stacks-fees"];
// Those that dashboard-linter knows, of which ours are a few.
const UNITS = ["Bps", "bytes", "dateTimeFromNow", "locale", "m", "none", "percentunit", "s", "short"];

const feesDashboard = dashboards.find(({ uid }) => uid === "stacks-fees") as Dashboard;

test("there are five dashboards, under the uids they always had", () => {
  expect(dashboards.map(({ uid }) => uid).sort()).toEqual(UIDS);
  expect(boards.map(({ uid }) => uid).sort()).toEqual(UIDS);
});

test("the fees dashboard sends at most 25 queries when it is opened: panels, annotations and variables", () => {
  const open = feesDashboard.panels.flatMap(({ targets = [] }) => targets);
  const variables = feesDashboard.templating.list.filter(({ type }) => type === "query");

  expect(open.length).toBeGreaterThan(10);
  expect(open.length + feesDashboard.annotations.list.length + variables.length).toBeLessThanOrEqual(25);
});

describe.each(dashboards.map((dashboard) => [dashboard.uid, dashboard] as const))("%s", (_uid, dashboard) => {
  const panels = panelsOf(dashboard);

  test("is read-only, tagged, has a shared crosshair and nothing that only an import would fill", () => {
    expect(dashboard.editable).toBe(false);
    expect(dashboard.tags).toEqual([TAG]);
    expect(dashboard.graphTooltip).toBe(1);
    expect(dashboard).not.toHaveProperty("__inputs");
    expect(JSON.stringify(dashboard)).not.toContain("DS_PROMETHEUS");
  });

  test("links to the other dashboards with time and variables, and to the runbooks", () => {
    const [others, runbooks] = dashboard.links;

    expect(others).toMatchObject({ type: "dashboards", tags: [TAG], keepTime: true, includeVars: true });
    expect(runbooks?.url).toBe(`${DEFAULTS.runbookUrl}/`);
  });

  test("uses every variable, and none that it does not have", () => {
    const builtIn = new Set(["__rate_interval", "__range", "__interval"]);
    const own = dashboard.templating.list.map(({ name }) => name);
    const { templating, ...rest } = dashboard;
    const text = JSON.stringify(rest) + JSON.stringify(templating.list.map(({ query }) => query));
    const used = new Set(
      [...text.matchAll(/\$(?:\{([a-z_]\w*)[^}]*\}|([a-z_]\w*))/gi)].map(([, braced, plain]) => braced ?? plain ?? ""),
    );

    expect([...used].filter((name) => !own.includes(name) && !builtIn.has(name))).toEqual([]);
    expect(own.filter((name) => !used.has(name))).toEqual([]);
  });

  test("gives every panel and row its own id", () => {
    const ids = entriesOf(dashboard).map(({ id }) => id);

    expect(ids.every((id) => Number.isInteger(id) && id > 0)).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("has no overlapping panels, and none beyond the 24 columns", () => {
    const groups = [dashboard.panels, ...dashboard.panels.map(({ panels = [] }) => panels)];

    expect(groups.flatMap(overlaps)).toEqual([]);
    expect(entriesOf(dashboard).filter(({ gridPos: { x, w } }) => x < 0 || w < 1 || x + w > 24)).toEqual([]);
  });

  test.each(panels.map((panel) => [panel.id, panel.title, panel] as const))(
    "panel %i (%s) has a description, a unit and a text for no data",
    (_id, title, panel) => {
      const { description = "", datasource, targets = [], fieldConfig, type, options } = panel;
      const { unit, noValue, thresholds } = fieldConfig.defaults;

      expect(title).toMatch(/\S/);
      expect(description).toMatch(/^[A-Z$].{39,}\.$/s);
      expect(UNITS).toContain(unit);
      expect(noValue).toMatch(/\w/);
      expect(thresholds?.steps[0]?.value).toBeNull();
      expect(datasource?.uid).toBe("$datasource");
      expect(targets.length).toBeGreaterThan(0);
      expect(targets.map(({ datasource }) => datasource.uid)).toEqual(targets.map(() => "$datasource"));
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
      if (type === "timeseries") expect(options?.legend?.calcs).toEqual(["lastNotNull", "max"]);
    },
  );

  test("leads to sections of runbooks that exist", () => {
    const urls = [dashboard, ...panels].flatMap(({ links = [] }) => links).flatMap(({ url }) => url ?? []);
    const dead = urls.filter((url) => {
      const [page = "", anchor] = url.slice(`${DEFAULTS.runbookUrl}/`.length).split("#");
      if (!url.startsWith(`${DEFAULTS.runbookUrl}/`)) return true;
      if (page === "") return false;
      const headings = readFileSync(new URL(`../../docs/runbooks/${page}.md`, import.meta.url), "utf8").matchAll(
        /^#+ (.*)$/gm,
      );
      return ![...headings].some(([, heading = ""]) => heading.toLowerCase().replaceAll(" ", "-") === anchor);
    });

    expect(dead).toEqual([]);
  });
});

function overlaps(panels: readonly Panel[]): string[] {
  return panels.flatMap((a, index) =>
    panels
      .slice(index + 1)
      .filter(
        ({ gridPos: b }) =>
          a.gridPos.x < b.x + b.w &&
          b.x < a.gridPos.x + a.gridPos.w &&
          a.gridPos.y < b.y + b.h &&
          b.y < a.gridPos.y + a.gridPos.h,
      )
      .map((b) => `${a.title} and ${b.title}`),
  );
}
