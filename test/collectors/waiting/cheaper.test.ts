// A transaction was dropped, and its sender has sent one with the same nonce: with a lower fee, or the same again.
import { expect, test } from "@jest/globals";
import { WaitingWorld } from "../../support/waiting-world.ts";

test("a transaction that takes the place of a dropped one waits, with a lower fee as well as sent again", async () => {
  await using world = await WaitingWorld.start({ seed: "wallet", activity: 0 }, ({ accounts }) => [
    accounts.unused(2_000_000),
  ]);
  const [wallet = ""] = world.principals;
  const { chain } = world;
  chain.send(wallet, { fee: 3000 });
  await world.pass(600);
  // It waits for hours: its fee is too low, or a nonce is missing.
  const first = chain.send(wallet, { fee: 500, nonce: 3 });
  await world.pass(4 * 3600);
  chain.drop(first);
  await world.pass(600);
  const second = chain.send(wallet, { fee: 400, nonce: 3 });
  await world.pass(3600);
  const waits = { "mempool_transactions out token_transfer": 1, "mempool_next_fee_microstx token_transfer": 400 };
  expect(await world.samplesOf(wallet)).toMatchObject(waits);
  chain.drop(second);
  await world.pass(3600);
  expect(await world.samplesOf(wallet)).toMatchObject({ "mempool_transactions out token_transfer": 0 });
  // The API gives it a new time of receipt.
  chain.mempool.add({ ...second, receivedAt: chain.now }, chain.now);
  await world.pass(600);
  expect(await world.samplesOf(wallet)).toMatchObject(waits);
}, 60_000);
