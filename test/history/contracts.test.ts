import { expect, test } from "@jest/globals";
import type { Source } from "../../src/history/past.ts";
import { pastsOf } from "../../src/history/pasts.ts";
import type { Spool } from "../../src/history/spool.ts";
import { configOf } from "../commands/fixture.ts";

test("of two rules of one gauge, the newer event counts, at any height", async () => {
  const rule = (topic: string) => ({
    metric: "price_units",
    type: "gauge",
    help: "Price.",
    match: [{ path: "topic", equals: topic }],
    value: { path: "value" },
  });
  const contract = { contract_id: "SP000000000000000000002Q6VF78.amm", events: [rule("newer"), rule("older")] };
  const { networks } = await configOf(
    JSON.stringify({ networks: [{ name: "m", url: "http://m", contracts: [contract] }] }),
  );
  const [network] = networks;
  const [past] = network === undefined ? [] : await pastsOf(network, ["contracts"]);
  const replay = past?.replay(past.sources[0] as Source, {} as Spool);
  const fingerprints = network?.contracts[0]?.rules?.map(({ fingerprint }) => fingerprint) ?? [];
  const event = (place: number, rule: number, value: bigint) => ({
    time: 1500,
    height: 4_000_000,
    place,
    addition: undefined,
    body: {
      type: "smart_contract_log",
      topic: "print",
      results: [{ rule: fingerprints[rule], sample: { labels: [], value } }],
    },
  });
  const rows = [event(0, 1, 10n), event(1, 0, 11n)];

  const begun = replay?.begin([], 1000);
  const state = replay?.advance(begun, rows, 2000);

  const price = [...(replay?.samples(state) ?? [])].find(({ family }) => family.name === "price_units");
  expect(price?.value).toBe(11n);
});
