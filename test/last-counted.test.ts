// The last counted transactions of an address, on the status page and in its JSON: which ones an alert is about.
import { expect, test } from "@jest/globals";
import { minedBelowTip, stillSimulator } from "./simulator/support.ts";
import { Exporter } from "./support/exporter.ts";
import { textOf } from "./support/status.ts";

test("the status of a target has its last ten counted transactions, also after a restart and a reorganisation", async () => {
  await using simulator = await stillSimulator({ history: 60 });
  const [address = "", other = ""] = simulator.chain.accounts.users;
  await using exporter = await Exporter.start({
    api: simulator,
    network: {
      confirmations: 2,
      addresses: [
        { address, name: "hot", balances: true },
        { address: other, name: "cold" },
      ],
      assets: [{ id: simulator.chain.accounts.assets.token, name: "harbour", decimals: 6 }],
    },
    collectors: { blocks: {}, addresses: { backfill: "all" }, balances: {} },
  });
  const poll = async () => {
    for (const name of ["blocks", "addresses", "balances"]) await exporter.poll(name);
  };
  const rows = () => {
    const [target] = exporter.status({ name: "hot", collector: "addresses", limit: 100 }).targets.items;
    return target?.counted ?? [];
  };
  const chain = () => minedBelowTip(simulator);
  await poll();
  simulator.advance(30);
  await poll();

  const shown = rows();
  expect(shown).toHaveLength(10);
  const listed = chain().filter(({ tx }) => shown.some(({ tx_id }) => tx_id === tx.id));
  expect(shown.map(({ tx_id }) => tx_id)).toEqual(listed.map(({ tx }) => tx.id));
  expect(shown.map(({ time }) => Date.parse(time ?? "") / 1000)).toEqual(listed.map(({ time }) => time));
  const transfer = listed.findIndex(({ tx }) => tx.payload.type === "token_transfer" && tx.sender === address);
  const { tx } = listed[transfer] as (typeof listed)[number];
  const sent = tx.payload.type === "token_transfer" ? BigInt(tx.payload.amount) + BigInt(tx.fee) : 0n;
  expect(shown[transfer]?.amounts.stx).toBe(String(-sent));
  expect(shown.some(({ amounts }) => Object.keys(amounts).length === 2)).toBe(true);

  await exporter.restart();
  expect(rows()).toEqual(shown);
  // Deeper than the confirmations.
  simulator.chain.reorg(6);
  simulator.advance(20);
  for (let polls = 0; polls < 4; polls += 1) await poll();
  const ids = new Set(chain().map(({ tx }) => tx.id));
  expect(rows().filter(({ tx_id }) => !ids.has(tx_id))).toEqual([]);
  expect(rows()).not.toEqual(shown);
  expect(exporter.status().targets.items.filter(({ counted }) => counted !== undefined)).toEqual([]);

  const listener = (await exporter.app.start()).find(({ url }) => url !== undefined);
  const pageOf = async (query: string) => textOf(await (await fetch(`${listener?.url}/${query}`)).text());
  const page = await pageOf("?name=hot");
  for (const { tx_id } of rows()) expect(page).toContain(tx_id);
  expect(page).toMatch(/Last counted transactions Transaction Time Amount 0x[0-9a-f]{64} .* ago -?[\d,.]+ STX/);
  expect(page).not.toContain("cold");
  expect(await pageOf("")).not.toContain("Last counted");
  expect(await pageOf("?name=unknown")).toContain("No transaction of an address with this name was counted.");
  expect((await fetch(`${listener?.url}/?nme=hot`)).status).toBe(400);
});
