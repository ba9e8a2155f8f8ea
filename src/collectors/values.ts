// Values of responses: amounts, and texts that can be label values, of an enumeration or names of Clarity.
import { z } from "zod";
import type { Operation, StacksApi } from "../api/operation.ts";

/** No amount in microSTX is larger: the supply stays below 3 billion STX. */
export const MAX_MICROSTX = 4_000_000_000_000_000n;
const MAX_TOKENS = 2n ** 128n - 1n;

/** An amount as text. Tokens have up to 128 bits; a longer number is a broken response. */
export const amount = z
  .string()
  .regex(/^\d{1,60}$/)
  .transform(BigInt);

/** An amount of microSTX as text. */
export const microStx = amount.refine((value) => value <= MAX_MICROSTX, "above the supply");

/** Parses a whole number from 0 to `max`; anything else counts as drift and is undefined. */
export function wholeNumber(
  value: unknown,
  api: StacksApi,
  from: Operation,
  field: string,
  max = MAX_TOKENS,
): bigint | undefined {
  const isWhole = typeof value === "string" ? /^\d{1,39}$/.test(value) : Number.isSafeInteger(value);
  const number = isWhole ? BigInt(value as string | number) : -1n;
  if (number >= 0n && number <= max) return number;
  api.noteDrift(from, field, value === undefined ? "missing" : value === null ? "null" : "type");
  return undefined;
}

/** Parses a fee in microSTX, like `wholeNumber`. */
export function feeOf(value: unknown, api: StacksApi, from: Operation, field: string): number | undefined {
  const fee = wholeNumber(value, api, from, field, MAX_MICROSTX);
  return fee === undefined ? undefined : Number(fee);
}

/** The label value for unknown values beyond the limit. */
export const OTHER = "other";

/** Types of transactions in the mempool (`mempool_stats`, `tx_type_counts`). */
export const MEMPOOL_TX_TYPES = ["token_transfer", "smart_contract", "contract_call", "poison_microblock"] as const;

/** Types of mined transactions. */
export const TX_TYPES = [...MEMPOOL_TX_TYPES, "coinbase", "tenure_change"] as const;
/** Statuses of mined transactions. */
export const TX_STATUSES = ["success", "abort_by_response", "abort_by_post_condition", "problematic_skipped"] as const;
/** Longest response with values by type, which is kept. Real ones have less than 2 kB. Bytes. */
export const LONGEST_BY_TYPE = 2 ** 16;

/** A protocol upgrade adds one or two values to an enumeration. More at once are a broken response. */
export const MAX_UNKNOWN = 8;
const VALUE = /^[a-z][a-z0-9_]{0,63}$/;

/** Whether a text has the form of a value of an enumeration of the API. */
export const isEnumValue = (text: string): boolean => VALUE.test(text);

/** The types of a response that become label values. Counts each unknown type as drift of the enumeration. */
export function labelledTypes(
  types: readonly string[],
  known: readonly string[],
  api: StacksApi,
  operation: Operation,
  field: string,
): string[] {
  const unknown = types.filter((type) => !known.includes(type)).sort();
  for (const _ of unknown) api.noteDrift(operation, field, "enum");
  return [...types.filter((type) => known.includes(type)), ...unknown.filter(isEnumValue).slice(0, MAX_UNKNOWN)];
}

// Anyone can put names on the chain, and a hostile or broken API can return other text, of any length or with control
// characters. Such text must not become a label value, and must not be stored. Lengths are those of Clarity
// (MAX_STRING_LEN of stacks-core). Checksums are not verified: anyone can compute them.
const STANDARD = "S[0-9A-HJKMNP-TV-Z]{27,40}";
const CONTRACT_NAME = "[a-zA-Z][a-zA-Z0-9_-]{0,127}";
const CLARITY_NAME = "[a-zA-Z][a-zA-Z0-9!?+<>=/*_-]{0,127}";

function hasForm(form: string): (text: string) => boolean {
  const pattern = new RegExp(`^${form}$`);
  return (text) => pattern.test(text);
}

/** Whether a text is a valid address, or a valid contract as `address.name`. */
export const isPrincipal = hasForm(`${STANDARD}(\\.${CONTRACT_NAME})?`);

/** Whether a text is a valid contract name. */
export const isContractName = hasForm(CONTRACT_NAME);

/** Whether a text is a valid Clarity name: of a function, a token or a topic. */
export const isClarityName = hasForm(CLARITY_NAME);

/** Whether a text is a valid asset identifier: `address.contract::token`. */
export const isAssetId = hasForm(`${STANDARD}\\.${CONTRACT_NAME}::${CLARITY_NAME}`);

// Surrogates, control characters and others that are not visible.
const LABEL_TEXT = /^[^\p{C}\p{Zl}\p{Zp}]{1,128}$/u;

/** Whether a text of an event can be a label value. The name of a prototype cannot: values are keys of objects. */
export const isLabelText = (text: string): boolean => text !== "__proto__" && LABEL_TEXT.test(text);
