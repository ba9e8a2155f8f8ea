// One listen address of the simulated API, with its own replicas, faults, gateway and request log.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { corrupt, type Delivery } from "../faults/corrupt.ts";
import type { FaultList } from "../faults/fault-list.ts";
import type { Replicas } from "../replicas/replicas.ts";
import { deliver } from "./deliver.ts";
import { createGateway, type GatewayOptions } from "./gateway.ts";
import type { RequestLog } from "./request-log.ts";
import { respond } from "./respond.ts";
import { route } from "./routes.ts";
import { type Schedule, Timers } from "./timers.ts";

/** Listen address and gateway. All fields are optional. */
export interface ListenOptions {
  /** @default 0, any free port */
  readonly port?: number;
  /** @default 127.0.0.1 */
  readonly host?: string;
  /** A gateway in front. @default none */
  readonly gateway?: GatewayOptions;
}

/** The parts of one listen address. */
export interface Parts {
  readonly replicas: Replicas;
  readonly faults: FaultList;
  readonly log: RequestLog;
  /** Handles requests under `/_sim/`; returns undefined for other requests. */
  readonly control: (method: string, target: string) => Delivery | undefined;
  /** Advances the chain to the current time. */
  readonly live: () => void;
  /** Real time, Unix milliseconds. */
  readonly now: () => number;
  /** Timer of slow responses. */
  readonly schedule: Schedule;
}

/** A listening server. */
export interface Listener {
  /** E.g. `http://127.0.0.1:40123`, without a slash at the end. */
  readonly url: string;
  /** Stops listening, ends every delay and closes every connection. */
  close(): Promise<void>;
}

/** Starts a server. Resolves when it listens; rejects if the port is in use. */
export async function listen(parts: Parts, options: ListenOptions): Promise<Listener> {
  const { host = "127.0.0.1", port = 0, gateway = {} } = options;
  const { replicas, faults, log, control, live, now } = parts;
  const judge = createGateway(gateway);
  const timers = new Timers(parts.schedule);

  const decide = (request: IncomingMessage, method: string, target: string) => {
    const header = (name: string) => request.headers[name.toLowerCase()]?.toString();
    const { headers, refusal } = judge(header, now());
    if (refusal !== undefined) return { delivery: { reply: refusal, manner: { kind: "whole" } } as const };
    const pathname = target.split("?", 1)[0] ?? "";
    const hits = faults.take(pathname);
    const isDown = hits.some(({ kind }) => kind === "db-down");
    const isRetired = hits.some(({ kind }) => kind === "retired");
    const replica = replicas.take(pathname);
    const reply = respond({ method, target, ifNoneMatch: header("if-none-match") }, { ...replica, isDown, isRetired });
    const good: Delivery = {
      reply: { ...reply, headers: { ...reply.headers, ...headers } },
      manner: { kind: "whole" },
    };
    return { replica, delivery: hits.reduce((delivery, fault) => corrupt(delivery, fault, target, now()), good) };
  };

  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const { method = "GET", url: target = "/" } = request;
    request.resume();
    live();
    const controlled = control(method, target);
    if (controlled !== undefined) {
      deliver(response, controlled, timers);
      return;
    }
    const { replica, delivery } = decide(request, method, target);
    log.add({
      at: now(),
      method,
      path: target,
      template: route(target.split("?", 1)[0] ?? "")?.operation.template,
      status: delivery.manner.kind === "reset" ? 0 : delivery.reply.status,
      ifNoneMatch: request.headers["if-none-match"],
      headers: request.headers,
      replica: replica?.kind,
      tip: replica?.chain.height,
    });
    deliver(response, delivery, timers);
  };

  const server = createServer({ keepAliveTimeout: 72_000 }, handle);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const listening = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${listening}`,
    close: () =>
      new Promise((resolve) => {
        timers.clear();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
