// An address in ordinary use, made up: what a plan reckons the series of an address by. Pure.
import type { Transaction } from "./source.ts";
import { type AddressTotals, addUp, NO_TOTALS } from "./totals.ts";
import type { Transfer } from "./transfers.ts";

const ME = "me";
const TOKEN = "SP000000000000000000002Q6VF78.token::token";
const NOTHING = { transfer: 0, mint: 0, burn: 0 };
const EVENTS = { stx: { ...NOTHING, transfer: 1 }, ft: NOTHING, nft: NOTHING };
const TOKENS = { ...EVENTS, ft: { ...NOTHING, transfer: 1 } };

const received: Transaction = {
  id: "",
  height: 1,
  index: 0,
  hash: "",
  isUnanchored: false,
  type: "token_transfer",
  status: "success",
  time: 1,
  sender: "other",
  nonce: 0,
  sponsor: undefined,
  sponsorNonce: undefined,
  fee: 1n,
  sent: 0n,
  received: 1n,
  transfer: undefined,
  called: undefined,
  tokens: undefined,
  detail: {
    events: EVENTS,
    postConditionMode: "deny",
    postConditions: [],
    eventCount: 1,
    cost: { read_count: 0, read_length: 0, runtime: 0, write_count: 0, write_length: 0 },
  },
};
const postConditions = [{ type: "stx", code: "sent_equal_to", principal: "principal_origin" }];
const sent: Transaction = { ...received, sender: ME };
const called: Transaction = {
  ...sent,
  type: "contract_call",
  detail: received.detail && { ...received.detail, events: TOKENS, postConditions },
};

const moved = (kind: Transfer["kind"], asset: string, direction: Transfer["direction"]): Transfer => ({
  kind,
  asset,
  direction,
  amount: 1n,
  other: undefined,
});

/** Totals of an address that was sent STX, sends STX, and has one token. */
export const EXAMPLE_TOTALS: AddressTotals = addUp(
  NO_TOTALS,
  ME,
  [
    { transaction: received, transfers: [moved("stx", "", "in")] },
    { transaction: sent, transfers: [moved("stx", "", "out")] },
    { transaction: called, transfers: [moved("ft", TOKEN, "in"), moved("ft", TOKEN, "out")] },
  ],
  { reverted: 0, restored: 0, gap: 0, irregularities: {} },
  { perClass: 1, spareSeries: Number.POSITIVE_INFINITY },
);
