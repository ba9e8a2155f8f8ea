// A configuration without a file: one network, from flags and the environment.
import { type Document, NO_DOCUMENT } from "../config/document.ts";
import type { ConfigError } from "../config/errors.ts";
import { DEFAULT_NETWORKS } from "../config/settings.ts";
import type { Io } from "./io.ts";

/** The flags that replace a file, under the names of the command line. */
export interface NetworkFlags {
  readonly url?: string;
  /** Each as `NAME=PRINCIPAL`, or only the principal. */
  readonly address?: readonly string[];
  readonly contract?: readonly string[];
}

/** The environment variable with the key of the API. Arguments of a process can be read by others; this cannot. */
export const KEY_VARIABLE = "STACKS_API_KEY";

const DEFAULT_URL = DEFAULT_NETWORKS[0].url;

const entryOf = (text: string, key: "address" | "contract_id") => {
  const at = text.lastIndexOf("=");
  return { [key]: text.slice(at + 1), ...(at >= 0 && { name: text.slice(0, at) }) };
};

/** The configuration of flags, as a document. */
export function documentOf({ url = DEFAULT_URL, address = [], contract = [] }: NetworkFlags, env: Io["env"]): Document {
  const addresses = address.map((text) => entryOf(text, "address"));
  const contracts = contract.map((text) => entryOf(text, "contract_id"));
  const isTestnet = /\btestnet\b/.test(url) || [...address, ...contract].some((text) => /(^|=)S[TN]/.test(text));
  const chain = isTestnet ? "testnet" : "mainnet";
  const key = env[KEY_VARIABLE] ? { api_key: `\${${KEY_VARIABLE}}` } : {};
  return { ...NO_DOCUMENT, value: { networks: [{ name: chain, url, chain, ...key, addresses, contracts }] } };
}

const FLAGS = { url: "--url", api_key: KEY_VARIABLE, addresses: "--address", contracts: "--contract" } as const;

/** The same error, at its flag instead of its setting. */
export function atFlag(error: ConfigError): ConfigError {
  const [, setting = "", index] = /^networks\[0\]\.(\w+)(?:\[(\d+)\])?/.exec(error.path) ?? [];
  if (!Object.hasOwn(FLAGS, setting)) return error;
  const flag = FLAGS[setting as keyof typeof FLAGS];
  return { ...error, path: index === undefined ? flag : `${flag} number ${Number(index) + 1}` };
}
