// Balances of watched addresses in traces.
import { climb, gone, hold, type Scenario, trace } from "../../support/promtool.ts";
import { firing, forAlert, never, quiet, target } from "./builder.ts";

const series = (metric: string, values: string, labels = "", network = "mainnet") => ({
  [`stacks_address_${metric}{network="${network}", name="hot", address="SP1"${labels}, job="stacks", instance="exporter"}`]:
    values,
});
const hot = { network: "mainnet", name: "hot", address: "SP1" };
const available = (values: string, network = "mainnet") => series("available_balance_microstx", values, "", network);
const minStx = (values = hold(5e9, 500), network = "mainnet") => series("min_balance_microstx", values, "", network);
const SBTC = "SM3VDXK3WZZSA84XXFKAFAF15NNZX32CTSG82JFQ4.sbtc-token::sbtc-token";
const sbtc = (values: string, asset = SBTC) => series("ft_balance_units", values, `, asset="${asset}"`);
const minSbtc = (values = hold(5e7, 500), asset = SBTC) => series("ft_min_balance_units", values, `, asset="${asset}"`);
const STX = { ...hot, asset: "stx" };

const low = forAlert("StacksAddressBalanceLow");
const lows = [
  low(
    "a wallet runs dry: fires two minutes after 5,000 STX, until a quarter of an hour after it was topped up",
    // 100 STX leave a minute: 5,000 STX are left at minute 50, and 4,900 at minute 51. 40,000 STX arrive at minute 80.
    {
      ...available(trace(climb(10_000e6, -100e6, 80), climb(42_000e6, -100e6, 120))),
      ...series("balance_microstx", trace(climb(90_000e6, -100e6, 80), climb(122_000e6, -100e6, 120))),
      ...minStx(),
    },
    [quiet(0, 50, 52), firing(STX, 53, 79, 94), quiet(95, 150)],
  ),
  low("quiet: just the minimum", { ...available(hold(5e9, 200)), ...minStx() }, [never(190)]),
  low(
    "STX that are locked cannot be sent",
    { ...available(hold(0, 60)), ...series("balance_microstx", hold(9e9, 60)), ...minStx() },
    [firing(STX, 10, 50)],
  ),
  low("quiet: no minimum", available(hold(0, 200)), [never(190)]),
  low("quiet: no balance yet", minStx(), [never(190)]),
  low("quiet: low for two minutes", { ...available(trace(hold(9e9, 50), hold(1e9, 2), hold(9e9, 100))), ...minStx() }, [
    never(140),
  ]),
  low("quiet: an outage, in which the minimum stays", { ...available(trace(hold(9e9, 50), gone(150))), ...minStx() }, [
    never(190),
  ]),
  low("a higher minimum fires", { ...available(hold(6e9, 200)), ...minStx(trace(hold(5e9, 100), hold(7e9, 100))) }, [
    quiet(99, 101),
    firing(STX, 102, 150),
  ]),
  low("a token", { ...sbtc(trace(hold(5e7, 50), hold(49_999_999, 50), hold(5e7, 100))), ...minSbtc() }, [
    quiet(49, 51),
    firing({ ...hot, asset: SBTC }, 52, 99, 114),
    quiet(115, 150),
  ]),
  low(
    "quiet: another token, without a minimum",
    { ...sbtc(hold(5e7, 200)), ...minSbtc(), ...sbtc(hold(0, 200), "SP2.x::x") },
    [never(190)],
  ),
  low("STX and a token", { ...available(hold(0, 60)), ...minStx(), ...sbtc(hold(0, 60)), ...minSbtc() }, [
    { at: 10, firing: [STX, { ...hot, asset: SBTC }] },
  ]),
  low(
    "of two networks only one",
    {
      ...available(hold(1e9, 60)),
      ...minStx(),
      ...available(hold(9e9, 60), "testnet"),
      ...minStx(hold(5e9, 60), "testnet"),
    },
    [firing({ network: "mainnet" }, 10)],
  ),
];

const soon = forAlert("StacksAddressUnlockSoon");
const unlock = (values: string, network = "mainnet") => series("unlock_burn_block_height", values, "", network);
const burn = (values: string, network = "mainnet") => ({
  [`stacks_chain_burn_block_height{source="block", ${target(network)}}`]: values,
});
const soons = [
  soon(
    "from 144 burn blocks before to the block of the end",
    // A burn block a minute. At minute 56, 144 are left.
    { ...unlock(trace(hold(1200, 201), gone(60))), ...burn(climb(1000, 1, 400)) },
    [quiet(0, 55, 60), firing(hot, 61, 120, 200, 215), quiet(216, 300)],
  ),
  soon("quiet: 145 burn blocks", { ...unlock(hold(1145, 200)), ...burn(hold(1000, 200)) }, [never(190)]),
  soon("just 144 burn blocks", { ...unlock(hold(1144, 200)), ...burn(hold(1000, 200)) }, [firing(hot, 5, 100)]),
  soon("in the block of the end", { ...unlock(hold(1000, 200)), ...burn(hold(1000, 200)) }, [firing(hot, 5, 100)]),
  soon(
    "quiet: after the end, while the balance is not polled again",
    { ...unlock(hold(999, 200)), ...burn(hold(1000, 200)) },
    [never(190)],
  ),
  soon("quiet: nothing is locked", burn(hold(1000, 200)), [never(190)]),
  soon("extended in time", { ...unlock(trace(hold(1100, 30), hold(3200, 100))), ...burn(hold(1000, 200)) }, [
    firing(hot, 29, 44),
    quiet(45, 100),
  ]),
  soon(
    "of two networks only one",
    {
      ...unlock(hold(1100, 60)),
      ...burn(hold(1000, 60)),
      ...unlock(hold(9000, 60), "testnet"),
      ...burn(hold(3000, 60), "testnet"),
    },
    [firing({ network: "mainnet" }, 10)],
  ),
];

/** Every scenario of the alerts on balances. */
export const balanceScenarios: readonly Scenario[] = [...lows, ...soons];
