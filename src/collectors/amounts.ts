// Amounts in responses of the API.
import type { Operation, StacksApi } from "../api/operation.ts";

/** Parses a non-negative whole number; anything else counts as drift and is undefined. */
export function wholeNumber(value: unknown, api: StacksApi, from: Operation, field: string): bigint | undefined {
  // No amount has more than 128 bits, which are 39 digits.
  if (typeof value === "string" && /^\d{1,39}$/.test(value)) return BigInt(value);
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  api.noteDrift(from, field, value === undefined ? "missing" : value === null ? "null" : "type");
  return undefined;
}

/** Parses a fee in microSTX, like `wholeNumber`. No possible fee is above the largest safe integer. */
export function feeOf(value: unknown, api: StacksApi, from: Operation, field: string): number | undefined {
  const fee = wholeNumber(value, api, from, field);
  if (fee === undefined || fee <= BigInt(Number.MAX_SAFE_INTEGER)) return fee === undefined ? undefined : Number(fee);
  api.noteDrift(from, field, "type");
  return undefined;
}
