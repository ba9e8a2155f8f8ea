// Parameters as the server's schema validator reads them: the first thing wrong is reported, nothing is clamped.
import { internal, invalid } from "./http-error.ts";

/** A whole number, or undefined when the parameter is not given. Throws a 400 for text, fractions and bounds. */
export function integer(
  value: string | null,
  where: string,
  bounds: { readonly least?: number; readonly most?: number } = {},
): number | undefined {
  if (value === null) return undefined;
  const number = Number(value);
  if (value.trim() === "" || !Number.isInteger(number)) throw invalid(`${where} must be integer`);
  if (bounds.least !== undefined && number < bounds.least) throw invalid(`${where} must be >= ${bounds.least}`);
  if (bounds.most !== undefined && number > bounds.most) throw invalid(`${where} must be <= ${bounds.most}`);
  return number;
}

/** `true` or `false`; false when not given. */
export function flag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  if (value === null || value === "false") return false;
  if (value === "true") return true;
  throw invalid(`querystring/${name} must be boolean`);
}

/** The part of a list that is asked for. */
export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Reads limit (default 20) and offset (default 0). */
export function page(query: URLSearchParams, most = 50): Page {
  return {
    limit: integer(query.get("limit"), "querystring/limit", { least: 0, most }) ?? 20,
    offset: integer(query.get("offset"), "querystring/offset", { least: 0 }) ?? 0,
  };
}

const TX_ID = "^(0x)?[a-fA-F0-9]{64}$";

/** A transaction id as far as the schema looks, in lower case. */
export function transactionId(value: string): string {
  if (new RegExp(TX_ID).test(value)) return value.toLowerCase();
  throw invalid(`params/tx_id must match pattern "${TX_ID}"`);
}

/** Throws the 500 of the database for a transaction id without `0x`, which the schema lets pass. */
export function checkPrefix(txId: string): void {
  if (!txId.startsWith("0x")) throw internal(`Hex string is missing the "0x" prefix: "${txId}"`);
}

const LETTERS = "[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{28,41}";
const STANDARD = `^${LETTERS}`;
const CONTRACT = `^${LETTERS}.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,39}$`;
// Anchored at the start only, as on the server: a mistyped end passes.
const PRINCIPAL = new RegExp(STANDARD);

/** A principal as far as the schema looks: letters at the start, no checksum. */
export function principal(value: string, name: string): string {
  if (PRINCIPAL.test(value)) return value;
  throw invalid(
    `params/${name} must match pattern "${STANDARD}", params/${name} must match pattern "${CONTRACT}", ` +
      `params/${name} must match a schema in anyOf`,
  );
}
