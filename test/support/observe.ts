import type { StacksApi } from "../../src/api/operation.ts";
import { type AnyCollector, type ChainView, type Target, WHOLE_CHAIN } from "../../src/collectors/collector.ts";

/** One poll of a collector with its default settings, or some of its own. */
export function observe(
  collector: AnyCollector,
  api: StacksApi,
  previous?: unknown,
  {
    options = {},
    now = 1_795_219_200_000,
    target = WHOLE_CHAIN,
    chain,
    isFollowed = chain !== undefined,
    spareSeries = Number.POSITIVE_INFINITY,
  }: {
    options?: object;
    now?: number;
    target?: Target;
    chain?: ChainView | undefined;
    isFollowed?: boolean;
    spareSeries?: number;
  } = {},
): Promise<unknown> {
  const signal = new AbortController().signal;
  return collector.observe(
    { api, network: "mainnet", target, chain, isFollowed, previous, now, spareSeries, signal },
    collector.options.parse(options),
  );
}
