// Amounts in responses of the API.
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
