// Amounts by asset of an entry of a watch list. Amounts are text: a large number in YAML or JSON would be rounded.
import { type NamedAsset, STX } from "../collectors/collector.ts";
import { describeValue } from "./errors.ts";

const STX_DECIMALS = { STX: 6, microSTX: 0 } as const;

/**
 * Reads amounts by asset: `stx` in microSTX, tokens in base units by their identifier.
 * @param report receives the errors. `found` is absent for the amount itself.
 */
export function readAmounts(
  written: Readonly<Record<string, string | number>>,
  assets: readonly NamedAsset[],
  report: (key: string, expected: string, found?: string) => void,
): Readonly<Record<string, bigint>> {
  const read: Record<string, bigint> = {};
  const take = (key: string, asset: string, amount: bigint | undefined, expected: string) => {
    if (amount !== undefined && amount > 0n) read[asset] = amount;
    else report(key, `expected ${expected}`);
  };
  for (const [key, text] of Object.entries(written)) {
    if (key === STX) {
      const such = typeof text === "number" ? `${text} STX` : "5000 STX or 250000 microSTX";
      take(key, STX, parseStx(String(text)), `an amount above 0 with its unit, such as ${such}`);
      continue;
    }
    const asset = assets.find(({ name }) => name === key);
    if (asset === undefined) {
      const known = [STX, ...assets.flatMap(({ name = [] }) => name)].join(", ");
      report(key, `expected the name of an asset, known here: ${known}`, describeValue(key));
      continue;
    }
    const { id, decimals } = asset;
    if (decimals === undefined) report(key, "expected an asset with decimals", "none in assets");
    else if (typeof text === "number") report(key, `expected an amount in quotes, such as "${text}"`);
    else take(key, id, parseAmount(text, decimals), `an amount above 0 with up to ${decimals} decimals, such as 20.5`);
  }
  return read;
}

function parseStx(text: string): bigint | undefined {
  const [, amount = "", unit = ""] = /^(\S+) ?(STX|microSTX)$/.exec(text) ?? [];
  return parseAmount(amount, STX_DECIMALS[unit as keyof typeof STX_DECIMALS]);
}

/** A decimal number in units of its last decimal place; undefined for other text, or more places. */
function parseAmount(text: string, decimals: number): bigint | undefined {
  const [, whole = "", fraction = ""] = /^(\d{1,39})(?:\.(\d{1,39}))?$/.exec(text) ?? [];
  return whole === "" || fraction.length > decimals ? undefined : BigInt(whole + fraction.padEnd(decimals, "0"));
}
