// A simulated chain, the exporter and a real Prometheus, in both formats.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startSimulator } from "../../simulator/server.ts";
import { ScriptedServer } from "../api/scripted-server.ts";
import { folderOfTests } from "../support/folder.ts";
import { describeWith } from "../support/installed.ts";
import { parseExposition } from "../support/parser.ts";
import { type Serving, serve, until } from "../support/program.ts";
import { startPrometheus } from "../support/prometheus.ts";

const suite = describeWith("prometheus", "promtool");

suite("with Prometheus (Debian: apt-get install prometheus)", () => {
  const folder = folderOfTests();
  let simulator: Awaited<ReturnType<typeof startSimulator>>;
  let exporter: Serving;
  let address: string;

  beforeAll(async () => {
    simulator = await startSimulator({ seed: 2 });
    const file = join(folder, "exporter.yaml");
    writeFileSync(
      file,
      `networks: [{ name: simulated, url: "${simulator.url}", budget: { per_minute: 600, per_month: unlimited } }]
collectors: { fees: { every: 1s }, mempool: { every: 1s }, blocks: { every: 1s } }
`,
    );
    exporter = await serve(["--config", file]);
    ({ address } = exporter);
    await exporter.ready();
  });
  afterAll(async () => {
    await exporter.stop();
    await simulator.close();
  });

  const page = async (accept: string) => (await fetch(`http://${address}/metrics`, { headers: { accept } })).text();

  test("promtool accepts the page, and what each collector exposes, without a warning", async () => {
    const golden = new URL("../golden/", import.meta.url);
    const pages = readdirSync(golden).map((name) => readFileSync(new URL(name, golden), "utf8"));
    for (const input of [await page("text/plain"), ...pages]) {
      const { status, stderr, stdout } = spawnSync("promtool", ["check", "metrics"], { input, encoding: "utf8" });

      expect({ status, output: `${stdout}${stderr}` }).toEqual({ status: 0, output: "" });
    }
  });

  test.each(["OpenMetrics", "classic text"])(
    "Prometheus scrapes %s without an error, and has what the page has",
    async (format) => {
      // Prometheus 2.42 always prefers OpenMetrics; a relay that requests text replaces an older one.
      const relayed = format === "classic text" ? await relay(address) : undefined;
      const prometheus = await startPrometheus(relayed === undefined ? address : new URL(relayed.url).host);
      try {
        const first = async (expr: string) => Number((await prometheus.query(expr))[0]?.value?.[1] ?? Number.NaN);
        await until(async () => ((await first("count_over_time(up[1m])")) >= 4 ? true : undefined), "four scrapes");

        expect(await first("min_over_time(up[1m])")).toBe(1);
        const parsed = parseExposition(
          await page(format === "OpenMetrics" ? "application/openmetrics-text" : "text/plain"),
          format === "OpenMetrics" ? "openmetrics" : "classic",
        );
        const onPage = new Set(parsed.flatMap(({ samples }) => samples.map(({ name }) => name)));
        const stored = new Set(
          (await prometheus.query('count by (__name__) ({job="stacks"})')).map(({ metric }) => metric.__name__ ?? ""),
        );
        for (const name of onPage) expect(stored).toContain(name);
        expect(await first('stacks_up{network="simulated"}')).toBe(1);
        expect(await first("scrape_samples_scraped")).toBeGreaterThan(200);
        const { data } = (await (await fetch(`${prometheus.url}/api/v1/targets`)).json()) as {
          data: { activeTargets: { lastError: string }[] };
        };
        expect(data.activeTargets.map(({ lastError }) => lastError)).toEqual([""]);
      } finally {
        await prometheus.stop();
        await relayed?.close();
      }
    },
  );
});

/** Forwards scrapes, and always requests the classic text. */
const relay = (address: string) =>
  ScriptedServer.start(async (response) => {
    const page = await fetch(`http://${address}/metrics`, { headers: { accept: "text/plain;version=0.0.4" } });
    response.setHeader("content-type", page.headers.get("content-type") ?? "");
    response.end(await page.text());
  });
