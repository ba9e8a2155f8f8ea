// Creates replicas from their specifications.
import { Chain } from "../chain/chain.ts";
import { Ledger } from "../chain/ledger.ts";
import { cachedStatistics, type MempoolStatistics } from "../chain/mempool-statistics.ts";
import type { Pool, View } from "../chain/records.ts";
import { sortByReceipt, type Tx } from "../chain/transaction.ts";
import { aheadOf } from "./ahead.ts";
import { pastOf, resyncOf } from "./lagging.ts";
import { laggingView } from "./lagging-mempool.ts";
import type { ReplicaSpec } from "./replica.ts";

/** The replica that responds to a request. */
export interface Replica {
  readonly kind: ReplicaSpec["kind"];
  readonly chain: View;
  readonly statistics: () => MempoolStatistics;
}

/** Returns the other chain of a seed and a length; the same arguments give the same chain. */
export type OtherChains = (seed: string, blocks: number | undefined) => Chain;

/** Other chains with the accounts and the time of this one. */
export function createOtherChains(chain: Chain): OtherChains {
  const opened = new Map<string, Chain>();
  return (seed, blocks) => {
    const { options, accounts, now, height } = chain;
    const key = `${seed} ${blocks}`;
    const other =
      opened.get(key) ??
      new Chain({ ...options, accounts, seed: `${options.seed}:${seed}`, start: now, history: blocks ?? height });
    opened.set(key, other);
    other.advanceTo(now);
    return other;
  };
}

// Each server has its own receipt times of waiting transactions.
function withReceipts(chain: Chain, seconds: number): View {
  const { mempool } = chain;
  const shifted = (tx: Tx): Tx => {
    const receivedAt = tx.receivedAt - (Number.parseInt(tx.id.slice(-8), 16) % (seconds + 1));
    return { ...tx, receivedAt };
  };
  const pool: Pool = {
    get mark() {
      return mempool.mark;
    },
    values: () => [...mempool.values()].map(shifted),
    byReceipt: () => sortByReceipt([...mempool.values()].map(shifted)),
    get(id) {
      const tx = mempool.get(id);
      return tx && shifted(tx);
    },
  };
  return {
    accounts: chain.accounts,
    ledger: chain.ledger,
    mempool: pool,
    get height() {
      return chain.height;
    },
  };
}

// Returns the view for the next request.
function viewer(spec: ReplicaSpec, chain: Chain, others: OtherChains): () => View {
  const moment = (blocks: number) => chain.history.last(({ height }) => height <= chain.height - blocks);
  switch (spec.kind) {
    case "newest": {
      const view = spec.receipts === undefined ? chain : withReceipts(chain, spec.receipts);
      return () => view;
    }
    case "lag": {
      const at = pastOf(chain);
      if ("blocks" in spec) return () => at(moment(spec.blocks));
      return () => at(chain.history.last(({ time }) => time <= chain.now - spec.seconds));
    }
    case "stuck": {
      const view = pastOf(chain)(moment(spec.blocks ?? 0));
      return () => view;
    }
    case "resync": {
      const upTo = resyncOf(chain);
      const start = chain.now;
      let requests = 0;
      return () => {
        const perRequest = spec.perRequest ?? (spec.perSecond === undefined ? 1 : 0);
        const height = (spec.from ?? 1) + perRequest * requests + (spec.perSecond ?? 0) * (chain.now - start);
        requests += 1;
        return upTo(Math.floor(height));
      };
    }
    case "ahead": {
      const view = aheadOf(chain, spec.blocks, spec.claims ?? "made-up");
      return () => view;
    }
    case "other":
      return () => others(spec.seed ?? "other", spec.blocks);
    case "empty": {
      const view = laggingView(chain, new Ledger(1));
      return () => view;
    }
  }
}

/** Creates a replica. Call the result once per request that the replica serves. */
export function openReplica(spec: ReplicaSpec, chain: Chain, others: OtherChains): () => Replica {
  const next = viewer(spec, chain, others);
  let replica: Replica | undefined;
  return () => {
    const view = next();
    if (replica?.chain !== view) replica = { kind: spec.kind, chain: view, statistics: cachedStatistics(view) };
    return replica;
  };
}
