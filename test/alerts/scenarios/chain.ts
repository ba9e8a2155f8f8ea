// Scenarios for the alerts about the chain. Timestamps are Unix time; the clock of promtool starts at 0.
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

const reorg = forAlert("StacksChainReorgDeep");
const depth = (values: string, network = "mainnet") => ({
  [`stacks_chain_last_reorg_depth_blocks{${target(network)}}`]: values,
});
const noticed = (values: string, network = "mainnet") => ({
  [`stacks_chain_last_reorg_timestamp_seconds{${target(network)}}`]: values,
});
const reorgs = [
  reorg(
    "two replaced blocks fire after a minute, for an hour",
    { ...depth(trace(gone(10), hold(2, 200))), ...noticed(trace(gone(10), hold(600, 200))) },
    [quiet(5, 10), firing(mainnet, 11, 69), quiet(70, 100)],
  ),
  reorg("quiet: one block", { ...depth(hold(1, 100)), ...noticed(hold(0, 100)) }, [never(90)]),
  reorg("quiet: long ago", { ...depth(hold(9, 100)), ...noticed(hold(-7200, 100)) }, [never(90)]),
  reorg("quiet: there was none", { ...fresh }, [never(90)]),
  reorg(
    "with two networks, only one fires",
    {
      ...depth(hold(3, 50)),
      ...noticed(hold(0, 50)),
      ...depth(hold(1, 50), "testnet"),
      ...noticed(hold(0, 50), "testnet"),
    },
    [firing(mainnet, 20)],
  ),
];

const short = forAlert("StacksTenureShort");
const tenure = (values: string, network = "mainnet") => ({
  [`stacks_chain_blocks_per_burn_block{${target(network)}}`]: values,
});
const tenures = [
  short(
    "few blocks in more than half of two hours fire after 15 minutes, and for 15 minutes after the end",
    { ...tenure(trace(hold(60, 130), hold(9, 100), hold(60, 200))), ...fresh },
    // The window holds 121 samples: the 61st low one is at minute 190, and the 61st high one at 290.
    [quiet(129, 204), firing(mainnet, 205, 290, 304), quiet(305, 350)],
  ),
  short("quiet: exactly at the limit", { ...tenure(hold(10, 200)), ...fresh }, [never(190)]),
  short("quiet: one short tenure", { ...tenure(trace(hold(60, 130), hold(1, 10), hold(60, 100))), ...fresh }, [
    never(230),
  ]),
  short(
    "quiet: the API is down",
    { ...tenure(trace(hold(60, 50), hold(3, 6), gone(200))), ...polled(trace(climb(0, 60, 10), hold(600, 300))) },
    [never(240)],
  ),
  short(
    "it ends when the last success is too old",
    { ...tenure(trace(hold(3, 20), gone(200))), ...polled(hold(0, 300), 600) },
    [quiet(14), firing(mainnet, 15, 24, 39), quiet(40, 60)],
  ),
  short(
    "with two networks, only one fires",
    {
      ...tenure(hold(3, 100)),
      ...tenure(hold(60, 100), "testnet"),
      ...fresh,
      ...polled(climb(0, 60, 100), 120, "testnet"),
    },
    [firing(mainnet, 50)],
  ),
];

/** Every scenario of the chain's alerts. */
export const chainScenarios: readonly Scenario[] = [
  ...unchanged({ alert: "StacksChainTipStale", family: "stacks_chain_block_timestamp_seconds", after: 10 }),
  ...unchanged({ alert: "StacksBurnTipStale", family: "stacks_chain_burn_block_timestamp_seconds", after: 90 }),
  ...reorgs,
  ...tenures,
];
