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
  }: { options?: object; now?: number; target?: Target; chain?: ChainView | undefined } = {},
): Promise<unknown> {
  const signal = new AbortController().signal;
  return collector.observe(
    { api, network: "mainnet", target, chain, previous, now, signal },
    collector.options.parse(options),
  );
}
