// An address that receives STX, sends STX and uses one token: `check` estimates the series per address with it.
import { keyOf } from "../counters.ts";
import { EMPTY_FEED } from "../feed/state.ts";
import { NO_LAST_VALUES } from "./last-values.ts";
import type { Observation } from "./state.ts";
import { NO_TOTALS } from "./totals.ts";

const TOKEN = "SP000000000000000000002Q6VF78.token::token";
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
    stxAmounts: { in: 1n, out: 1n },
    ftTransfers: { [keyOf(TOKEN, "in")]: 1, [keyOf(TOKEN, "out")]: 1 },
    ftAmounts: { [keyOf(TOKEN, "in")]: 1n, [keyOf(TOKEN, "out")]: 1n },
    assets: { ...NO_TOTALS.assets, ft: { own: { [TOKEN]: 2 }, waiting: {} } },
  },
  facts: {
    ...NO_LAST_VALUES,
    total: 1,
    lastTimes: { sent: newest, received: newest },
    last: newest,
  },
  isNew: false,
  hasTransfers: true,
  backfill: undefined,
  held: {},
  etag: undefined,
};
