import type { StacksApi } from "../../src/api/operation.ts";
import type { ChainView } from "../../src/collectors/chain/chain-view.ts";
import { type AnyCollector, type Target, wholeChain } from "../../src/collectors/collector.ts";
import type { WaitingView } from "../../src/collectors/mempool-transactions/waiting-view.ts";
import type { MinedView } from "../../src/collectors/transactions/mined-view.ts";

/** Polls a collector once, with its default settings unless `options` has others. */
export function observe(
  collector: AnyCollector,
  api: StacksApi,
  previous?: unknown,
  {
    options = {},
    now = 1_795_219_200_000,
    target = wholeChain({ confirmations: 6 }),
    chain,
    mined,
    waiting,
    isFollowed = chain !== undefined,
    spareSeries = Number.POSITIVE_INFINITY,
    note,
  }: {
    options?: object;
    now?: number;
    target?: Target;
    chain?: ChainView | undefined;
    mined?: MinedView | undefined;
    waiting?: WaitingView | undefined;
    isFollowed?: boolean;
    spareSeries?: number;
    note?: (message: string) => void;
  } = {},
): Promise<unknown> {
  return collector.observe(
    { api, target, chain, mined, waiting, isFollowed, previous, now, spareSeries, note },
    collector.options.parse(options),
  );
}
