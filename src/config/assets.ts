// The assets of a network: those that it names, each valid on its chain and once, and those that every network has.
import { isClarityName } from "../collectors/clarity-names.ts";
import type { NamedAsset } from "../collectors/collector.ts";
import type { ErrorList } from "./errors.ts";
import { entriesOf, type Path, valueAt } from "./paths.ts";
import { type ChainName, type Identifier, readPrincipal } from "./principal.ts";
import { assetEntry } from "./settings.ts";

// On testnets, sBTC is deployed again with another contract.
const BUILT_IN: Readonly<Record<ChainName, readonly NamedAsset[]>> = {
  mainnet: [{ id: "SM3VDXK3WZZSA84XXFKAFAF15NNZX32CTSG82JFQ4.sbtc-token::sbtc-token", name: "sbtc", decimals: 8 }],
  testnet: [],
};

/** Reads the assets of a network. Entries that are wrong by themselves were reported, and are left out. */
export function readAssets(network: unknown, at: Path, chain: ChainName, errors: ErrorList): readonly NamedAsset[] {
  const builtIn = BUILT_IN[chain];
  const assets = new Map<string, NamedAsset>();
  const names = new Set<string>();
  for (const [index, entry] of entriesOf(valueAt(network, ["assets"])).entries()) {
    const { id: text, name, decimals } = assetEntry.safeParse(entry).data ?? {};
    if (text === undefined) continue;
    const report = (setting: string, value: string, expected: string, reason = "") => {
      const place = [...at, "assets", index, setting];
      errors.add(place, `expected ${expected}, found ${errors.describe(place, value)}${reason}`);
    };
    const read = readAssetId(text, chain);
    if (!read.ok) {
      report("id", text, `an asset identifier of ${chain} as address.contract::token`, `: ${read.wrong}`);
      continue;
    }
    const { id } = read;
    if (assets.has(id)) report("id", id, "each asset once", " again");
    const known = builtIn.find((asset) => asset.id === id);
    if (name !== undefined && (names.has(name) || builtIn.some((asset) => asset.name === name && asset !== known)))
      report("name", name, "a name that no other asset has");
    names.add(name ?? "");
    assets.set(id, { id, name: name ?? known?.name, decimals: decimals ?? known?.decimals });
  }
  return [...assets.values(), ...builtIn.filter(({ id }) => !assets.has(id))];
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
