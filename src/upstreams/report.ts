// What an upstream reports of itself.
import type { UpstreamReport } from "../telemetry/report.ts";
import type { Upstream } from "./upstream.ts";

/** The report of one upstream. @param elapsed of `Clock.elapsed` @param shift from there to Unix time; milliseconds. */
export function reportOf(upstream: Upstream, isActive: boolean, elapsed: number, shift: number): UpstreamReport {
  const { name, origin, chain, health, tip } = upstream;
  const trouble = health.trouble(elapsed, isActive);
  const isRefused = chain.kind === "refused";
  // While nothing can be asked, it is down before so many polls have failed.
  const { outage } = upstream.client.snapshot();
  const isOut = outage !== undefined && outage.operation === undefined;
  const ofPolls = trouble && { reason: trouble.reason, message: trouble.message, since: trouble.since + shift };
  const ofServer = isOut ? { ...outage.cause, since: outage.since } : ofPolls;
  const cause = isRefused ? { reason: chain.reason, message: chain.message, since: chain.since } : ofServer;
  return {
    name,
    origin,
    isActive,
    isUp: isRefused || isOut || health.isKnown ? cause === undefined : undefined,
    tipHeight: tip?.height,
    lagBlocks: health.lagBlocks,
    cause,
  };
}
