// The forward proxy of an upstream: from its settings, or from the usual variables of the environment.
import { BlockList, isIP } from "node:net";
import { isLoopback } from "./loopback.ts";

/** The word for no proxy, also if the environment names one. */
export const NO_PROXY = "none";

/** The expected value of a proxy setting. */
export const PROXY_EXPECTED = `http://host:port or https://host:port, optionally with user:password@, or ${NO_PROXY}`;

/** The URL of a proxy; undefined when the text is none. */
export function parseProxy(text: string): URL | undefined {
  if (!/^https?:\/\/[^\s\\/?#]+\/?$/i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text);
}

/** The variable of the environment that names a proxy for a URL, and its value; undefined when none applies. */
export function proxyVariable(
  url: URL,
  env: Readonly<Record<string, string | undefined>>,
): { readonly name: string; readonly value: string } | undefined {
  const name = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const [found] = [name.toLowerCase(), name].filter((key) => env[key]);
  // As in Go: a proxy cannot reach this machine.
  if (found === undefined || isLoopback(url) || isExcluded(url, env.no_proxy || env.NO_PROXY || "")) return undefined;
  return { name: found, value: env[found] ?? "" };
}

/** Whether NO_PROXY lists the host: a domain with its subdomains, an address, a network as CIDR, or `*`. */
export function isExcluded({ hostname, port, protocol }: URL, list: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  const actualPort = port || (protocol === "https:" ? "443" : "80");
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      if (entry === "*") return true;
      if (isIP(host) !== 0 && entry.includes("/")) return isInNetwork(host, entry);
      const [, bracketed, plain, onlyPort] = /^(?:\[([^\]]*)\]|(.*?))(?::(\d+))?$/.exec(entry) ?? [];
      const name = isIP(entry) === 6 ? entry : (bracketed ?? plain ?? "");
      if (onlyPort !== undefined && isIP(entry) !== 6 && onlyPort !== actualPort) return false;
      const domain = name.toLowerCase().replace(/^\*?\./, "");
      return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`));
    });
}

function isInNetwork(host: string, entry: string): boolean {
  const [address = "", bits] = entry.split("/");
  const family = isIP(host) === 6 ? "ipv6" : "ipv4";
  const max = family === "ipv6" ? 128 : 32;
  if (isIP(address) !== isIP(host) || !/^\d+$/.test(bits ?? "") || Number(bits) > max) return false;
  const network = new BlockList();
  network.addSubnet(address, Number(bits), family);
  return network.check(host, family);
}
