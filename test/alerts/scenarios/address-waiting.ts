// Waiting transactions of watched addresses in traces.
import { climb, gone, hold, type Scenario, trace } from "../../support/promtool.ts";
import { firing, forAlert, never, quiet, target } from "./builder.ts";

const series = (metric: string, values: string, labels = "", network = "mainnet") => ({
  [`stacks_address_${metric}{network="${network}", name="hot", address="SP1"${labels}, job="stacks", instance="exporter"}`]:
    values,
});
const hot = { network: "mainnet", name: "hot", address: "SP1" };

const gap = forAlert("StacksAddressNonceGap");
const missing = (values: string, network?: string, waiting = values.replaceAll("118", "40")) => ({
  ...series("missing_nonce", values, "", network),
  ...series("mempool_blocked_transactions", waiting, "", network),
});
const gaps = [
  gap(
    "a withdrawal is lost: fires after five minutes, until a quarter of an hour after it was sent again",
    missing(trace(gone(20), hold(118, 40), gone(100))),
    [quiet(0, 20, 24), firing(hot, 25, 40, 59, 74), quiet(75, 120)],
  ),
  gap("quiet: a nonce that arrives within five minutes", missing(trace(gone(20), hold(118, 5), gone(100))), [
    never(100),
  ]),
  gap("the first nonce of a new address, which blocks one transaction", missing(hold(0, 60), "mainnet", hold(1, 60)), [
    quiet(4),
    firing(hot, 5, 50),
  ]),
  gap("quiet: nothing is blocked", missing(hold(7, 60), "mainnet", hold(0, 60)), [never(50)]),
  gap(
    "of two networks only one",
    { ...missing(hold(7, 60), "testnet"), ...missing(hold(7, 60), "mainnet", hold(0, 60)) },
    [firing({ network: "testnet" }, 10)],
  ),
];

const stuck = forAlert("StacksAddressTransactionStuck");
// Sent at minute 10.
const receipt = (values = hold(600, 200), direction = "out", network?: string) =>
  series("mempool_oldest_receipt_timestamp_seconds", values, `, direction="${direction}"`, network);
const fee = (values: string, tx_type = "token_transfer", network?: string) =>
  series("mempool_next_fee_microstx", values, `, tx_type="${tx_type}"`, network);
const estimate = (values: string, network = "mainnet", tx_type = "all", within = "1h") => ({
  [`stacks_fee_estimate_microstx{tx_type="${tx_type}", target="${within}", ${target(network)}}`]: values,
});
const active = (values = hold(1, 200), network = "mainnet", collector = "waiting") => ({
  [`stacks_exporter_collector_targets{collector="${collector}", state="active", ${target(network)}}`]: values,
});
const LOW = { ...hot, fee: "low" };
const USUAL = { ...hot, fee: "usual" };
const stucks = [
  stuck(
    "an underpaid withdrawal: fires after 20 minutes and one, until five minutes after it was replaced and mined",
    { ...receipt(trace(hold(600, 60), gone(100))), ...fee(hold(180, 200)), ...estimate(hold(3000, 200)), ...active() },
    [quiet(10, 30, 31), firing(LOW, 32, 45, 59, 64), quiet(66, 100)],
  ),
  stuck(
    "a fee that is not below the estimate",
    { ...receipt(), ...fee(hold(3000, 200)), ...estimate(hold(3000, 200)), ...active() },
    [quiet(31), firing(USUAL, 32, 100)],
  ),
  stuck("without an estimate", { ...receipt(), ...fee(hold(180, 200)), ...active() }, [firing(USUAL, 32, 100)]),
  stuck(
    "an estimate of another type or time does not count",
    {
      ...receipt(),
      ...fee(hold(180, 200)),
      ...estimate(hold(3000, 200), "mainnet", "contract_call"),
      ...estimate(hold(3000, 200), "mainnet", "all", "10m"),
      ...active(),
    },
    [firing(USUAL, 32, 100)],
  ),
  stuck("without a known fee", { ...receipt(), ...estimate(hold(3000, 200)), ...active() }, [firing(USUAL, 32, 100)]),
  stuck(
    "quiet: the next one follows the mined one, each younger than 20 minutes",
    { ...receipt(trace(hold(600, 25), hold(1500, 20), climb(2700, 60, 150))), ...fee(hold(180, 200)), ...active() },
    [never(190)],
  ),
  stuck("quiet: what others send to it", { ...receipt(hold(600, 200), "in"), ...active() }, [never(190)]),
  stuck("quiet: the collector has no data", { ...receipt(), ...active(hold(0, 200)) }, [never(190)]),
  stuck("quiet: another collector has data", { ...receipt(), ...active(hold(1, 200), "mainnet", "balances") }, [
    never(190),
  ]),
  stuck(
    "the fee of another network does not count",
    {
      ...receipt(),
      ...fee(hold(2000, 200)),
      ...estimate(hold(1000, 200)),
      ...estimate(hold(9000, 200), "testnet"),
      ...fee(hold(10, 200), "token_transfer", "testnet"),
      ...active(),
    },
    [firing(USUAL, 32, 100)],
  ),
  stuck(
    "of two networks only one",
    {
      ...receipt(hold(600, 200), "out", "testnet"),
      ...receipt(climb(600, 60, 200)),
      ...active(),
      ...active(hold(1, 200), "testnet"),
    },
    [firing({ network: "testnet", fee: "usual" }, 32, 100)],
  ),
];

/** Every scenario of the alerts on waiting transactions. */
export const waitingScenarios: readonly Scenario[] = [...gaps, ...stucks];
