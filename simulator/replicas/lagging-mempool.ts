// The mempool of a replica that is behind: later transactions are missing, and those that were mined later still wait.
import type { Ledger } from "../chain/ledger.ts";
import type { Pool, View } from "../chain/records.ts";
import type { Tx } from "../chain/transaction.ts";

// Transactions in later blocks than these had not arrived yet, with few exceptions.
const BLOCKS_READ = 60;

// The highest block that both have.
function commonHeight(truth: Ledger, ledger: Ledger): number {
  let height = Math.min(ledger.tip?.height ?? 0, truth.tip?.height ?? 0);
  while (height > 0 && truth.atHeight(height)?.hash !== ledger.atHeight(height)?.hash) height -= 1;
  return height;
}

function collect(truth: { readonly ledger: Ledger; readonly mempool: Pool }, ledger: Ledger): Map<string, Tx> {
  const height = ledger.tip?.height ?? 0;
  const waiting = new Map<string, Tx>();
  const add = (tx: Tx) => {
    if (tx.origin === "protocol" || tx.receivedHeight > height) return;
    const place = ledger.placeOf(tx.id);
    if (place === undefined || !ledger.isCanonical(place.block)) waiting.set(tx.id, tx);
  };
  const from = commonHeight(truth.ledger, ledger);
  for (let at = from + 1; at <= from + BLOCKS_READ; at += 1) truth.ledger.atHeight(at)?.txs.forEach(add);
  for (const tx of truth.mempool.values()) add(tx);
  return waiting;
}

/** The mempool of a replica that holds `ledger`. It is recomputed when the tip of `ledger` changes. */
export function poolBehind(truth: { readonly ledger: Ledger; readonly mempool: Pool }, ledger: Ledger): Pool {
  let tip: string | undefined;
  let waiting = new Map<string, Tx>();
  const current = () => {
    if (tip !== ledger.tip?.hash) {
      tip = ledger.tip?.hash;
      waiting = tip === undefined ? new Map() : collect(truth, ledger);
    }
    return waiting;
  };
  return {
    get mark() {
      const fraction = Number.parseInt(ledger.tip?.hash.slice(2, 10) ?? "0", 16) % 1_000_000;
      return `${ledger.tip?.time ?? 0}.${String(fraction).padStart(6, "0")}`;
    },
    values: () => current().values(),
    get: (id) => current().get(id),
  };
}

/** The view of a replica that holds `ledger`. The ledger may change later. */
export function viewBehind(truth: { readonly ledger: Ledger; readonly mempool: Pool }, ledger: Ledger): View {
  return {
    ledger,
    mempool: poolBehind(truth, ledger),
    get height() {
      return ledger.tip?.height ?? 0;
    },
  };
}
