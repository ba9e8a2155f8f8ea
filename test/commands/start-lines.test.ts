// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of the file
import { expect, test } from "@jest/globals";
import { planOf } from "../../src/commands/estimate.ts";
import { networkLines } from "../../src/commands/start-lines.ts";
import { configOf } from "./fixture.ts";

const linesOf = async (text: string, watched = {}) => {
  const config = await configOf(text, watched);
  return networkLines(planOf(config), config);
};

test("without a configuration, the lines show mainnet without a key and the default intervals", async () => {
  const [line, ...others] = await linesOf("");

  expect(others).toEqual([]);
  expect(line).toMatchObject({
    network: "mainnet",
    upstreams: ["https://api.hiro.so"],
    budget_per_minute: 25,
    budget_per_month: "unlimited",
    stretched: {},
  });
  expect(line?.requests_per_minute).toBeGreaterThan(1);
  expect(line?.targets).toBeGreaterThan(2);
});

test("the lines show every upstream without its path and key, the targets, and the slowdowns by the budget", async () => {
  const [alone] = await linesOf("");
  const [line] = await linesOf(
    `networks:
  - name: m
    upstreams:
      - { name: own, url: "https://own.example/planted-token", budget: { per_minute: 60, per_month: 5000000 } }
      - { name: hiro, url: "https://api.hiro.so", api_key: "\${KEY}" }
    address_files: [addresses.txt]
`,
    { addresses: 3000 },
  );

  expect(line).toMatchObject({
    upstreams: ["https://own.example", "https://api.hiro.so"],
    targets: (alone?.targets ?? 0) + 3000,
    budget_per_minute: 60,
    budget_per_month: 5_000_000,
  });
  expect(Object.keys(line?.stretched ?? {})).toEqual(["addresses"]);
  expect(line?.stretched.addresses).toBeGreaterThan(2);
  expect(JSON.stringify(line)).not.toContain("planted");
});
