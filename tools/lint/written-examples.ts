// The output of the commands `rules` and `board` for a configuration with labels and event rules.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const A = "SP000000000000000000002Q6VF78";
const match = [{ path: "value.event", equals: "swap" }];
const value = { path: "value.amount" };
const config = {
  networks: [
    {
      name: "mainnet",
      url: "http://127.0.0.1:1",
      addresses: [{ address: A, labels: { team: "payments" } }],
      contracts: [
        {
          contract_id: `${A}.amm`,
          name: "amm",
          labels: { team: "data" },
          events: [
            {
              metric: "amm_swaps_total",
              type: "counter",
              help: "Swaps.",
              match,
              labels: { pool: { path: "value.pool" } },
            },
            { metric: "amm_price", type: "gauge", help: "Price.", match, value },
            { metric: "amm_size_units", type: "histogram", help: "Sizes.", match, value, buckets: [1, 10] },
          ],
        },
      ],
    },
  ],
};

/** Writes both into a folder; returns their paths. Throws when a command fails. */
export function writeExamples(folder: string): { readonly rules: string; readonly board: string } {
  const file = join(folder, "example.yaml");
  // JSON is YAML too.
  writeFileSync(file, JSON.stringify(config));
  const written = { rules: join(folder, "example.rules.yaml"), board: join(folder, "example.json") };
  for (const [command, output] of Object.entries(written)) {
    execFileSync(process.execPath, [main, command, "--config", file, "--output", output], { stdio: "ignore" });
  }
  return written;
}
