// The HTTP side: /metrics, health, readiness, the status. Reads what is known and never causes a request upstream.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import express, { type NextFunction, type Request, type Response } from "express";
import { acceptsGzip, CONTENT_TYPE, negotiateFormat } from "./negotiation.ts";
import type { MetricsPage } from "./page.ts";
import { type StatusView, sendStatusJson, sendStatusPage } from "./status-routes.ts";

/** What the server shows. */
export interface View extends StatusView {
  readonly page: MetricsPage;
  /** What has to succeed once before the exporter is ready: network/collector, and why it has not. */
  readonly missing: () => readonly { readonly what: string; readonly why: string }[];
  readonly onError: (error: unknown) => void;
}

function sendText(response: ServerResponse, status: number, text: string): void {
  const body = Buffer.from(`${text}\n`);
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": body.length,
    "x-content-type-options": "nosniff",
  });
  response.end(body);
}

async function sendMetrics(view: View, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const format = negotiateFormat(request.headers.accept);
  const isCompressed = acceptsGzip(request.headers["accept-encoding"] as string | undefined);
  const page = await view.page.body(format, isCompressed);
  const { body } = page;
  // Sent, or given up by the other side: either way the bytes are not needed any more.
  response.once("close", () => page.release());
  response.writeHead(200, {
    "content-type": CONTENT_TYPE[format],
    "content-length": body.length,
    vary: "accept, accept-encoding",
    ...(isCompressed ? { "content-encoding": "gzip" } : {}),
  });
  if (request.method === "HEAD") response.end();
  else sendInSlices(response, body, 0);
}

// One write of many megabytes holds the event loop while the system copies it; slices leave it free in between.
const SLICE_BYTES = 1024 * 1024;

function sendInSlices(response: ServerResponse, body: Buffer, start: number): void {
  const end = start + SLICE_BYTES;
  if (end >= body.length) response.end(body.subarray(start));
  else {
    response.write(body.subarray(start, end), (error) => {
      if (!error) setImmediate(sendInSlices, response, body, end);
    });
  }
}

/** The routes other than /metrics. */
function routes(view: View): express.Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", false);
  app.set("query parser", false);

  const get = (path: string, answer: (request: Request, response: Response) => void | Promise<void>) =>
    app
      .route(path)
      .get(answer)
      .all((_request, response) => {
        response.setHeader("allow", "GET, HEAD");
        sendText(response, 405, "Only GET and HEAD are answered here.");
      });

  get("/metrics", (request, response) => sendMetrics(view, request, response));
  get("/-/healthy", (_request, response) => sendText(response, 200, "stacks-exporter is healthy."));
  get("/-/ready", (_request, response) => {
    const missing = view.missing();
    if (missing.length === 0) sendText(response, 200, "stacks-exporter is ready.");
    else {
      const lines = missing.map(({ what, why }) => `${what}: ${why}`);
      sendText(response, 503, view.mask(["stacks-exporter is not ready. Missing:", ...lines].join("\n")));
    }
  });
  get("/", (request, response) => sendStatusPage(view, request, response));
  get("/api/v1/status", (request, response) => sendStatusJson(view, request, response));
  app.use((request, response) => sendText(response, 404, `There is nothing at ${request.path}. Try / or /metrics.`));
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    view.onError(error);
    if (response.headersSent) response.destroy();
    else sendText(response, 500, "The page could not be made; the log says why.");
  });
  return app;
}

/** A server that is not listening yet. */
export function createHttpServer(view: View): Server {
  return createServer({ keepAliveTimeout: 75_000, requestTimeout: 30_000 }, routes(view));
}

/** Stops accepting, lets open answers finish, and cuts what is left after `graceMs`. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(timer);
}
