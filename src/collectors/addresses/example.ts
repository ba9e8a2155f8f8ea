// An address that receives STX, sends STX and uses one token: `plan` estimates the series per address with it.
import { FEE_BOUNDS } from "../amounts.ts";
import { mapDimensions } from "../chain/chain.ts";
import { emptyHistogram, keyOf } from "../counters.ts";
import { EMPTY_FEED } from "../feed/state.ts";
import { NO_LAST_VALUES } from "./last-values.ts";
import type { Observation } from "./state.ts";
import { NO_TOTALS, TRANSFER_BOUNDS } from "./totals.ts";

const TOKEN = "SP000000000000000000002Q6VF78.token::token";
const fee = emptyHistogram(FEE_BOUNDS, 0n);
const transfer = emptyHistogram(TRANSFER_BOUNDS, 0n);
const newest = { value: 1, height: 1, hash: "" };

/** The observation of such an address. */
export const EXAMPLE: Observation = {
  feed: EMPTY_FEED,
  floor: { height: 1, index: 0 },
  settledTotal: 1,
  totals: {
    ...NO_TOTALS,
    transactions: {
      [keyOf("token_transfer", "success", "received")]: 1,
      [keyOf("token_transfer", "success", "sent")]: 1,
      [keyOf("contract_call", "success", "sent")]: 1,
    },
    fees: { [keyOf("token_transfer", "sender")]: 1n, [keyOf("contract_call", "sender")]: 1n },
    feeSizes: { token_transfer: fee, contract_call: fee },
    stxTransfers: { in: 1, out: 1 },
    stxAmounts: { in: 1n, out: 1n },
    stxSizes: { in: transfer, out: transfer },
    ftTransfers: { [keyOf(TOKEN, "in")]: 1, [keyOf(TOKEN, "out")]: 1 },
    ftAmounts: { [keyOf(TOKEN, "in")]: 1n, [keyOf(TOKEN, "out")]: 1n },
    assets: { ...NO_TOTALS.assets, ft: { own: { [TOKEN]: 2 }, waiting: {} } },
    assetEvents: { [keyOf("stx", "transfer")]: 3, [keyOf("ft", "transfer")]: 1 },
    postConditions: { [keyOf("deny", "stx", "sent_equal_to", "principal_origin")]: 1 },
    cost: mapDimensions(() => 0),
  },
  facts: {
    ...NO_LAST_VALUES,
    total: 1,
    lastTimes: { sent: newest, received: newest },
    last: newest,
    nonces: { sender: newest },
  },
  isNew: false,
  hasTransfers: true,
  backfill: undefined,
  held: {},
  etag: undefined,
};
