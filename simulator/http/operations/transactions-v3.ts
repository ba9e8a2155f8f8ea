// Transactions of the v3 API: of the chain, of a block, one transaction, and its events.
import type { Block, Place } from "../../chain/block.ts";
import type { View } from "../../chain/records.ts";
import { eventJson, minedTransactionJson, summaryJson, waitingTransactionJson } from "../../json/transaction-v3.ts";
import { eventIndexOf, isWithin, limitOf, pageOfTransactions, positionOf } from "../cursor-v3.ts";
import { tipTag, transactionTag } from "../etag.ts";
import { badRequest, notFound } from "../http-error.ts";
import { operation } from "../operation.ts";
import { checkPrefix, transactionId } from "../query.ts";
import { blockName, blockTag, findBlock } from "./blocks-v2.ts";

/** The mined transactions of the chain, newest first. */
export const transactionList = operation({
  template: "/extended/v3/transactions",
  read: ({ query }) => ({ limit: limitOf(query, 50), from: positionOf(query) }),
  tag: tipTag,
  answer({ chain: { ledger } }, { limit, from }) {
    const { places, cursor } = pageOfTransactions(ledger.older(from), (than) => ledger.newer(than), limit);
    const total = places.length === 0 ? 0 : ledger.txCount;
    return { status: 200, json: { total, limit, cursor, results: places.map(summaryJson) } };
  },
});

const placesOf = (block: Block): Place[] => block.txs.map((tx, index) => ({ tx, block, index }));

/** The transactions of one block, last first. */
export const blockTransactions = operation({
  template: "/extended/v3/blocks/{height_or_hash}/transactions",
  read: ({ path, query }) => ({
    name: blockName(path.height_or_hash),
    limit: limitOf(query, 50),
    from: positionOf(query),
  }),
  tag: (chain, { name }) => blockTag(chain, name),
  answer({ chain }, { name, limit, from }) {
    const block = findBlock(chain, name);
    if (block === undefined) throw notFound("Block not found");
    const all = placesOf(block);
    const older = all.filter((place) => isWithin(place, from)).reverse();
    const newer = (than: { readonly index: number }) => all.slice(than.index + 1);
    const { places, cursor } = pageOfTransactions(older, newer, limit);
    return { status: 200, json: { total: all.length, limit, cursor, results: places.map(summaryJson) } };
  },
});

function minedPlace({ ledger }: View, txId: string): Place | undefined {
  const place = ledger.placeOf(txId);
  return place !== undefined && ledger.isCanonical(place.block) ? place : undefined;
}

/** One transaction, mined or waiting. An orphaned transaction waits again; an orphaned coinbase is not found. */
export const transactionItem = operation({
  template: "/extended/v3/transactions/{tx_id}",
  read: ({ path }) => transactionId(path.tx_id ?? ""),
  tag: transactionTag,
  answer({ chain }, txId) {
    checkPrefix(txId);
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
  read: ({ path, query }) => ({
    txId: transactionId(path.tx_id ?? ""),
    limit: limitOf(query, 100),
    from: eventIndexOf(query),
  }),
  tag: (chain, { txId }) => transactionTag(chain, txId),
  answer({ chain }, { txId, limit, from }) {
    checkPrefix(txId);
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
