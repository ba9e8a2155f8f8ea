// What a network watches: entries of its addresses, contracts and assets, as its chain has them.
import { z } from "zod";
import { type NamedAsset, STX, type Watched } from "../collectors/collector.ts";
import { isClarityName } from "../collectors/values.ts";
import { type EventRuleSettings, eventRules } from "./event-rules.ts";
import { type ChainName, type Identifier, readContract, readPrincipal } from "./principal.ts";
import { duration, labelValue, unique } from "./values.ts";

/** An identifier of a chain, in its canonical spelling. */
const identifier = (expected: string, read: (text: string) => Identifier) =>
  z.string().transform((text, { addIssue }) => {
    const found = read(text);
    if ("id" in found) return found.id;
    addIssue({ code: "custom", message: expected, params: { reason: found.wrong } });
    return z.NEVER;
  });

function readAssetId(text: string, chain: ChainName): Identifier {
  const [contract = "", ...tokens] = text.split("::");
  const token = tokens.join("::");
  const read = readContract(contract, chain);
  if ("wrong" in read) return read;
  return isClarityName(token) ? { id: `${read.id}::${token}` } : { wrong: "no valid name of a token after ::" };
}

// On testnets, sBTC is deployed again with another contract.
const BUILT_IN: Readonly<Record<ChainName, readonly NamedAsset[]>> = {
  mainnet: [{ id: "SM3VDXK3WZZSA84XXFKAFAF15NNZX32CTSG82JFQ4.sbtc-token::sbtc-token", name: "sbtc", decimals: 8 }],
  testnet: [],
};

/** Assets of one network. */
export const MAX_ASSETS = 1000;

/** An entry of the assets of a network. */
export const assetEntry = (chain: ChainName) =>
  z.strictObject({
    id: identifier(`an asset identifier of ${chain} as address.contract::token`, (text) =>
      readAssetId(text, chain),
    ).meta({
      expected: "an asset identifier as address.contract::token",
      pattern: "^S[0-9A-Z]{27,40}\\.[a-zA-Z][a-zA-Z0-9_-]*::[a-zA-Z][a-zA-Z0-9!?+<>=/*_-]*$",
      description: "A fungible or non-fungible token, each once.",
    }),
    name: labelValue.optional().describe("Name for `min_balance` and `max_outflow`; different for every asset."),
    decimals: z.int().min(0).max(32).optional().describe("Decimal places of the token, as its contract declares them."),
  });

/** The assets of a network: those that it names, and those that every network of the chain has. */
export const assets = (chain: ChainName) =>
  z
    .array(assetEntry(chain))
    .max(MAX_ASSETS)
    .superRefine(...unique("id", "assets"))
    .superRefine(...unique("name", "assets"))
    .transform((written): readonly NamedAsset[] => {
      const builtIn = BUILT_IN[chain];
      const named = written.map(({ id, name, decimals }) => {
        const known = builtIn.find((asset) => asset.id === id);
        return { id, name: name ?? known?.name, decimals: decimals ?? known?.decimals };
      });
      return [
        ...named,
        ...builtIn.filter(({ id, name }) => !named.some((asset) => asset.id === id || asset.name === name)),
      ];
    })
    .prefault([]);

/** The chain and the assets of a network. Assets with errors are unknown; then any name may be one of theirs. */
export interface Known {
  readonly chain: ChainName;
  readonly assets: readonly NamedAsset[] | undefined;
}

/** For the names and descriptions of settings, which depend on no network. */
export const NO_NETWORK: Known = { chain: "mainnet", assets: [] };

const STX_DECIMALS: Readonly<Record<string, number>> = { STX: 6, microSTX: 0 };

/** A decimal number in units of its last decimal place; undefined for other text, 0, or more places. */
function parseAmount(text: string, decimals: number | undefined): bigint | undefined {
  const [, whole, fraction = ""] = /^(\d{1,39})(?:\.(\d{1,39}))?$/.exec(text) ?? [];
  if (whole === undefined || decimals === undefined || fraction.length > decimals) return undefined;
  return BigInt(whole + fraction.padEnd(decimals, "0")) || undefined;
}

function parseStx(text: string): bigint | undefined {
  const [, amount = "", unit = ""] = /^(\S+) ?(STX|microSTX)$/.exec(text) ?? [];
  return parseAmount(amount, STX_DECIMALS[unit]);
}

/** What is expected as the amount of an asset. The example has the number that was found, if there was one. */
function expectedAmount(key: string, value: string | number, asset: NamedAsset | undefined): string {
  const number = typeof value === "number" && value > 0 ? value : undefined;
  if (key === STX) return `an amount above 0 with its unit, such as "${number ?? 5000} STX"`;
  const example = `in quotes, such as "${number ?? 0.5}"`;
  if (asset === undefined) return "the name of an asset, which has to be in assets with its decimals";
  if (asset.decimals !== undefined) return `an amount above 0 with up to ${asset.decimals} decimals, ${example}`;
  return `expected decimals of ${key} in assets, and an amount ${example}; found no decimals`;
}

/** Amounts by asset: STX in microSTX, tokens in base units by their identifier. */
const amounts = ({ assets }: Known) =>
  z
    .record(z.string(), z.union([z.string(), z.number()]).meta({ expected: 'an amount such as "5000 STX" or "0.5"' }))
    .transform((written, { addIssue }) => {
      const read: Record<string, bigint> = {};
      for (const [key, value] of Object.entries(written)) {
        const asset = assets?.find(({ name }) => name === key);
        // A large number in YAML or JSON would be rounded.
        const text = typeof value === "string" ? value : "";
        const amount = key === STX ? parseStx(text) : parseAmount(text, asset?.decimals);
        if (amount !== undefined) read[asset?.id ?? key] = amount;
        else if (key === STX || assets !== undefined) {
          const part = key === STX || asset !== undefined ? "value" : "key";
          addIssue({ code: "custom", path: [key], message: expectedAmount(key, value, asset), params: { part } });
        }
      }
      return read;
    })
    .optional()
    .meta({
      expected: "an amount for each asset, such as { stx: 5000 STX }; in CSV, a column for each, ending in .stx",
    });

// Others are labels of the info families, those that Prometheus sets, and those by which rules join.
const LABEL_NAME =
  /^(?!(network|name|address|contract_id|group|kind|cluster|namespace|instance|job|le|quantile)$)[a-z][a-z0-9_]{0,63}$/;

const entryShape = {
  name: z.string().min(1).max(128).optional().meta({
    description: "Value of the label `name`; different for every entry of the list.",
    absent: "the principal in short, such as `SP3FB..5SVTE`",
  }),
  group: z
    .string()
    .max(128)
    .optional()
    .describe("Value of the label `group` of the info family; what rules and dashboards sum by."),
  labels: z
    .record(z.string().regex(LABEL_NAME, "a label name of a-z, 0-9 and _ that is not taken"), z.string().max(256))
    .optional()
    .describe("Further labels of the info family."),
  silent_after: duration("1m", "8760h")
    .optional()
    .describe("Time without a sent transaction after which StacksAddressSilent fires."),
};

/** An entry of a list, before it has a name. */
export type Entry = Omit<Watched, "name"> & {
  readonly name?: string | undefined;
  /** Its event rules; undefined for none. */
  readonly events?: readonly EventRuleSettings[] | undefined;
};

type Written = z.infer<z.ZodObject<typeof entryShape>> & Pick<Entry, "balances" | "staking" | "waiting" | "events">;

const entryOf = (principal: string, written: Written): Entry => {
  const { group = "", labels = {}, silent_after: silentAfterMs, ...others } = written;
  return { principal, group, labels, silentAfterMs, ...others };
};

const isPolledBy = (collector: string, also = "") =>
  z
    .boolean()
    .optional()
    .meta({
      description: `Whether the collector \`${collector}\` polls the address.`,
      absent: `if ${also}the settings of the collector include the address or its group`,
    });

/** An entry of the list of addresses. */
export const addressEntry = (known: Known) =>
  z
    .strictObject({
      address: identifier(`an address of ${known.chain}, or a contract as address.name`, (text) =>
        readPrincipal(text, known.chain),
      ).meta({
        expected: "a Stacks address, or a contract as address.name",
        description: "An account or a contract whose transactions are counted.",
      }),
      ...entryShape,
      balances: isPolledBy("balances", "`min_balance` is set, or "),
      staking: isPolledBy("staking"),
      waiting: isPolledBy("waiting"),
      min_balance: amounts(known).describe(
        "Minimum of the available balance, for StacksAddressBalanceLow: `stx` with its unit, tokens in whole tokens.",
      ),
      max_outflow: amounts(known).describe(
        "Limit of what leaves the address within an hour, fees included, for StacksAddressOutflowHigh.",
      ),
    })
    .transform(
      ({ address, min_balance: minBalance, max_outflow: maxOutflow, ...others }): Entry => ({
        ...entryOf(address, others),
        minBalance,
        maxOutflow,
        // The minimum needs the balance.
        ...(minBalance && { balances: true }),
      }),
    )
    .meta({ expected: "a mapping such as { address: SP… }" });

/** An entry of the list of contracts. */
export const contractEntry = ({ chain }: Known) =>
  z
    .strictObject({
      contract_id: identifier(`a contract of ${chain} as address.name`, (text) => readContract(text, chain)).meta({
        expected: "a contract as address.name",
        description: "A contract whose calls and printed events are counted.",
      }),
      ...entryShape,
      silent_after: entryShape.silent_after.describe(
        "Time without calls and events after which StacksContractSilent fires.",
      ),
      events: eventRules,
    })
    .transform(({ contract_id, ...others }) => entryOf(contract_id, others))
    .meta({ expected: "a mapping such as { contract_id: SP….name }" });
