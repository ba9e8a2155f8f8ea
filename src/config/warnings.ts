// Warnings about a valid configuration.
import { BlockList } from "node:net";
import type { Config, UpstreamConfig } from "./config.ts";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Warnings about a configuration, one sentence each, without secrets. */
export function warningsOf({ networks }: Pick<Config, "networks">): string[] {
  return networks.flatMap((network) => {
    const exposed = network.upstreams.filter(isExposed);
    return exposed.map((upstream) => {
      const where = network.upstreams.length === 1 ? network.name : `${network.name}, upstream ${upstream.name}`;
      return `network ${where}: the API key goes over plain http, where others can read it; use an https URL`;
    });
  });
}

function isExposed({ url, apiKey }: UpstreamConfig): boolean {
  const { protocol, hostname } = new URL(url);
  return apiKey !== undefined && protocol === "http:" && !isLoopback(hostname);
}

function isLoopback(hostname: string): boolean {
  if (/^(.+\.)?localhost\.?$/.test(hostname)) return true;
  const isIpv6 = hostname.startsWith("[");
  return LOOPBACK.check(isIpv6 ? hostname.slice(1, -1) : hostname, isIpv6 ? "ipv6" : "ipv4");
}
