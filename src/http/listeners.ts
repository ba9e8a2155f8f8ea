// The listeners: pages on each listen address, with TLS if configured, and health checks on others.
import { once } from "node:events";
import { lstat, unlink } from "node:fs/promises";
import type { Server as HttpsServer } from "node:https";
import { type AddressInfo, connect, SocketAddress } from "node:net";
import { dirname } from "node:path";
import type { TLSSocket } from "node:tls";
import type { ListenAddress } from "../config/values.ts";
import type { TlsConfig, WebConfig } from "../config/web-config.ts";
import { type Guard, guardOf } from "./guard.ts";
import { LIMITS } from "./limits.ts";
import { closeServer, createWebServer, pagesOf, probesOf, type View, type WebServer } from "./server.ts";

/** Addresses and content to serve. */
export interface ListenersOptions {
  readonly view: View;
  readonly listen: readonly ListenAddress[];
  readonly probes: readonly ListenAddress[];
  /** Undefined: plain HTTP without passwords. */
  readonly web: WebConfig | undefined;
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
  readonly #servers: WebServer[] = [];
  #tls: TlsConfig | undefined;
  readonly #guard: Guard;

  constructor(options: ListenersOptions) {
    this.#options = options;
    this.#tls = options.web?.tls;
    this.#guard = { check: options.web && guardOf(options.web) };
  }

  /** Opens all listeners. When one cannot be opened, closes the others and throws. */
  async open(): Promise<readonly Listener[]> {
    const { view, listen, probes } = this.#options;
    const pages = pagesOf(view, LIMITS, this.#guard);
    const opened: Listener[] = [];
    try {
      for (const address of listen) opened.push(await this.#open(this.#createServer(pages), address, false));
      for (const address of probes)
        opened.push(await this.#open(createWebServer(probesOf(view), LIMITS), address, true));
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
  take(web: WebConfig): readonly string[] {
    const [before, now] = [this.#tls, web.tls];
    if ((before === undefined) !== (now === undefined) || asksFor(before) !== asksFor(now))
      return ["switching TLS on or off, or client_auth_type to or from NoClientCert, needs a restart"];
    for (const server of this.#servers)
      if ("setSecureContext" in server && now !== undefined) server.setSecureContext(now.context);
    this.#tls = now;
    this.#guard.check = guardOf(web);
    return [];
  }

  /** Stops accepting connections, waits for open responses, and closes the others after `graceMs`. */
  async close(graceMs: number): Promise<void> {
    await Promise.all(this.#servers.map((server) => closeServer(server, graceMs)));
  }

  #createServer(handler: ReturnType<typeof pagesOf>): WebServer {
    const tls = this.#tls;
    const server = createWebServer(handler, LIMITS, tls && { ...tls.context, requestCert: asksFor(tls) });
    // Before the listener that reads the first request.
    (server as HttpsServer).prependListener("secureConnection", (socket) => {
      if (!mayConnect(socket, this.#tls as TlsConfig)) socket.destroy();
    });
    return server;
  }

  async #open(server: WebServer, address: ListenAddress, isProbe: boolean): Promise<Listener> {
    // A process that was killed has left its socket.
    if ("path" in address && (await isStale(address.path))) await unlink(address.path);
    // Node.js reports a missing folder of a socket as EACCES.
    if ("path" in address) await lstat(dirname(address.path));
    server.listen({ ...address });
    await once(server, "listening");
    this.#servers.push(server);
    const isSecure = "setSecureContext" in server;
    const text = addressText(server.address() as AddressInfo | string);
    const host = text.replace(/^(0\.0\.0\.0|\[::\]):/, "127.0.0.1:");
    const url = "path" in address ? undefined : `${isSecure ? "https" : "http"}://${host}`;
    return { address: text, url, isSecure, isProbe };
  }
}

const asksFor = (tls: TlsConfig | undefined) => tls !== undefined && tls.clientAuth !== "NoClientCert";

function addressText(bound: AddressInfo | string): string {
  if (typeof bound === "string") return `unix:${bound}`;
  return `${bound.family === "IPv6" ? `[${bound.address}]` : bound.address}:${bound.port}`;
}

/** Whether there is a socket on which no process listens. */
async function isStale(path: string): Promise<boolean> {
  const socket = connect(path);
  // A regular file refuses, too.
  const isRefused = async ({ code }: NodeJS.ErrnoException) =>
    code === "ECONNREFUSED" && (await lstat(path)).isSocket();
  return once(socket, "connect")
    .then(() => false, isRefused)
    .finally(() => socket.destroy());
}

/** Whether a client may use a connection. */
export function mayConnect(socket: TLSSocket, { clientAuth, allowedSans }: TlsConfig): boolean {
  if (clientAuth === "NoClientCert" || clientAuth === "RequestClientCert") return true;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return clientAuth === "VerifyClientCertIfGiven";
  const isVerified = clientAuth !== "RequireClientCert" && clientAuth !== "RequireAnyClientCert";
  if (isVerified && !socket.authorized) return false;
  if (allowedSans === undefined) return true;
  const names = namesIn(certificate.subjectAltName ?? "");
  return allowedSans.some((name) => names.includes(name));
}

/** The subject alternative names of a certificate, as `subjectAltName` of Node.js writes them. */
export function namesIn(text: string): readonly string[] {
  const entries = text.matchAll(/(?:^|, )(DNS|email|URI|IP Address):("(?:[^"\\]|\\.)*"|[^,]*)/g);
  return [...entries].map(([, kind, value = ""]) => {
    const name = value.startsWith('"') ? (JSON.parse(value) as string) : value;
    // OpenSSL writes IPv6 addresses in full.
    return kind === "IP Address" && name.includes(":")
      ? new SocketAddress({ address: name, family: "ipv6" }).address
      : name;
  });
}
