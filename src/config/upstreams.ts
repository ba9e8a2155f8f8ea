// The servers of a network: a list of upstreams, or the settings of the network itself for the only one.
import { z } from "zod";
import { valueAt } from "./check.ts";
import type { UpstreamConfig } from "./config.ts";
import type { ReadFile } from "./files.ts";
import type { Findings } from "./findings.ts";
import { readKey } from "./keys.ts";
import type { Path } from "./mistakes.ts";
import { onlyBudget, onlyUpstreamShape, upstreamEntry } from "./upstream-settings.ts";

/** Name of the only upstream of a network without a list. */
const ONLY = "default";

const onlyUpstream = z.object({ ...onlyUpstreamShape, budget: onlyBudget });

const SHORT_FORM = ["url", "api_key", "api_key_file", "api_key_header", "budget"] as const;

interface Parts {
  readonly file: string | undefined;
  readonly readFile: ReadFile;
  readonly findings: Findings;
}

/** The upstreams of one network, in order. An upstream with an error is reported and left out. */
export async function readUpstreams(network: unknown, at: Path, parts: Parts): Promise<readonly UpstreamConfig[]> {
  const list = valueAt(network, ["upstreams"]);
  const isListed = list !== undefined && !(Array.isArray(list) && list.length === 0);
  if (!isListed) return readOnly(network, at, parts);
  noteBothForms(network, at, parts.findings);
  const entries = Array.isArray(list) ? list : [];
  const upstreams: UpstreamConfig[] = [];
  const names = new Set<unknown>();
  for (const [index, entry] of entries.entries()) {
    const path = [...at, "upstreams", index];
    const name = valueAt(entry, ["name"]);
    if (names.has(name)) {
      parts.findings.add([...path, "name"], "expected a name that no other upstream of the network has");
    }
    if (name !== undefined) names.add(name);
    const apiKey = await readKey(entry, path, parts);
    // The check of the whole file has reported its errors.
    const parsed = upstreamEntry.safeParse(entry);
    if (parsed.success) upstreams.push({ name: parsed.data.name, ...serverOf(parsed.data, parsed.data.url), apiKey });
  }
  return upstreams;
}

async function readOnly(network: unknown, at: Path, parts: Parts): Promise<readonly UpstreamConfig[]> {
  const apiKey = await readKey(network, at, parts);
  const isMapping = typeof network === "object" && network !== null && !Array.isArray(network);
  if (isMapping && valueAt(network, ["url"]) === undefined) parts.findings.unexpected([...at, "url"], undefined);
  const parsed = onlyUpstream.safeParse(network);
  if (!parsed.success || parsed.data.url === undefined) return [];
  return [{ name: ONLY, ...serverOf(parsed.data, parsed.data.url), apiKey }];
}

// A key or a budget of the network would be a second truth: which upstream does it belong to?
function noteBothForms(network: unknown, at: Path, findings: Findings): void {
  for (const key of SHORT_FORM) {
    if (valueAt(network, [key]) === undefined) continue;
    const message = `expected ${key} under each of the upstreams, found it beside them`;
    findings.add([...at, key], message, "key");
  }
}

const serverOf = (
  { api_key_header, budget }: Pick<z.infer<typeof onlyUpstream>, "api_key_header" | "budget">,
  url: string,
) => ({
  url,
  apiKeyHeader: api_key_header,
  budget: {
    perMinute: budget.per_minute,
    perMonth: typeof budget.per_month === "number" ? budget.per_month : undefined,
  },
});
