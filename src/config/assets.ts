// The assets of a network: those that it names, each valid on its chain and once, and those that every network has.
import { isClarityName } from "../collectors/clarity-names.ts";
import type { NamedAsset } from "../collectors/collector.ts";
import { describeValue, type ErrorList } from "./errors.ts";
import { entriesOf, valueAt } from "./normalize.ts";
import { type ChainName, type Identifier, readPrincipal } from "./principal.ts";
import type { Path } from "./schema.ts";

// On testnets, sBTC is deployed again with another contract.
const BUILT_IN: Readonly<Record<ChainName, readonly NamedAsset[]>> = {
  mainnet: [{ id: "SM3VDXK3WZZSA84XXFKAFAF15NNZX32CTSG82JFQ4.sbtc-token::sbtc-token", name: "sbtc", decimals: 8 }],
  testnet: [],
};

/** Reads the assets of a network. The schema has checked the types of its entries, and reported wrong ones. */
export function readAssets(network: unknown, at: Path, chain: ChainName, errors: ErrorList): readonly NamedAsset[] {
  const assets = new Map<string, NamedAsset>();
  const names = new Set<string>();
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
    const known = BUILT_IN[chain].find((asset) => asset.id === id);
    const [name, decimals] = [valueAt(entry, ["name"]), valueAt(entry, ["decimals"])];
    if (typeof name === "string") {
      const isTaken = names.has(name) || BUILT_IN[chain].some((asset) => asset.name === name && asset.id !== id);
      if (isTaken) errors.addUnexpected([...at, "assets", index, "name"], name, "a name that no other asset has");
      names.add(name);
    }
    assets.set(id, {
      id,
      name: typeof name === "string" ? name : known?.name,
      decimals: typeof decimals === "number" ? decimals : known?.decimals,
    });
  }
  return [...assets.values(), ...BUILT_IN[chain].filter(({ id }) => !assets.has(id))];
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
