// Shared by the tests of the configuration: a list of collectors, an environment, and files.
import { z } from "zod";
import { formatErrors } from "../../src/config/errors.ts";
import { NO_DOCUMENT, readDocument } from "../../src/config/files.ts";
import { type LoadOptions, load as loadConfig } from "../../src/config/load.ts";
import type { ConfigurableCollector } from "../../src/config/settings.ts";

/** No message may ever hold it. */
export const PLANTED = /planted|secret-text/;

/** The environment variables. */
export const env = {
  GOOD_KEY: "planted-good-key",
  SECRET_TEXT: "planted secret-text",
  EMPTY: "",
  KEY_WITH_LINE_BREAK: "planted\nx-other: header",
  KEY_WITH_SPACES: " planted-key ",
  KEY_NOT_ASCII: "planted-schlüssel",
  KEY_SHORT: "planted",
};

const files: Readonly<Record<string, string | Uint8Array>> = {
  "/etc/stacks/good": "planted-key-of-a-file\n",
  "/run/secrets/hiro-api-key": "planted-key-of-a-secret",
  "/etc/stacks/addresses.csv": "address,name,desk\nSP000000000000000000002Q6VF78,burn,none\n",
  "/etc/stacks/contracts.csv": "contract_id\nSP000000000000000000002Q6VF78.pox-4\n",
  "/etc/stacks/rules.json":
    '[{ "contract_id": "SP000000000000000000002Q6VF78.amm", "events": [{ "metric": "amm_swaps_total" }] }]',
  "/etc/stacks/empty": " \n",
  "/etc/stacks/binary": Uint8Array.of(0xff, 0xfe, 0x00),
  "/etc/stacks/two-lines": "planted-one\nplanted-two\n",
};

const failures: Readonly<Record<string, string>> = {
  "/etc/stacks/forbidden": "EACCES",
  "/etc/stacks/folder": "EISDIR",
};

/** Reads one of the files that there are. */
export function readFile(path: string): string | Uint8Array {
  const content = files[path];
  if (content !== undefined) return content;
  const code = failures[path] ?? "ENOENT";
  throw Object.assign(new Error(`${code}: cannot open '${path}'`), { code });
}

/** Collectors with their own settings, nested ones and related ones. */
export const collectors: readonly ConfigurableCollector[] = [
  { name: "fees", about: "Fees.", schedule: { keyless: "every 30s", free_key: "every 10m" } },
  {
    name: "mempool",
    about: "What waits.",
    schedule: { keyless: "every 90s", free_key: "every 5m" },
    timeout: "20s",
    options: z.object({}),
  },
  {
    name: "blocks",
    about: "Blocks.",
    schedule: { keyless: "every 2m", free_key: "every 2m" },
    options: z.object({
      tip: z.enum(["auto", "probe", "extended"]).default("auto").meta({ description: "How the tip is followed." }),
      catch_up: z.int().min(1).max(1000).default(120).meta({ description: "Most blocks to read." }),
      kinds: z
        .array(z.enum(["stacks", "burn"]))
        .max(2)
        .default(["stacks", "burn"])
        .meta({ description: "Kinds of blocks." }),
      tenure_limits: z
        .strictObject({
          runtime: z.int().min(1).default(5_000_000_000).meta({ description: "Limit for runtime." }),
          read_count: z.int().min(1).default(15_000).meta({ description: "Limit for reads." }),
        })
        .prefault({})
        .meta({ description: "Limits." }),
    }),
  },
];

type Text = string | Uint8Array | undefined;

/** Loads a text as the file /etc/stacks/stacks-exporter.yaml. */
export function load(text: Text, options: Partial<LoadOptions> = {}) {
  const document = text === undefined ? NO_DOCUMENT : readDocument("/etc/stacks/stacks-exporter.yaml", text);
  return loadConfig({ document, env, readFile, collectors, ...options });
}

/** The configuration of a text that has no errors. */
export async function configOf(text: Text, options: Partial<LoadOptions> = {}) {
  const loaded = await load(text, options);
  if (!loaded.ok) throw new Error(formatErrors(loaded.errors));
  return loaded.config;
}

/** The output of `stacks-exporter check` for a text, without the folder. */
export async function errorsOf(text: Text, options: Partial<LoadOptions> = {}) {
  const loaded = await load(text, options);
  return loaded.ok ? "no errors" : formatErrors(loaded.errors).replaceAll("/etc/stacks/", "");
}

/** The settings of a collector on a network. */
export async function collectorOf(text: Text, name: string) {
  const config = await configOf(text);
  return config.networks[0]?.collectors.find((collector) => collector.name === name);
}
