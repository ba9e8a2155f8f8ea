// The HTTP side: /metrics, health, readiness, the status. Reads what is known and never causes a request upstream.
import { createServer, type IncomingMessage, type Server } from "node:http";
import express, { type NextFunction, type Request, type Response } from "express";
import type { Refusal } from "../telemetry/self-metrics.ts";
import { type Answer, Deliveries } from "./deliveries.ts";
import { LIMITS, type Limits } from "./limits.ts";
import { acceptsGzip, CONTENT_TYPE, negotiateFormat } from "./negotiation.ts";
import type { MetricsPage } from "./page.ts";
import { type StatusView, statusJsonAnswer, statusPageAnswer } from "./status-routes.ts";
import { sendText } from "./text.ts";

/** What the server shows. */
export interface View extends StatusView {
  readonly page: MetricsPage;
  /** What has to succeed once before the exporter is ready: network/collector, and why it has not. */
  readonly missing: () => readonly { readonly what: string; readonly why: string }[];
  readonly onError: (error: unknown) => void;
  /** Told of every request that was refused or cut off. */
  readonly onRefused: (reason: Refusal) => void;
}

async function metricsAnswer(view: View, request: IncomingMessage): Promise<Answer> {
  const format = negotiateFormat(request.headers.accept);
  const isCompressed = acceptsGzip(request.headers["accept-encoding"] as string | undefined);
  const page = await view.page.body(format, isCompressed);
  return {
    status: 200,
    headers: {
      "content-type": CONTENT_TYPE[format],
      vary: "accept, accept-encoding",
      ...(isCompressed ? { "content-encoding": "gzip" } : {}),
    },
    body: page.body,
    release: () => page.release(),
  };
}

function routes(view: View, deliveries: Deliveries): express.Express {
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

  const page = (path: string, make: (view: View, request: IncomingMessage) => Answer | Promise<Answer>) =>
    get(path, (request, response) => deliveries.deliver(request, response, () => make(view, request)));

  page("/metrics", metricsAnswer);
  page("/", statusPageAnswer);
  page("/api/v1/status", statusJsonAnswer);
  get("/-/healthy", (_request, response) => sendText(response, 200, "stacks-exporter is healthy."));
  get("/-/ready", (_request, response) => {
    const missing = view.missing();
    if (missing.length === 0) sendText(response, 200, "stacks-exporter is ready.");
    else {
      const lines = missing.map(({ what, why }) => `${what}: ${why}`);
      sendText(response, 503, view.mask(["stacks-exporter is not ready. Missing:", ...lines].join("\n")));
    }
  });
  app.use((request, response) => sendText(response, 404, `There is nothing at ${request.path}. Try / or /metrics.`));
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    view.onError(error);
    if (response.headersSent) response.destroy();
    else sendText(response, 500, "The page could not be made; the log says why.");
  });
  return app;
}

/** A server that is not listening yet. */
export function createHttpServer(view: View, limits: Limits = LIMITS): Server {
  const options = {
    keepAliveTimeout: limits.idleMs,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: Math.min(limits.headersMs, limits.requestMs) / 2,
    maxHeaderSize: limits.headerBytes,
  };
  const server = createServer(options, routes(view, new Deliveries(limits, view.onRefused)));
  // For what is no page: an answer to a client that does not read.
  server.timeout = limits.stalledMs;
  server.maxConnections = limits.connections;
  server.on("drop", () => {
    view.onRefused("connections");
    // The next one finds room, if any connection is only kept for later.
    server.closeIdleConnections();
  });
  return server;
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
