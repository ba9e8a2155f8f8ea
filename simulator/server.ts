// The chain on a socket: brings the clock, the faults, the gateway and the request log together.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Network } from "./chain/cast.ts";
import { Chain } from "./chain/chain.ts";
import { createMeter } from "./chain/mempool-figures.ts";
import { createControl, isControl } from "./control/control.ts";
import { FaultList } from "./faults/fault-list.ts";
import { type Delivery, spoil } from "./faults/spoil.ts";
import { deliver } from "./http/deliver.ts";
import { createGateway, type GatewayOptions } from "./http/gateway.ts";
import { RequestLog } from "./http/request-log.ts";
import { respond } from "./http/respond.ts";
import { route } from "./http/routes.ts";
import { realSchedule, type Schedule, Timers } from "./http/timers.ts";

/** How a simulator is started. Everything has a default. */
export interface SimulatorOptions {
  /** Same seed, same chain. @default 1 */
  readonly seed?: number | string;
  /** @default 0, any free port */
  readonly port?: number;
  /** @default 127.0.0.1 */
  readonly host?: string;
  /** @default mainnet */
  readonly network?: Network;
  /** Blocks that exist at the start; 0 is an API with an empty database. @default 200 */
  readonly history?: number;
  /** Virtual seconds per real second. @default 1 */
  readonly timeScale?: number;
  /** Real time, Unix milliseconds. A constant stops the clock: time then moves by `advance` only. @default Date.now */
  readonly now?: () => number;
  /** Virtual time at the start, Unix seconds. @default the real time */
  readonly start?: number;
  /** Whether spikes, floods and stuck clusters come by themselves. @default false */
  readonly randomEvents?: boolean;
  /** Blocks that are remembered. @default 5000, about 14 hours */
  readonly keepBlocks?: number;
  /** A gateway in front. @default none */
  readonly gateway?: GatewayOptions;
  /** Timer of slow answers. @default setTimeout */
  readonly schedule?: Schedule;
}

/** A running simulator. */
export interface Simulator {
  /** E.g. `http://127.0.0.1:40123`, without a slash at the end. */
  readonly url: string;
  /** The chain as of the last request or `advance`. */
  readonly chain: Chain;
  readonly faults: FaultList;
  readonly log: RequestLog;
  /** The requests, oldest first; the same as `log.entries`. */
  readonly requests: RequestLog["entries"];
  /** Moves virtual time forward by so many seconds, whatever the clock does. */
  advance(seconds: number): void;
  /** Stops listening, ends every delay and closes every connection. */
  close(): Promise<void>;
}

/** Starts a simulator and resolves when it listens. Rejects when the port is taken. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { host = "127.0.0.1", port = 0, timeScale = 1, now = Date.now } = options;
  const startedAt = now();
  const start = options.start ?? startedAt / 1000;
  let advanced = 0;
  const chain = new Chain({
    seed: String(options.seed ?? 1),
    start,
    history: options.history ?? 200,
    network: options.network ?? "mainnet",
    randomEvents: options.randomEvents ?? false,
    keepBlocks: options.keepBlocks ?? 5000,
  });
  const live = () => chain.advanceTo(start + advanced + ((now() - startedAt) / 1000) * timeScale);
  const faults = new FaultList();
  const log = new RequestLog();
  const timers = new Timers(options.schedule ?? realSchedule);
  const figures = createMeter(chain);
  const judge = createGateway(options.gateway ?? {});
  const advance = (seconds: number) => {
    advanced += seconds;
    live();
  };
  const control = createControl({ chain, faults, log, advance });

  const decide = (request: IncomingMessage, method: string, target: string): Delivery => {
    const header = (name: string) => request.headers[name.toLowerCase()]?.toString();
    const { headers, refusal } = judge(header, now());
    if (refusal !== undefined) return { reply: refusal, manner: { kind: "whole" } };
    const hits = faults.take(target.split("?", 1)[0] ?? "");
    const isDown = hits.some(({ kind }) => kind === "db-down");
    const isRetired = hits.some(({ kind }) => kind === "retired");
    const asked = { method, target, ifNoneMatch: header("if-none-match") };
    const reply = respond(asked, { chain, figures, isDown, isRetired });
    const good: Delivery = {
      reply: { ...reply, headers: { ...reply.headers, ...headers } },
      manner: { kind: "whole" },
    };
    return hits.reduce((delivery, fault) => spoil(delivery, fault, target, now()), good);
  };

  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const { method = "GET", url: target = "/" } = request;
    request.resume();
    live();
    if (isControl(target)) {
      deliver(response, control(method, target), timers);
      return;
    }
    const delivery = decide(request, method, target);
    log.add({
      at: now(),
      method,
      path: target,
      template: route(target.split("?", 1)[0] ?? "")?.operation.template,
      status: delivery.manner.kind === "reset" ? 0 : delivery.reply.status,
      ifNoneMatch: request.headers["if-none-match"],
      headers: request.headers,
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
    chain,
    faults,
    log,
    get requests() {
      return log.entries;
    },
    advance,
    close: () =>
      new Promise((resolve) => {
        timers.clear();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
