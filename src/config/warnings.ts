// Warnings about a valid configuration.
import type { Config, UpstreamConfig } from "./config.ts";

// Host names as the URL parser returns them. The last is an IPv4 address in IPv6.
const LOOPBACK = /^((.+\.)?localhost\.?|127\.[\d.]+|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]+\])$/;

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
  return apiKey !== undefined && protocol === "http:" && !LOOPBACK.test(hostname);
}
