// The series of tokens, which anyone can create and send to a watched address.
import { describe, expect, test } from "@jest/globals";
import { addresses } from "../../../src/collectors/addresses/addresses.ts";
import { CollectorRun, targetOf } from "../../support/collect.ts";
import { PrincipalList } from "../../support/principal-list.ts";

const ME = "SP000000000000000000002Q6VF78";
const SOMEBODY = "SP3FBR2AGK5H9QBDH3EEN6DF8EK8JY7RX8QJ5SVTE";
const DIRECTIONS = ["in", "out", "self", "mint", "burn"] as const;
const SIDES: Readonly<Record<(typeof DIRECTIONS)[number], object>> = {
  in: { sender: SOMEBODY, recipient: ME },
  out: { sender: ME, recipient: SOMEBODY },
  self: { sender: ME, recipient: ME },
  mint: { sender: "", recipient: ME },
  burn: { sender: ME, recipient: "" },
};
const token = (name: string | number) => `${ME}.token::token-${name}`;

interface Transfer {
  readonly kind?: "ft" | "nft";
  readonly asset: string;
  readonly direction?: (typeof DIRECTIONS)[number];
  /** Undefined: not a number. */
  readonly amount?: bigint | undefined;
}
interface Limits {
  readonly max: number;
  readonly spareSeries: number;
  readonly named?: readonly string[];
}

/** An address after its first poll. */
async function polled() {
  const list = new PrincipalList();
  const run = new CollectorRun(addresses, list.api, () => ({ chain: list.view, now: list.now * 1000 }));
  const limited = ({ max, spareSeries, named = [] }: Limits) => {
    const options = { max_assets: max };
    return { target: { ...targetOf(ME, 1), named }, options, spareSeries };
  };
  await run.poll(limited({ max: 0, spareSeries: 0 }));
  return {
    run,
    /** Polls after a block with one transaction with these transfers. */
    transfer: (transfers: readonly Transfer[], limits: Limits, tx: object = {}) => {
      const of = (wanted: Transfer["kind"]) =>
        transfers
          .filter(({ kind = "ft" }) => kind === wanted)
          .map(({ asset, direction = "in", ...others }) => {
            const amount = "amount" in others ? String(others.amount ?? "many") : "1";
            return { asset_identifier: asset, amount, ...SIDES[direction] };
          });
      list.mine([{ tx: { sender_address: SOMEBODY, ...tx }, ft: of("ft"), nft: of("nft") }]);
      return run.poll(limited(limits));
    },
  };
}

describe("after an address received sixty junk tokens", () => {
  const limits = { max: 50, spareSeries: 100_000 };
  async function flooded() {
    const address = await polled();
    const junk = Array.from({ length: 60 }, (_, number) => ({ asset: token(number) }));
    const samples = await address.transfer(junk, limits);
    // Half of the places are left, for tokens that the address moves.
    expect(samples.keys(/^address_ft_transfers_total .*token-/)).toHaveLength(25);
    expect(samples.of(/overflow/)).toEqual({ "address_label_overflow_total ft": 35 });
    return address;
  }

  test("a configured token has its series with its first transfer", async () => {
    const { transfer } = await flooded();
    const samples = await transfer([{ asset: token("real"), amount: 7n }], { ...limits, named: [token("real")] });

    expect(samples.get(`address_ft_transfer_units_total ${token("real")} in`)).toBe(7);
    expect(samples.of(/overflow/)).toEqual({ "address_label_overflow_total ft": 35 });
  });
});
