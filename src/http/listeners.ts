// The listeners: pages on each address of `listen`, with TLS if configured, and health checks on others.
import { unlink } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { type AddressInfo, connect, type Server } from "node:net";
import type { ListenAddress } from "../config/values.ts";
import type { TlsConfig, WebConfig } from "../config/web-config.ts";
import { Bcrypt } from "./bcrypt.ts";
import { mayConnect } from "./client-certificates.ts";
import { guarded } from "./guard.ts";
import { namesFor } from "./hosts.ts";
import { LIMITS, type Limits } from "./limits.ts";
import { Passwords } from "./passwords.ts";
import { RequestRate } from "./request-rate.ts";
import {
  closeServer,
  createPlainServer,
  createTlsServer,
  pagesOf,
  probesOf,
  type TlsServer,
  type View,
} from "./server.ts";

/** Addresses and content to serve. */
export interface ListenersOptions {
  readonly view: View;
  readonly listen: readonly ListenAddress[];
  readonly probes: readonly ListenAddress[];
  readonly allowedHosts: readonly string[];
  /** Undefined: plain HTTP without passwords. */
  readonly web: WebConfig | undefined;
  /** @default LIMITS */
  readonly limits?: Limits;
}

/** An open listener. */
export interface Listener {
  /** `127.0.0.1:10789`, `[::1]:10789` or `unix:/path`. */
  readonly address: string;
  /** Address of the pages: `https://127.0.0.1:10789`; undefined for a Unix socket. */
  readonly url: string | undefined;
  readonly isSecure: boolean;
  readonly isProbe: boolean;
}

/** The servers of one exporter. */
export class Listeners {
  readonly #options: ListenersOptions;
  readonly #bcrypt = new Bcrypt();
  readonly #passwords: Passwords;
  readonly #rate: RequestRate;
  readonly #servers: Server[] = [];
  readonly #secure: TlsServer[] = [];
  #web: WebConfig | undefined;

  constructor(options: ListenersOptions) {
    this.#options = options;
    this.#web = options.web;
    this.#passwords = new Passwords(this.#bcrypt, options.web?.users ?? new Map());
    this.#rate = new RequestRate(options.web?.rateLimit);
  }

  /** Opens all listeners. When one cannot be opened, closes the others and throws. */
  async open(): Promise<readonly Listener[]> {
    const { view, listen, probes, allowedHosts, limits = LIMITS } = this.#options;
    const { onRefused, onError } = view;
    const pages = pagesOf(view, limits);
    const headers = () => this.#web?.headers ?? [];
    const opened: Listener[] = [];
    try {
      for (const address of listen) {
        const names = namesFor(address, allowedHosts);
        const guard = { names, passwords: this.#passwords, rate: this.#rate, headers, onRefused, onError };
        const handler = guarded({ handler: pages, ...guard });
        opened.push(await this.#open(address, handler, this.#web?.tls !== undefined, limits));
      }
      const none = { names: undefined, passwords: undefined, rate: undefined, headers: () => [], onRefused, onError };
      for (const address of probes) {
        const listener = await this.#open(address, guarded({ handler: probesOf(view), ...none }), false, limits);
        opened.push({ ...listener, isProbe: true });
      }
    } catch (error) {
      await this.close(0);
      throw error;
    }
    return opened;
  }

  /**
   * Takes another web configuration: for connections and requests that begin from now on. Returns what needs a restart
   * instead; nothing has changed then.
   */
  take(web: WebConfig): string | undefined {
    const [before, now] = [this.#web?.tls, web.tls];
    if ((before === undefined) !== (now === undefined)) return "TLS is switched on or off by a restart only";
    if (asksFor(before) !== asksFor(now)) {
      return "switching client_auth_type to or from NoClientCert needs a restart";
    }
    if (now !== undefined) for (const server of this.#secure) server.setSecureContext(now.context);
    this.#passwords.take(web.users);
    this.#rate.take(web.rateLimit);
    this.#web = web;
    return undefined;
  }

  /** Stops accepting connections, waits for open responses, and closes the others after `graceMs`. */
  async close(graceMs: number): Promise<void> {
    await Promise.all(this.#servers.map((server) => closeServer(server as TlsServer, graceMs)));
    await this.#bcrypt.close();
  }

  async #open(address: ListenAddress, handler: RequestListener, isSecure: boolean, limits: Limits): Promise<Listener> {
    const { onRefused } = this.#options.view;
    const server = isSecure ? this.#createSecure(handler, limits) : createPlainServer(handler, onRefused, limits);
    await listenOn(server, address);
    this.#servers.push(server);
    const text = addressText(server.address() as AddressInfo | string);
    const host = text.replace(/^(0\.0\.0\.0|\[::\]):/, "127.0.0.1:");
    const url = "path" in address ? undefined : `${isSecure ? "https" : "http"}://${host}`;
    return { address: text, url, isSecure, isProbe: false };
  }

  #createSecure(handler: RequestListener, limits: Limits): TlsServer {
    const { onRefused } = this.#options.view;
    const config = () => this.#web?.tls as TlsConfig;
    const server = createTlsServer(handler, config().context, asksFor(config()), onRefused, limits);
    // Before the listener that reads the first request.
    server.prependListener("secureConnection", (socket) => {
      if (mayConnect(socket, config())) return;
      onRefused("certificate");
      socket.destroy();
    });
    this.#secure.push(server);
    return server;
  }
}

const asksFor = (tls: TlsConfig | undefined) => tls !== undefined && tls.clientAuth !== "NoClientCert";

function addressText(bound: AddressInfo | string): string {
  if (typeof bound === "string") return `unix:${bound}`;
  return `${bound.family === "IPv6" ? `[${bound.address}]` : bound.address}:${bound.port}`;
}

async function listenOn(server: Server, address: ListenAddress): Promise<void> {
  try {
    await listen(server, address);
  } catch (error) {
    if (!("path" in address) || !(await isStale(address.path))) throw error;
    // A process that was killed has left its socket.
    await unlink(address.path);
    await listen(server, address);
  }
}

function listen(server: Server, address: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ ...address }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** Whether there is a socket on which no process listens. */
function isStale(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => resolve(false));
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED"));
    socket.once("connect", () => socket.destroy());
  });
}
