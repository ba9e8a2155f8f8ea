// The series of tokens, which anyone can create and send to a watched address.
import { expect, test } from "@jest/globals";
import { addresses } from "../../../src/collectors/addresses/addresses.ts";
import { CollectorRun, targetOf } from "../../support/collect.ts";
import { PrincipalList } from "../../support/principal-list.ts";

const ME = "SP000000000000000000002Q6VF78";
const OTHER_PARTY = "SP3FBR2AGK5H9QBDH3EEN6DF8EK8JY7RX8QJ5SVTE";
const token = (name: string | number) => `${ME}.token::token-${name}`;
const received = (asset: string, amount = "1") => ({
  asset_identifier: asset,
  amount,
  sender: OTHER_PARTY,
  recipient: ME,
});

test("after an address received sixty junk tokens, a configured token has its series with its first transfer", async () => {
  const list = new PrincipalList();
  const run = new CollectorRun(addresses, list.api, () => ({ chain: list.view, now: list.now * 1000 }));
  const poll = (ft: readonly object[], named: readonly string[] = []) => {
    list.mine([{ tx: { sender_address: OTHER_PARTY }, ft }]);
    const target = { ...targetOf(ME, 1), named };
    return run.poll({ target, options: { max_assets: 50 } });
  };
  await poll([]);
  const flooded = await poll(Array.from({ length: 60 }, (_, number) => received(token(number))));
  // Half of the places are left, for tokens that the address moves.
  expect(flooded.keys(/^address_ft_transfers_total .*token-/)).toHaveLength(25);
  expect(flooded.get("address_ft_transfers_total other in")).toBe(35);

  const samples = await poll([received(token("real"), "7")], [token("real")]);
  expect(samples.get(`address_ft_transfer_units_total ${token("real")} in`)).toBe(7);
  expect(samples.get("address_ft_transfers_total other in")).toBe(35);
});
