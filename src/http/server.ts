// The HTTP server: /metrics, the status, health and readiness. It never causes a request to the API.
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer, type Server as HttpsServer } from "node:https";
import type { SecureContextOptions } from "node:tls";
import express, { type NextFunction, type Request, type Response } from "express";
import type { FeeReport } from "../telemetry/fee-report.ts";
import type { Refusal } from "../telemetry/self-metrics.ts";
import type { Selection, Status } from "../telemetry/status.ts";
import { recommendedFeesJson } from "./fees-json.ts";
import { type Content, Deliveries, LIMITS, type Limits } from "./limits.ts";
import { CONTENT_TYPE, type MetricsPage, negotiateFormat } from "./page.ts";
import { type Program, type StatusJson, statusJson } from "./status-json.ts";
import { statusPage } from "./status-page.ts";
import { ALL, type Known, parseNetwork, parseQuery, QueryError } from "./status-query.ts";
import { PAGE_POLICY } from "./status-style.ts";

/** The content that the server serves. */
export interface View {
  readonly page: MetricsPage;
  /** Reasons why the exporter is not ready, by `network/collector`. */
  readonly missing: () => readonly { readonly what: string; readonly why: string }[];
  readonly program: Program;
  readonly known: () => Known;
  /** Reloads the configuration, and returns its errors. @default requests may not do that */
  readonly reload?: (() => Promise<readonly string[]>) | undefined;
  readonly statusOf: (selection: Selection) => Status;
  readonly feesOf: (network: string) => FeeReport;
  /** The runbook page of a subject, or with "" the index, as HTML; undefined for an unknown subject. */
  readonly runbook: (subject: string) => Promise<string | undefined>;
  /** Masks every secret in a text. */
  readonly mask: (text: string) => string;
  readonly onError: (error: unknown) => void;
  /** Called for every request that is refused or cut off. */
  readonly onRefused: (reason: Refusal) => void;
}

async function metrics(view: View, request: Request): Promise<Content> {
  const format = negotiateFormat(request.headers.accept);
  const isCompressed = request.acceptsEncodings("gzip") === "gzip";
  return {
    status: 200,
    headers: {
      "content-type": CONTENT_TYPE[format],
      vary: "accept, accept-encoding",
      ...(isCompressed ? { "content-encoding": "gzip" } : {}),
    },
    body: await view.page.body(format, isCompressed),
  };
}

function status(view: View, selection: Selection): StatusJson {
  return statusJson(view.statusOf(selection), view.program, view.mask);
}

/** A JSON document for a query, or a 400 that names the errors of the query. */
function documentFor(view: View, { query }: Request, make: (query: object, known: Known) => Content): Content {
  try {
    return make(query, view.known());
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return { ...content("application/json", { error: view.mask(error.message) }), status: 400 };
  }
}

function recommendedFees(view: View, network: string): Content {
  const report = view.feesOf(network);
  if ("reason" in report) return { ...content("application/json", { error: view.mask(report.reason) }), status: 503 };
  return content("application/json", recommendedFeesJson(report, view.mask));
}

async function runbook(view: View, { path, params }: Request): Promise<Content> {
  // Its links are relative to this folder.
  if (path === "/runbooks") return { status: 308, headers: { location: "runbooks/" }, body: Buffer.alloc(0) };
  const page = await view.runbook(String(params.subject ?? ""));
  if (page === undefined)
    return { ...content("text/plain", "There is no such runbook. Try /runbooks/.\n"), status: 404 };
  return content("text/html", page);
}

function content(type: string, value: string | object): Content {
  return {
    status: 200,
    headers: {
      "content-type": `${type}; charset=utf-8`,
      "content-security-policy": PAGE_POLICY,
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    },
    body: Buffer.from(typeof value === "string" ? value : `${JSON.stringify(value)}\n`),
  };
}

function sendText(response: Response, status: number, text: string): void {
  response.status(status).type("text").send(`${text}\n`);
}

/** A handler of paths, each with GET and HEAD only. */
function createRoutes(view: View): {
  readonly app: express.Express;
  readonly get: (path: string, handler: (request: Request, response: Response) => void | Promise<void>) => void;
} {
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", false);
  app.set("query parser", "simple");
  app.use((_request, response, next) => {
    response.setHeader("x-content-type-options", "nosniff");
    next();
  });
  const get = (path: string, handler: (request: Request, response: Response) => void | Promise<void>) =>
    app
      .route(path)
      .get(handler)
      .all((_request, response) => {
        response.setHeader("allow", "GET, HEAD");
        sendText(response, 405, "Only GET and HEAD are allowed.");
      });
  get("/-/healthy", (_request, response) => sendText(response, 200, "stacks-exporter is healthy."));
  get("/-/ready", (_request, response) => {
    const missing = view.missing().map(({ what, why }) => `\n${what}: ${why}`);
    if (missing.length === 0) sendText(response, 200, "stacks-exporter is ready.");
    else sendText(response, 503, view.mask(`stacks-exporter is not ready. Missing:${missing.join("")}`));
  });
  return { app, get };
}

function addEnd(app: express.Express, view: View, hint: string): void {
  app.use((request, response) => sendText(response, 404, `Nothing at ${request.path}. Try ${hint}.`));
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    view.onError(error);
    if (response.headersSent) response.destroy();
    else sendText(response, 500, "The page cannot be rendered; see the log.");
  });
}

/** The handler of all pages. */
export function pagesOf(view: View, limits: Limits): RequestListener {
  const { app, get } = createRoutes(view);
  const deliveries = new Deliveries(limits, view.onRefused);
  const deliver = (path: string, make: (request: Request) => Content | Promise<Content>) =>
    get(path, (request, response) => deliveries.deliver(request, response, () => make(request)));
  deliver("/metrics", (request) => metrics(view, request));
  const json = (path: string, make: (query: object, known: Known) => Content) =>
    deliver(path, (request) => documentFor(view, request, make));
  deliver("/", () => content("text/html", statusPage(status(view, ALL))));
  json("/api/v1/status", (query, known) => content("application/json", status(view, parseQuery(query, known))));
  json("/api/v1/fees/recommended", (query, known) => recommendedFees(view, parseNetwork(query, known)));
  deliver("/runbooks{/:subject}", (request) => runbook(view, request));
  app
    .route("/-/reload")
    .post(async (_request, response) => {
      if (view.reload === undefined) {
        sendText(response, 403, "Reloads by request are off. Start the exporter with --web.enable-lifecycle.");
        return;
      }
      const errors = await view.reload();
      if (errors.length === 0) sendText(response, 200, "The configuration was reloaded.");
      else sendText(response, 500, view.mask(`The configuration has errors:\n${errors.join("\n")}`));
    })
    .all((_request, response) => {
      response.setHeader("allow", "POST");
      sendText(response, 405, "Only POST is allowed.");
    });
  addEnd(app, view, "/ or /metrics");
  return app;
}

/** The handler of the health checks alone. */
export function probesOf(view: View): RequestListener {
  const { app } = createRoutes(view);
  addEnd(app, view, "/-/healthy or /-/ready");
  return app;
}

/** A server for HTTP, or for HTTPS. */
export type PlainServer = Server;
export type TlsServer = HttpsServer;

const optionsOf = (limits: Limits) => ({
  keepAliveTimeout: limits.idleMs,
  headersTimeout: limits.headersMs,
  requestTimeout: limits.requestMs,
  connectionsCheckingInterval: Math.min(limits.headersMs, limits.requestMs) / 2,
  maxHeaderSize: limits.headerBytes,
});

/** Creates a server for plain HTTP that is not listening yet. */
export function createPlainServer(handler: RequestListener, onRefused: View["onRefused"], limits: Limits): PlainServer {
  return limited(createServer(optionsOf(limits), handler), onRefused, limits);
}

/** Creates a server for HTTPS that is not listening yet. It does not verify client certificates. */
export function createTlsServer(
  handler: RequestListener,
  context: SecureContextOptions,
  requestCert: boolean,
  onRefused: View["onRefused"],
  limits: Limits,
): TlsServer {
  const options = { ...optionsOf(limits), ...context, requestCert, rejectUnauthorized: false };
  const server = createHttpsServer({ ...options, handshakeTimeout: limits.headersMs }, handler);
  server.on("tlsClientError", () => onRefused("tls"));
  return limited(server, onRefused, limits);
}

function limited<Any extends PlainServer | TlsServer>(server: Any, onRefused: View["onRefused"], limits: Limits): Any {
  // For short responses to a client that does not read; `Deliveries` watches the others.
  server.timeout = limits.stalledMs;
  server.maxConnections = limits.connections;
  server.on("drop", () => {
    onRefused("connections");
    // Makes room for the next connection.
    server.closeIdleConnections();
  });
  return server;
}

/** Creates a server of all pages for plain HTTP. */
export function createHttpServer(view: View, limits: Limits = LIMITS): PlainServer {
  return createPlainServer(pagesOf(view, limits), view.onRefused, limits);
}

/** Stops accepting connections, waits for open responses, and closes the others after `graceMs`. */
export async function closeServer(server: PlainServer | TlsServer, graceMs: number): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(timer);
}
