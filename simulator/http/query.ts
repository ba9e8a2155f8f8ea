// Parameters as the schema validator of the server reads them: it reports the first error and clamps nothing.
import { internal, invalid } from "./http-error.ts";

/** A whole number, or undefined without the parameter. Throws a 400 for text, fractions and values out of bounds. */
export function integer(
  value: string | null,
  where: string,
  bounds: { readonly min?: number; readonly max?: number } = {},
): number | undefined {
  if (value === null) return undefined;
  const number = Number(value);
  if (value.trim() === "" || !Number.isInteger(number)) throw invalid(`${where} must be integer`);
  if (bounds.min !== undefined && number < bounds.min) throw invalid(`${where} must be >= ${bounds.min}`);
  if (bounds.max !== undefined && number > bounds.max) throw invalid(`${where} must be <= ${bounds.max}`);
  return number;
}

/** `true` or `false`; false without the parameter. */
export function flag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name) ?? "false";
  if (value !== "true" && value !== "false") throw invalid(`querystring/${name} must be boolean`);
  return value === "true";
}

/** Parses limit (default 20) and offset (default 0). Most operations replace `limit=0` by 20. */
export function page(query: URLSearchParams, max = 50, zero: 0 | 20 = 20, maxOffset = Infinity) {
  const limit = integer(query.get("limit"), "querystring/limit", { min: 0, max }) ?? 20;
  const offset = integer(query.get("offset"), "querystring/offset", { min: 0, max: maxOffset }) ?? 0;
  return { limit: limit === 0 ? zero : limit, offset };
}

// The columns of heights and times are integer, that of the index in a block is smallint.
const BITS = { smallint: 15, integer: 31, bigint: 63 };

/** Throws the 500 of the database for a number above the range of its type, which the schema accepts. */
export function checkRange(value: number, type: keyof typeof BITS): void {
  if (value >= 2 ** BITS[type]) throw internal(`value "${value}" is out of range for type ${type}`, "22003");
}

/** Parses limit and offset of a list with cursors, whose offset is at most ten of its largest pages. */
export const shortPage = (query: URLSearchParams, max: number) => page(query, max, 20, 10 * max);

/** Throws the 500 of the database for an offset above its range. */
export const checkOffset = (offset: number): void => checkRange(offset, "bigint");

const TX_ID = "^(0x)?[a-fA-F0-9]{64}$";

/** A transaction id as the schema checks it, in lower case. */
export function transactionId(value = ""): string {
  if (new RegExp(TX_ID).test(value)) return value.toLowerCase();
  throw invalid(`params/tx_id must match pattern "${TX_ID}"`);
}

/** Throws the 500 of the database for a transaction id without `0x`, which the schema accepts. */
export function checkPrefix(txId: string): void {
  if (!txId.startsWith("0x")) throw internal(`Hex string is missing the "0x" prefix: "${txId}"`);
}

const LETTERS = "[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{28,41}";
const CONTRACT = `^${LETTERS}.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,39}$`;

function matchingPrincipal(value: string | undefined, name: string, standard: string): string {
  const patterns = [standard, CONTRACT];
  if (value !== undefined && patterns.some((pattern) => new RegExp(pattern).test(value))) return value;
  const mismatches = patterns.map((pattern) => `params/${name} must match pattern "${pattern}"`);
  throw invalid([...mismatches, `params/${name} must match a schema in anyOf`].join(", "));
}

/** A principal as the schema checks it: letters at the start, no checksum. A typo at the end is accepted. */
export const principal = (value: string | undefined, name: string): string =>
  matchingPrincipal(value, name, `^${LETTERS}`);

/** A principal as the v3 API checks it: no checksum, but nothing may follow. */
export const wholePrincipal = (value: string | undefined): string =>
  matchingPrincipal(value, "principal", `^${LETTERS}$`);

/** An account as the v3 API checks it: an address without a contract. */
export function account(value = ""): string {
  if (new RegExp(`^${LETTERS}$`).test(value)) return value;
  throw invalid(`params/principal must match pattern "^${LETTERS}$"`);
}
