// Event rules of a text of YAML, and serialised Clarity values.
import { Cl, type ClarityValue } from "@stacks/transactions";
import type { EventRule } from "../../src/collectors/event-rules/rule.ts";
import { configOf } from "../config/fixture.ts";

/** A serialised value, as the API returns it. */
export const hexOf = (value: ClarityValue): string => `0x${Cl.serialize(value).replace(/^0x/, "")}`;

/** The rules of a list of YAML, of a contract of mainnet. */
export async function rulesOf(events: string): Promise<readonly EventRule[]> {
  const indented = events.trim().replace(/^/gm, "          ");
  const config = await configOf(
    `networks:
  - name: mainnet
    url: https://api.hiro.so
    contracts:
      - contract_id: SP000000000000000000002Q6VF78.amm
        events:
${indented}
`,
  );
  return config.networks[0]?.contracts[0]?.rules ?? [];
}
