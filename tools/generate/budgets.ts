// The section on budgets of docs/configuration.md.
import { PRESETS } from "../../src/api/budget-presets.ts";
import { KEYLESS_MONTH } from "../../src/config/budget.ts";
import { tableOf, wrap } from "./output.ts";

const { keyless, free_key: freeKey } = PRESETS;

/** What the presets of a budget are, and which one applies. */
export function budgetSection(): string {
  return [
    "### Budgets",
    wrap(`A budget is the name of a preset, or a mapping with other numbers. The presets are the limits that Hiro
      documents for its API as of 2026-11 (<https://docs.hiro.so/rate-limiting>):`),
    tableOf(
      ["Preset", "Requests in 60 seconds", "Requests in 31 days", "Default"],
      Object.entries(PRESETS).map(([name, { perMinute, perMonth = "unlimited" }]) => {
        const where = name === "keyless" ? "without a key" : "with `api_key` or `api_key_file`";
        return [`\`${name}\``, `${perMinute}`, `${perMonth}`, where];
      }),
    ),
    wrap(`A number that a mapping does not set is that of the preset: with \`{ per_minute: 600 }\` a month is unlimited
      without a key, and has ${freeKey.perMonth} requests with one. Without a key, Hiro counts the requests of a client
      IP: if other programs share it, set a smaller number. For another plan, or an API of your own, set its limits:`),
    PAID_PLAN,
    wrap(`A free key allows bursts, but fewer requests in a month than no key. So the default schedules of some
      collectors depend on the budget of the network (of its preferred upstream): those of \`free_key\` apply where a
      month allows fewer than ${KEYLESS_MONTH} requests (${keyless.perMinute} a minute), those of \`keyless\`
      elsewhere.`),
  ].join("\n\n");
}

const PAID_PLAN = `\`\`\`yaml
networks:
  - name: mainnet
    url: https://api.hiro.so
    api_key: \${HIRO_API_KEY}
    budget: { per_minute: 3000, per_month: 15000000 }
\`\`\``;
