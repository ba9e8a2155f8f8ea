// The assets that a network names: each identifier is valid on its chain, and occurs once.
import { isClarityName } from "../collectors/clarity-names.ts";
import type { NamedAsset } from "../collectors/collector.ts";
import { describeValue, type ErrorList } from "./errors.ts";
import { entriesOf, valueAt } from "./normalize.ts";
import { type ChainName, type Identifier, readPrincipal } from "./principal.ts";
import type { Path } from "./schema.ts";

/** Reads the list of a network. The schema has checked the types of its entries, and reported wrong ones. */
export function readAssets(network: unknown, at: Path, chain: ChainName, errors: ErrorList): readonly NamedAsset[] {
  const assets = new Map<string, NamedAsset>();
  for (const [index, entry] of entriesOf(valueAt(network, ["assets"])).entries()) {
    const text = valueAt(entry, ["id"]);
    if (typeof text !== "string") continue;
    const place = [...at, "assets", index, "id"];
    const read = readAssetId(text, chain);
    if (!read.ok) {
      const expected = `an asset identifier of ${chain} as address.contract::token`;
      errors.addUnexpected(place, text, expected, `${errors.describe(place, text)}: ${read.wrong}`);
      continue;
    }
    const { id } = read;
    if (assets.has(id)) errors.add(place, `expected each asset once, found ${describeValue(id)} again`);
    const decimals = valueAt(entry, ["decimals"]);
    assets.set(id, { id, decimals: typeof decimals === "number" ? decimals : undefined });
  }
  return [...assets.values()];
}

/** Reads `address.contract-name::token` of a chain. */
function readAssetId(text: string, chain: ChainName): Identifier {
  const [principal = "", ...tokens] = text.split("::");
  if (tokens.length === 0) return { ok: false, wrong: "text without the name of a token after ::" };
  const contract = readPrincipal(principal, chain);
  if (!contract.ok) return contract;
  if (!contract.isContract) return { ok: false, wrong: "an address without a contract name" };
  const token = tokens.join("::");
  if (!isClarityName(token)) return { ok: false, wrong: "a token name that cannot exist" };
  return { ...contract, id: `${contract.id}::${token}` };
}
