// The upstreams of a network: a list, or the settings of the network itself for the only one.
import { resolve } from "node:path";
import type { z } from "zod";
import { budgetOf } from "./budget.ts";
import type { Outbound, UpstreamConfig } from "./config.ts";
import type { ErrorList } from "./errors.ts";
import { type NamedFiles, readText } from "./files.ts";
import { type Environment, entriesOf, isMapping, notSet, valueAt } from "./normalize.ts";
import { checkKeyIsHidden, readOutbound } from "./outbound.ts";
import type { Path } from "./schema.ts";
import { Secret } from "./secret.ts";
import { type allSettings, MAX_BYTES } from "./settings.ts";
import { KEY_LENGTH, onlyUpstreamShape, REFERENCE } from "./upstream-settings.ts";

const SHORT_FORM = [...Object.keys(onlyUpstreamShape), "budget"];

interface Context {
  readonly env: Environment;
  readonly files: NamedFiles;
  readonly errors: ErrorList;
}

/** Settings of an upstream from files and from the environment. */
export interface UpstreamParts {
  readonly apiKey: Secret | undefined;
  readonly outbound: Outbound;
}

/**
 * Key, TLS and proxy of each upstream of a network, in order. Reports an upstream without URL, and a network that has
 * both forms.
 */
export async function readUpstreams(network: unknown, at: Path, context: Context): Promise<readonly UpstreamParts[]> {
  if (!isMapping(network)) return [];
  const { errors } = context;
  const list = network.upstreams ?? [];
  if (Array.isArray(list) && list.length === 0) {
    if (network.url === undefined) errors.addUnexpected([...at, "url"], undefined);
    return [await readParts(network, at, context)];
  }
  for (const key of SHORT_FORM) {
    if (network[key] === undefined) continue;
    errors.add([...at, key], `expected ${key} under each of the upstreams, found it next to upstreams`, "key");
  }
  return Promise.all(entriesOf(list).map((entry, index) => readParts(entry, [...at, "upstreams", index], context)));
}

async function readParts(upstream: unknown, at: Path, context: Context): Promise<UpstreamParts> {
  checkKeyIsHidden(upstream, at, context.errors);
  return { apiKey: await readKey(upstream, at, context), outbound: await readOutbound(upstream, at, context) };
}

/** The key of one upstream; undefined when it has none, or when it is wrong, which was reported. */
async function readKey(upstream: unknown, at: Path, { env, files, errors }: Context): Promise<Secret | undefined> {
  const reference = valueAt(upstream, ["api_key"]);
  const file = valueAt(upstream, ["api_key_file"]);
  if (reference !== undefined && file !== undefined) return undefined;
  if (typeof file === "string" && file !== "") {
    const report = (message: string) => errors.add([...at, "api_key_file"], message);
    const text = await readText(files, file, MAX_BYTES.key, report, `${KEY}, found a file that is not UTF-8 text`);
    // Editors end a file with a line break, which is not a part of the key.
    return text === undefined ? undefined : checkedKey(text.trim(), "the file", report);
  }
  if (typeof reference !== "string" || !REFERENCE.test(reference)) return undefined;
  const variable = reference.slice("${".length, -"}".length);
  const report = (message: string) => errors.add([...at, "api_key"], message);
  const key = env[variable];
  if (key === undefined) report(notSet(variable));
  return key === undefined ? undefined : checkedKey(key, `the environment variable ${variable}`, report);
}

const KEY = "expected a key of printable ASCII characters";

// Shows nothing of a wrong key.
function checkedKey(key: string, where: string, report: (message: string) => void): Secret | undefined {
  // The redactor passes over spaces: a key of few other characters could not be masked.
  const isShort = key.replaceAll(" ", "").length < KEY_LENGTH.shortest;
  if (key === "") report(`${KEY}, found that ${where} is empty`);
  else if (/[\r\n]/.test(key)) report(`${KEY}, found a line break in ${where}`);
  else if (key.trim() !== key) report(`${KEY}, found white space around the key in ${where}`);
  else if (!/^[\x20-\x7e]+$/.test(key)) report(`${KEY}, found another character in ${where}`);
  else if (isShort || key.length > KEY_LENGTH.longest) {
    const { shortest, longest } = KEY_LENGTH;
    report(`expected a key of ${shortest} to ${longest} characters, found ${isShort ? "fewer" : "more"} in ${where}`);
  } else return new Secret(key);
  return undefined;
}

type NetworkSettings = z.infer<ReturnType<typeof allSettings>>["networks"][number];

/** The upstreams of a network that was checked. */
export function upstreamsOf(
  network: NetworkSettings,
  parts: readonly UpstreamParts[],
  folder: string,
): UpstreamConfig[] {
  const { upstreams, url = "" } = network;
  const servers = upstreams.length > 0 ? upstreams : [{ ...network, name: "default", url }];
  return servers.map((server, index) => ({
    name: server.name,
    url: server.url,
    apiKey: parts[index]?.apiKey,
    outbound: parts[index]?.outbound ?? { tls: undefined, proxy: undefined },
    apiKeyFile: server.api_key_file === undefined ? undefined : resolve(folder, server.api_key_file),
    apiKeyHeader: server.api_key_header,
    budget: budgetOf(server),
  }));
}
