// The HTTP server: /metrics, the status, health and readiness. It never causes a request to the API.
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer, type Server as HttpsServer, type ServerOptions } from "node:https";
import express, { type NextFunction, type Request, type Response } from "express";
import type { FeeReport } from "../telemetry/fee-report.ts";
import { type Guard, sendLater, sendText } from "./guard.ts";
import { PAGE_POLICY } from "./html.ts";
import { deliveriesOf, type Limits, limitConnections } from "./limits.ts";
import { formatFor, type MetricsPage } from "./page.ts";
import { jsonOf, masked, parseQuery, type Selection, type Status, statusPage, unpolledOf } from "./status.ts";

/** The content that the server serves. */
export interface View {
  readonly page: MetricsPage;
  /** Reasons why the exporter is not ready, by `network/collector`. */
  readonly missing: () => readonly string[];
  /** Not masked. */
  readonly statusOf: (selection: Selection) => Status;
  /** Of a network, or of the first one. */
  readonly feesOf: (network: string | undefined) => FeeReport;
  /** The runbook page of a subject, or with "" the index, as HTML; undefined for an unknown subject. */
  readonly runbook: (subject: string) => Promise<string | undefined>;
  readonly mask: (text: string) => string;
  readonly onError: (error: unknown) => void;
}

/** An application with health checks, behind a guard. `addRoutes` adds other pages. */
function appOf(view: View, guard?: Guard, addRoutes?: (app: express.Express) => void) {
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", false);
  app.use((_request, response, next) => {
    response.set({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "content-security-policy": PAGE_POLICY,
    });
    next();
  });
  app.use((request, response, next) => (guard?.check === undefined ? next() : guard.check(request, response, next)));
  app.get("/-/healthy", (_request, response) => sendText(response, 200, "stacks-exporter is healthy."));
  app.get("/-/ready", (_request, response) => {
    const missing = view.missing().map((one) => `\n${one}`);
    const unpolled = view.statusOf(parseQuery({})).networks.flatMap((one) => {
      const text = unpolledOf(one);
      return text === undefined ? [] : [`\n${one.name}: ${text}`];
    });
    if (missing.length === 0) sendText(response, 200, `stacks-exporter is ready.${unpolled.join("")}`);
    else sendText(response, 503, view.mask(`stacks-exporter is not ready. Missing:${missing.join("")}`));
  });
  addRoutes?.(app);
  app.use((_request, response) => sendText(response, 404, "There is no such page."));
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    if (error instanceof URIError) return response.status(400).json({ error: view.mask(error.message) });
    view.onError(error);
    if (response.headersSent) response.destroy();
    else sendText(response, 500, "The page cannot be rendered; see the log.");
  });
  return app;
}

/** The handler of all pages, behind a guard. */
export function pagesOf(view: View, limits: Limits, guard?: Guard): RequestListener {
  const mayDeliver = deliveriesOf(limits);
  return appOf(view, guard, (app) => {
    app.get("/metrics", async (request, response) => {
      const { format, type } = formatFor(request);
      const isCompressed = request.acceptsEncodings("gzip") === "gzip";
      const body = await view.page.body(format, isCompressed);
      if (!mayDeliver(response, body)) return sendLater(response, 503, "Too many pages are being sent");
      response.set({ "content-type": type, "content-length": String(body.length), vary: "accept, accept-encoding" });
      if (isCompressed) response.set("content-encoding", "gzip");
      response.end(body);
    });
    const statusOf = (query: object) => masked(view.statusOf(parseQuery(query)), view.mask);
    app.get(
      "/",
      ({ query }, response) => void response.send(statusPage(statusOf(query), Object.keys(query).length > 0)),
    );
    app.get("/api/v1/status", ({ query }, response) => void response.type("json").send(jsonOf(statusOf(query))));
    app.get("/api/v1/fees/recommended", ({ query }, response) => {
      const report = view.feesOf(parseQuery(query).network);
      if (!("error" in report)) return response.json(masked(report, view.mask));
      return response.status(report.status).json(masked({ error: report.error }, view.mask));
    });
    app.get("/runbooks{/:subject}", async ({ path, params }, response) => {
      // Its links are relative to this folder.
      if (path === "/runbooks") return response.redirect(308, "runbooks/");
      const page = await view.runbook(params.subject ?? "");
      return page === undefined ? sendText(response, 404, "There is no such runbook.") : response.send(page);
    });
  });
}

/** The handler of the health checks alone. */
export const probesOf = (view: View): RequestListener => appOf(view);

/** A server for HTTP, or for HTTPS. */
export type WebServer = Server | HttpsServer;

/** Creates a server that is not listening yet; with `tls` for HTTPS. It does not verify client certificates. */
export function createWebServer(handler: RequestListener, limits: Limits, tls?: ServerOptions): WebServer {
  const options = {
    keepAliveTimeout: limits.idleMs,
    headersTimeout: limits.requestMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.requestMs / 2,
    maxHeaderSize: limits.headerBytes,
    handshakeTimeout: limits.requestMs,
    rejectUnauthorized: false,
    ...tls,
  };
  // Express passes other targets to `url.parse`, which writes a warning to the log that is not JSON.
  const listener: RequestListener = (request, response) => {
    if (/^\/[!"$-~]*$/.test(request.url ?? "")) handler(request, response);
    else response.writeHead(400, { connection: "close" }).end();
  };
  const server = tls === undefined ? createServer(options, listener) : createHttpsServer(options, listener);
  // Every byte that a client reads or sends extends it.
  server.timeout = limits.stalledMs;
  limitConnections(server, limits.connections);
  return server;
}

/** Stops accepting connections, waits for open responses, and closes the others after `graceMs`. */
export async function closeServer(server: WebServer, graceMs: number): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearTimeout(timer);
}
