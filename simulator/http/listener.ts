// The HTTP server of the simulated API, with its replicas, faults and request log.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { corrupt } from "../faults/corrupt.ts";
import type { FaultList } from "../faults/fault-list.ts";
import type { Replicas } from "../replicas/replicas.ts";
import { type Delivery, deliver } from "./deliver.ts";
import { type LoggedRequest, logRequest } from "./request-log.ts";
import { respond } from "./respond.ts";

/** The parts of a listener. */
export interface ListenerContext {
  readonly replicas: Replicas;
  readonly faults: FaultList;
  readonly requests: LoggedRequest[];
  /** Handles requests under `/_sim/`; returns undefined for other requests. */
  readonly control: (method: string, target: string) => Delivery | undefined;
  /** Advances the chain to the current time, and returns it. Unix time, seconds. */
  readonly live: () => number;
  /** Real time, Unix milliseconds. */
  readonly now: () => number;
}

/** A listening server; disposing of it closes it. */
export interface Listener extends AsyncDisposable {
  /** E.g. `http://127.0.0.1:40123`, without a slash at the end. */
  readonly url: string;
  /** Stops listening, cancels delayed responses and closes all connections. */
  close(): Promise<void>;
}

/** Starts a server on any free port. Resolves when it listens. */
export async function listen(context: ListenerContext): Promise<Listener> {
  const { replicas, faults, requests, control, live, now } = context;

  const decide = (request: IncomingMessage, method: string, target: string, pathname: string): Delivery => {
    const hits = faults.take(pathname);
    const response = respond(
      { method, target, ifNoneMatch: request.headers["if-none-match"] },
      {
        ...replicas.take(),
        isDown: hits.some(({ kind }) => kind === "db-down"),
        isRetired: hits.some(({ kind }) => kind === "retired"),
      },
    );
    const delivery: Delivery = { response, mode: { kind: "whole" } };
    return hits.reduce((last, fault) => corrupt(last, fault, target, now()), delivery);
  };

  const handle = (request: IncomingMessage, out: ServerResponse) => {
    const { method = "GET", url: target = "/" } = request;
    request.resume();
    const time = live();
    const controlled = control(method, target);
    if (controlled !== undefined) {
      deliver(out, controlled);
      return;
    }
    const pathname = target.split("?", 1)[0] ?? "";
    const delivery = decide(request, method, target, pathname);
    logRequest(requests, {
      at: now(),
      path: target,
      status: delivery.mode.kind === "reset" ? 0 : delivery.response.status,
      headers: request.headers,
    });
    // The server lives in virtual time; `retry-after` is real.
    if (delivery.response.status < 400) out.setHeader("date", new Date(time * 1000).toUTCString());
    deliver(out, delivery);
  };

  const server = createServer({ keepAliveTimeout: 72_000 }, handle);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, close, [Symbol.asyncDispose]: close };
}
