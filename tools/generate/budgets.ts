// The section on budgets of docs/configuration.md.
import { c32address } from "c32check";
import { MINUTES_PER_MONTH, PRESETS, type Preset } from "../../src/api/budget.ts";
import { collectors } from "../../src/collectors/index.ts";
import { planOf, spanText } from "../../src/commands/estimate.ts";
import { readDocument } from "../../src/config/files.ts";
import { load } from "../../src/config/load.ts";
import { KEYLESS_MONTH } from "../../src/config/settings.ts";
import { tableOf, wrap } from "./output.ts";

const { keyless, free_key: freeKey } = PRESETS;

/** The presets of a budget, when each applies, and its limits and schedules. */
export async function budgetSection(): Promise<string> {
  return [
    "### Budgets",
    wrap(`A budget that is not set is a preset, the limits that Hiro
      documents for its API as of 2026-11 (<https://docs.hiro.so/rate-limiting>):`),
    tableOf(
      ["Preset", "Requests in 60 seconds", "Requests in 31 days", "Default"],
      Object.entries(PRESETS).map(([name, { perMinute, perMonth = "unlimited" }]) => {
        const where = name === "keyless" ? "without a key" : "with `api_key` or `api_key_file`";
        return [`\`${name}\``, `${perMinute}`, `${perMonth}`, where];
      }),
    ),
    wrap(`A number that is not set is that of the preset: with \`{ per_minute: 600 }\` a month is unlimited
      without a key, and has ${freeKey.perMonth} requests with one. Without a key, Hiro counts the requests of a client
      IP: if other programs share it, set a smaller number. For another plan, or your own API, set its limits:`),
    PAID_PLAN,
    wrap(`A free key allows bursts, but fewer requests in a month than no key. So the default schedules depend on the
      budget of the network (of its preferred upstream): those of \`free_key\` apply where a month allows fewer than
      ${KEYLESS_MONTH} requests (${keyless.perMinute} a minute), those of \`keyless\` elsewhere. With the default
      schedules, \`stacks-exporter check\` estimates:`),
    tableOf(
      ["Watched addresses", ...Object.keys(PRESETS).flatMap((name) => [`\`${name}\`: requests in 31 days`, "age"])],
      await Promise.all(WATCHED.map(rowOf)),
    ),
    wrap(`These are without \`balances\` and \`waiting\`, and without early polls of addresses that have moved, which use
      what the budget has left: [Cost](watch-wallets.md#cost). Age is how old the values of a quiet address usually get.`),
    wrap(`A configured interval that does not fit is an error of \`check\`, which names a budget that would
      fit. A note has the intervals of addresses and contracts that the budget allows. \`serve\` starts in any case, polls as often as the budget allows, and logs the same as a warning. A default
      interval of addresses and contracts adapts to the budget. Four fifths of what the collectors of the whole chain
      leave are for these intervals; the rest is for early polls.`),
  ].join("\n\n");
}

const PAID_PLAN = `\`\`\`yaml
networks:
  - name: mainnet
    url: https://api.hiro.so
    api_key: \${HIRO_API_KEY}
    budget: { per_minute: 3000, per_month: 15000000 }
\`\`\``;

const WATCHED = [0, 1, 40, 1000, 5000];

async function rowOf(watched: number): Promise<readonly string[]> {
  const presets = Object.keys(PRESETS) as Preset[];
  const cells = await Promise.all(presets.map((preset) => cellsOf(watched, preset)));
  return [String(watched), ...cells.flat()];
}

async function cellsOf(watched: number, budget: Preset): Promise<readonly string[]> {
  const list = Array.from({ length: watched }, (_, index) => c32address(22, index.toString(16).padStart(40, "0")));
  const { perMinute, perMonth = "unlimited" } = PRESETS[budget];
  const network = {
    name: "mainnet",
    url: "https://api.hiro.so",
    budget: { per_minute: perMinute, per_month: perMonth },
    address_files: ["list.txt"],
  };
  const document = readDocument("example.yaml", JSON.stringify({ networks: [network] }));
  const loaded = await load({ document, env: {}, readFile: () => list.join("\n"), collectors });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const [plan] = planOf(loaded.config).networks;
  const { requestsPerMinute = 0, collectors: rows = [] } = plan ?? {};
  const requests = Math.ceil(requestsPerMinute * MINUTES_PER_MONTH - 1e-6).toLocaleString("en");
  const addresses = rows.find(({ collector }) => collector.name === "addresses");
  return [requests, addresses === undefined ? "–" : spanText(addresses.usualAgeMs)];
}
