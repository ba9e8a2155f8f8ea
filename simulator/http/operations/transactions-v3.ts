// Transactions of the v3 API: all mined ones, one of them, and its events.
import type { Place } from "../../chain/block.ts";
import type { View } from "../../chain/records.ts";
import { eventJson } from "../../json/event.ts";
import { minedTransactionJson, summaryJson, waitingTransactionJson } from "../../json/transaction-v3.ts";
import { tipTag, transactionTag } from "../etag.ts";
import { badRequest, notFound } from "../http-error.ts";
import { operation } from "../operation.ts";
import { cursorMatching, limitOf, placeCursor, placesFrom } from "../paging.ts";
import { checkPrefix, transactionId } from "../query.ts";

function minedPlace({ ledger }: View, txId: string): Place | undefined {
  checkPrefix(txId);
  const place = ledger.placeOf(txId);
  return place !== undefined && ledger.isCanonical(place.block) ? place : undefined;
}

/** All mined transactions of the chain, newest first. */
export const transactionList = operation({
  template: "/extended/v3/transactions",
  parse: ({ query }) => ({ limit: limitOf(query, 50), cursor: placeCursor(query) }),
  tag: tipTag,
  respond: ({ chain }, page) => placesFrom(chain.ledger.transactions, page, summaryJson),
});

/** One transaction, mined or waiting. An orphaned transaction waits again; an orphaned coinbase is not found. */
export const transactionItem = operation({
  template: "/extended/v3/transactions/{tx_id}",
  parse: ({ path }) => transactionId(path.tx_id),
  tag: transactionTag,
  respond({ chain }, txId) {
    const place = minedPlace(chain, txId);
    if (place !== undefined) return { status: 200, json: minedTransactionJson(place) };
    const waiting = chain.mempool.get(txId);
    if (waiting === undefined) throw notFound("Transaction not found");
    return { status: 200, json: waitingTransactionJson(waiting) };
  },
});

/** Events of a mined transaction in their order. Any other transaction gives a 400, as on the real server. */
export const transactionEvents = operation({
  template: "/extended/v3/transactions/{tx_id}/events",
  parse: ({ path, query }) => ({
    txId: transactionId(path.tx_id),
    limit: limitOf(query, 100),
    from: Number(cursorMatching(query, "^[0-9]+$") ?? 0),
  }),
  tag: (chain, { txId }) => transactionTag(chain, txId),
  respond({ chain }, { txId, limit, from }) {
    const place = minedPlace(chain, txId);
    if (place === undefined) throw badRequest("Transaction not found");
    const { tx } = place;
    const results = tx.events.slice(from, from + limit).map((event, at) => eventJson(tx, event, from + at));
    const isEmpty = results.length === 0;
    const cursor = {
      next: from + limit < tx.events.length ? String(from + limit) : null,
      previous: isEmpty || from === 0 ? null : String(Math.max(from - limit, 0)),
      current: isEmpty ? null : String(from),
    };
    return { status: 200, json: { total: tx.events.length, limit, cursor, results } };
  },
});
