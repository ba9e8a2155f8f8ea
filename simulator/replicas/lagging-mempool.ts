// The mempool of a replica that is behind: later transactions are missing, and those that were mined, replaced or
// dropped later still wait.
import type { Chain } from "../chain/chain.ts";
import type { Ledger } from "../chain/ledger.ts";
import type { Pool, View } from "../chain/records.ts";
import { sortByReceipt, type Tx } from "../chain/transaction.ts";

// Few transactions in later blocks than these were waiting already.
const BLOCKS_READ = 60;

// The highest block that both have.
function commonHeight(newest: Ledger, ledger: Ledger): number {
  let height = Math.min(ledger.tip?.height ?? 0, newest.tip?.height ?? 0);
  while (height > 0 && newest.atHeight(height)?.hash !== ledger.atHeight(height)?.hash) height -= 1;
  return height;
}

function waitingIn(ledger: Ledger, newest: Chain): Map<string, Tx> {
  const waiting = new Map<string, Tx>();
  if (ledger.tip === undefined) return waiting;
  const { height } = ledger.tip;
  const add = (tx: Tx) => {
    if (tx.origin === "protocol" || tx.receivedHeight > height) return;
    const place = ledger.placeOf(tx.id);
    if (place === undefined || !ledger.isCanonical(place.block)) waiting.set(tx.id, tx);
  };
  const from = commonHeight(newest.ledger, ledger);
  for (let at = from + 1; at <= from + BLOCKS_READ; at += 1) newest.ledger.atHeight(at)?.txs.forEach(add);
  for (const tx of newest.mempool.values()) add(tx);
  for (const { tx, at } of newest.mempool.removed) if (at > ledger.tip.time) add(tx);
  return waiting;
}

// The mempool is computed again when the tip of `ledger` changes.
function laggingMempool(newest: Chain, ledger: Ledger): Pool {
  let tip: string | undefined;
  let waiting = new Map<string, Tx>();
  const current = () => {
    if (tip !== ledger.tip?.hash) waiting = waitingIn(ledger, newest);
    tip = ledger.tip?.hash;
    return waiting;
  };
  return {
    get mark() {
      const fraction = Number.parseInt(ledger.tip?.hash.slice(2, 10) ?? "0", 16) % 1_000_000;
      return `${ledger.tip?.time ?? 0}.${String(fraction).padStart(6, "0")}`;
    },
    values: () => current().values(),
    byReceipt: () => sortByReceipt(current().values()),
    get: (id) => current().get(id),
  };
}

/** The view of a replica that holds `ledger`. The ledger may change later. */
export function laggingView(newest: Chain, ledger: Ledger): View {
  return {
    accounts: newest.accounts,
    ledger,
    mempool: laggingMempool(newest, ledger),
    get height() {
      return ledger.tip?.height ?? 0;
    },
  };
}
