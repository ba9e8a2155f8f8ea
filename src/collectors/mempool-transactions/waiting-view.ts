// The data of the collector `mempool_transactions` for other collectors of a network.
import type { Listed } from "./listed.ts";

/** A transaction that was listed as waiting, and is not known to be mined. */
export type WaitingRow = Omit<Listed, "minedAt">;

/** The waiting transactions of the network. One that was dropped stays for up to an hour. */
export interface WaitingView {
  /** Time when the list was last requested. Unix time, milliseconds. */
  readonly readAt: number;
  /** Those that a principal sends or receives, newest receipt first. */
  of(principal: string): readonly WaitingRow[];
  /** The one with this nonce of a sender. */
  at(sender: string, nonce: number): WaitingRow | undefined;
}

/** The view of listed transactions. */
export function waitingViewOf(listed: readonly Listed[], readAt: number): WaitingView {
  const rows = listed.filter(({ minedAt }) => minedAt === undefined);
  const byParty = new Map<string, WaitingRow[]>();
  for (const row of rows) {
    for (const party of new Set([row.sender, row.receiver])) {
      if (party === undefined) continue;
      const known = byParty.get(party);
      if (known === undefined) byParty.set(party, [row]);
      else known.push(row);
    }
  }
  const of = (principal: string) => byParty.get(principal) ?? [];
  return {
    readAt,
    of,
    at: (sender, nonce) => of(sender).find((row) => row.sender === sender && row.nonce === nonce),
  };
}
