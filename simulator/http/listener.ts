// One listen address of the simulated API, with its own replicas, faults, gateway and request log.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { corrupt } from "../faults/corrupt.ts";
import type { FaultList } from "../faults/fault-list.ts";
import type { Replicas } from "../replicas/replicas.ts";
import { type Delivery, deliver, type Schedule } from "./deliver.ts";
import { createGateway, type GatewayOptions } from "./gateway.ts";
import type { RequestLog } from "./request-log.ts";
import { respond } from "./respond.ts";
import { route } from "./routes.ts";

/** Listen address and gateway. All fields are optional. */
export interface ListenOptions {
  /** @default 0, any free port */
  readonly port?: number;
  /** @default 127.0.0.1 */
  readonly host?: string;
  /** A gateway in front. @default none */
  readonly gateway?: GatewayOptions;
}

/** The parts of a listener. */
export interface ListenerContext {
  readonly replicas: Replicas;
  readonly faults: FaultList;
  readonly log: RequestLog;
  /** Handles requests under `/_sim/`; returns undefined for other requests. */
  readonly control: (method: string, target: string) => Delivery | undefined;
  /** Advances the chain to the current time, and returns it. Unix time, seconds. */
  readonly live: () => number;
  /** Real time, Unix milliseconds. */
  readonly now: () => number;
  /** Timer of delayed responses. */
  readonly schedule: Schedule;
}

/** A listening server. */
export interface Listener {
  /** E.g. `http://127.0.0.1:40123`, without a slash at the end. */
  readonly url: string;
  /** Stops listening, cancels delayed responses and closes all connections. */
  close(): Promise<void>;
}

/** Starts a server. Resolves when it listens; rejects if the port is in use. */
export async function listen(context: ListenerContext, options: ListenOptions): Promise<Listener> {
  const { host = "127.0.0.1", port = 0 } = options;
  const { replicas, faults, log, control, live, now, schedule } = context;
  const gateway = createGateway(options.gateway ?? {});

  const decide = (request: IncomingMessage, method: string, target: string, pathname: string): Delivery => {
    const header = (name: string) => request.headers[name.toLowerCase()]?.toString();
    const { headers, refusal } = gateway(header, now());
    const whole = { kind: "whole" } as const;
    if (refusal !== undefined) return { response: refusal, mode: whole };
    const hits = faults.take(pathname);
    const response = respond(
      { method, target, ifNoneMatch: header("if-none-match") },
      {
        ...replicas.take(),
        isDown: hits.some(({ kind }) => kind === "db-down"),
        isRetired: hits.some(({ kind }) => kind === "retired"),
      },
    );
    const delivery: Delivery = { response: { ...response, headers: { ...response.headers, ...headers } }, mode: whole };
    return hits.reduce((last, fault) => corrupt(last, fault, target, now()), delivery);
  };

  const handle = (request: IncomingMessage, out: ServerResponse) => {
    const { method = "GET", url: target = "/" } = request;
    request.resume();
    const time = live();
    const controlled = control(method, target);
    if (controlled !== undefined) {
      deliver(out, controlled, schedule);
      return;
    }
    const pathname = target.split("?", 1)[0] ?? "";
    const delivery = decide(request, method, target, pathname);
    log.add({
      at: now(),
      method,
      path: target,
      template: route(pathname)?.operation.template,
      status: delivery.mode.kind === "reset" ? 0 : delivery.response.status,
      ifNoneMatch: request.headers["if-none-match"],
      headers: request.headers,
    });
    // The server lives in virtual time; `retry-after` is real.
    if (delivery.response.status < 400) out.setHeader("date", new Date(time * 1000).toUTCString());
    deliver(out, delivery, schedule);
  };

  const server = createServer({ keepAliveTimeout: 72_000 }, handle);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const { port: listening } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${listening}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
