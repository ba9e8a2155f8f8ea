// The tokens that a network names: identifiers with the checksum of their address, each once.
import { isClarityName } from "../collectors/clarity-names.ts";
import type { NamedAsset } from "../collectors/collector.ts";
import { valueAt } from "./check.ts";
import type { Findings } from "./findings.ts";
import { describeValue, type Path } from "./mistakes.ts";
import { type ChainName, type ReadPrincipal, readPrincipal } from "./principal.ts";
import { assetEntry } from "./settings.ts";
import { chainOf } from "./watch-list.ts";

const SEPARATOR = "::";

/** Reads the list of a network. Leaves out entries that do not fit the table of settings, which reports them. */
export function readAssets(network: unknown, at: Path, findings: Findings): readonly NamedAsset[] {
  const chain = chainOf(network);
  const written = valueAt(network, ["assets"]);
  const assets = new Map<string, NamedAsset>();
  for (const [index, entry] of (Array.isArray(written) ? written : []).entries()) {
    const parsed = assetEntry.safeParse(entry);
    if (!parsed.success) continue;
    const { id: text, decimals } = parsed.data;
    const place = [...at, "assets", index, "id"];
    const read = readAssetId(text, chain);
    if (!read.ok) {
      const expected = `expected an asset identifier of ${chain} as address.contract::token`;
      findings.add(place, `${expected}, found ${findings.describe(place, text)}: ${read.wrong}`);
      continue;
    }
    const id = read.principal;
    if (assets.has(id)) findings.add(place, `expected each asset once, found ${describeValue(id)} again`);
    assets.set(id, { id, decimals });
  }
  return [...assets.values()];
}

function readAssetId(text: string, chain: ChainName): ReadPrincipal {
  const end = text.indexOf(SEPARATOR);
  if (end < 0) return { ok: false, wrong: "text without the name of a token after ::" };
  const token = text.slice(end + SEPARATOR.length);
  const contract = readPrincipal(text.slice(0, end), chain);
  if (!contract.ok) return contract;
  if (!contract.isContract) return { ok: false, wrong: "an address without a contract name" };
  if (!isClarityName(token)) return { ok: false, wrong: "a token name that cannot exist" };
  return { ...contract, principal: `${contract.principal}${SEPARATOR}${token}` };
}
