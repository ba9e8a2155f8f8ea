// One server under load, in its own process. Usage: server.ts KIND SERIES MODE
// KIND: ours | bare (the same bytes from node:http) | bare-gzip | prom-client (express and its renderer)
// MODE: still (nothing changes between scrapes) | changing (every target changes before every scrape)
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import express from "express";
import { Gauge, Registry } from "prom-client";
import { Exposition } from "../../src/exposition/exposition.ts";
import { LIMITS } from "../../src/http/limits.ts";
import { MetricsPage } from "../../src/http/page.ts";
import { createWebServer, pagesOf } from "../../src/http/server.ts";
import { Instruments, selfMetrics } from "../../src/telemetry/self-metrics.ts";
import { amountOf, families, samplesOf, targetsFor } from "./series.ts";

/** What serves the page. */
export type Kind = "ours" | "bare" | "bare-gzip" | "prom-client";
/** When values change. */
export type Mode = "still" | "changing";

const [kind = "ours", count = "300", mode = "still"] = process.argv.slice(2);
const targets = targetsFor(Number(count));
let tick = 0;

function ours() {
  const instruments = new Instruments();
  const exposition = new Exposition([...families, ...selfMetrics, ...instruments.watchProcess()]);
  const change = () => {
    tick += 1;
    for (const [index, target] of targets.entries()) exposition.set(target.key, samplesOf(target, index, tick));
  };
  change();
  const page = new MetricsPage({
    exposition,
    renew: async () => exposition.set("exporter", await instruments.samples()),
    expire: () => mode === "changing" && change(),
    now: () => Date.now(),
    onError: (error) => console.error(error),
  });
  const pages = pagesOf(
    {
      page,
      missing: () => [],
      feesOf: () => ({ error: "", status: 503 }),
      runbook: async () => undefined,
      statusOf: () => ({
        ...{ status: "ok", version: "0", time: Date.now(), started_at: Date.now(), problems: [], networks: [] },
        targets: { matched: 0, items: [] },
      }),
      mask: (text) => text,
      onError: (error) => console.error(error),
    },
    LIMITS,
  );
  return { server: createWebServer(pages, LIMITS), page };
}

function promClient() {
  const registry = new Registry();
  const gauges = families.map(
    ({ name, help, labelNames }) => new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] }),
  );
  const change = () => {
    tick += 1;
    for (const [target, { labels }] of targets.entries()) {
      for (const [index, metric] of gauges.entries()) metric.set(labels, amountOf(target, index, tick));
    }
  };
  change();
  const app = express();
  app.get("/metrics", async (_request, response) => {
    if (mode === "changing") change();
    response.setHeader("content-type", registry.contentType);
    response.end(await registry.metrics());
  });
  return createServer(app);
}

async function bare() {
  const isCompressed = kind === "bare-gzip";
  const body = await ours().page.body("classic", false);
  const ready = isCompressed ? gzipSync(body, { level: 1 }) : body;
  return createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4", "content-length": ready.length });
    response.end(ready);
  });
}

const server = kind === "ours" ? ours().server : kind === "prom-client" ? promClient() : await bare();
server.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics` }));
});
process.on("disconnect", () => process.exit());
