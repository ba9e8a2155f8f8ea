// Alerts on a tip that does not change. Timestamps are Unix time; the clock of promtool starts at 0.
import { climb, gone, hold, type Scenario, trace } from "../../support/promtool.ts";
import { firing, forAlert, never, quiet, target } from "./builder.ts";

const mainnet = { network: "mainnet" };

/** Series of a collector: its last success at each minute (seconds), and its interval. */
const polled = (lastSuccess: string, intervalSeconds = 120, network = "mainnet", collector = "blocks") => ({
  [`stacks_exporter_collector_last_success_timestamp_seconds{collector="${collector}", ${target(network)}}`]:
    lastSuccess,
  [`stacks_exporter_collector_interval_seconds{collector="${collector}", ${target(network)}}`]: hold(
    intervalSeconds,
    1000,
  ),
});
const fresh = polled(climb(0, 60, 1000));

interface Stale {
  readonly alert: string;
  readonly family: string;
  /** The limit of the age, in minutes. */
  readonly after: number;
}

/** Scenarios of a timestamp that does not change: that of the tip, or of its burn block. */
function unchanged({ alert, family, after }: Stale): Scenario[] {
  const stale = forAlert(alert);
  const time = (values: string, network = "mainnet") => ({ [`${family}{${target(network)}}`]: values });
  const block = (stops: number, continues: number) =>
    trace(climb(0, 60, stops), hold(stops * 60, continues - stops), climb(continues * 60, 60, 200));
  return [
    stale(
      "it fires five minutes after the limit, and for five minutes after a change",
      { ...time(block(20, after + 60)), ...fresh },
      // At minute 20 + after, its age is exactly the limit.
      [
        quiet(0, 20, 20 + after + 5),
        firing(mainnet, 20 + after + 6, after + 60, after + 64),
        quiet(after + 65, after + 80),
      ],
    ),
    stale("quiet: exactly at the limit", { ...time(climb(-after * 60, 60, 300)), ...fresh }, [never(200)]),
    stale("just above the limit", { ...time(climb(-after * 60 - 1, 60, 300)), ...fresh }, [firing(mainnet, 5, 100)]),
    stale("quiet: it changes", { ...time(climb(0, 60, 300)), ...fresh }, [never(250)]),
    stale(
      "quiet: the API is down, and the value is still exposed",
      { ...time(trace(climb(0, 60, 20), hold(1200, 300))), ...polled(trace(climb(0, 60, 21), hold(1200, 300))) },
      [never(300)],
    ),
    stale(
      "quiet: the API is down, and the value is absent",
      {
        ...time(trace(climb(0, 60, 20), hold(1200, 6), gone(300))),
        ...polled(trace(climb(0, 60, 21), hold(1200, 300))),
      },
      [never(300)],
    ),
    stale(
      "it ends when the last success is two and a half intervals old",
      // The interval is ten minutes and the last success at 0: it ends at minute 25, and keeps firing for five more.
      { ...time(climb(-after * 60 - 3600, 0, 300)), ...polled(hold(0, 300), 600) },
      [quiet(4), firing(mainnet, 5, 24, 29), quiet(30, 100)],
    ),
    stale(
      "the success of another collector does not count",
      { ...time(hold(0, 300)), ...polled(hold(0, 1000)), ...polled(climb(0, 60, 1000), 30, "mainnet", "fees") },
      [never(290)],
    ),
    stale(
      "with two networks, only the one without a change fires",
      {
        ...time(hold(0, 300)),
        ...fresh,
        ...time(climb(0, 60, 300), "testnet"),
        ...polled(climb(0, 60, 300), 120, "testnet"),
      },
      [firing(mainnet, after + 6, after + 20)],
    ),
  ];
}

/** Every scenario of these alerts. */
export const tipScenarios: readonly Scenario[] = [
  ...unchanged({ alert: "StacksChainTipStale", family: "stacks_chain_block_timestamp_seconds", after: 10 }),
  ...unchanged({ alert: "StacksBurnTipStale", family: "stacks_chain_burn_block_timestamp_seconds", after: 90 }),
];
