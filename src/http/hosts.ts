// Host names of the exporter that a request may use. A page of another site can make a browser request a name that it
// has bound to a local address (DNS rebinding); the header Host then has that name.
import { isIP } from "node:net";
import type { ListenAddress } from "../config/values.ts";

const LOCALHOST = "localhost";
const ANY = "*";

/** The names that a listener accepts besides IP addresses; undefined: every name. */
export function namesFor(address: ListenAddress, allowed: readonly string[]): readonly string[] | undefined {
  // A browser cannot open a Unix socket.
  if ("path" in address || allowed.includes(ANY)) return undefined;
  if (allowed.length > 0) return [...allowed, LOCALHOST];
  return isLoopback(address.host) ? [LOCALHOST] : undefined;
}

const isLoopback = (host = "") => host === LOCALHOST || host === "::1" || /^127\.[\d.]+$/.test(host);

/** Whether a request for a host (with or without a port) uses one of the names. A request of HTTP/1.0 names none. */
export function isNamed(host: string | undefined, names: readonly string[]): boolean {
  if (host === undefined) return true;
  const [, bracketed, plain = ""] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? [];
  if (bracketed !== undefined) return isIP(bracketed) === 6;
  return isIP(plain) !== 0 || names.includes(plain.toLowerCase().replace(/\.$/, ""));
}
