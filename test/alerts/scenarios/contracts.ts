// Watched contracts in traces.
import { climb, gone, hold, missing, type Scenario, trace } from "../../support/promtool.ts";
import { firing, forAlert, never, quiet, target } from "./builder.ts";

const oracle = { network: "mainnet", name: "oracle", contract_id: "SP1.oracle" };
const labels = (network: string) => `name="oracle", contract_id="SP1.oracle", ${target(network)}`;
/** Half of the events with each of two topics. */
const events = (values: string, network = "mainnet") => ({
  [`stacks_contract_events_total{event_type="smart_contract_log", topic="print", ${labels(network)}}`]: values,
});
const last = (values: string, network = "mainnet") => ({
  [`stacks_contract_last_event_observed_timestamp_seconds{${labels(network)}}`]: values,
});
const active = (values: string, network = "mainnet", interval = 60) => ({
  [`stacks_exporter_collector_targets{collector="contracts", state="active", ${target(network)}}`]: values,
  [`stacks_exporter_collector_interval_seconds{collector="contracts", ${target(network)}}`]: hold(interval, 20_000),
});
const one = active(hold(2, 20_000));
/** That many events in the first ten minutes, the last at second 600, then none. */
const stops = (count: number, network = "mainnet") => ({
  ...events(trace(climb(0, count / 10, 11), hold(count, 9000)), network),
  ...last(hold(600, 9000), network),
});

const silent = forAlert("StacksContractSilent");
const DAY = 1440;
const silences = [
  // Of 1000 events in a week one comes every 604.8 seconds: ten times that are over in minute 111.
  silent("ten times the usual silence fires after ten minutes", { ...stops(1000), ...one }, [
    quiet(60, 120),
    firing(oracle, 121, 200),
  ]),
  silent(
    "topics are added up",
    {
      ...stops(500),
      ...events(trace(climb(0, 100, 11), hold(1000, 9000))),
      ...events(hold(0, 9000), "testnet"),
      ...one,
    },
    [quiet(120), firing(oracle, 121)],
  ),
  // Of 10 000 events one comes every minute: only the least time counts and a minute between polls, that is minute 72.
  silent("a busy contract may be silent for an hour", { ...stops(10_000), ...one }, [quiet(81), firing(oracle, 82)]),
  silent("between two polls it may have printed", { ...stops(10_000), ...active(hold(1, 300), "mainnet", 1800) }, [
    quiet(110),
    firing(oracle, 111),
  ]),
  silent(
    "it is kept for ten minutes when events come again",
    {
      ...events(trace(climb(0, 1000, 11), hold(10_000, 90), climb(10_001, 1, 200))),
      ...last(trace(hold(600, 100), climb(6000, 60, 200))),
      ...one,
    },
    [firing(oracle, 99, 109), quiet(110, 150)],
  ),
  silent("quiet: events come", { ...events(climb(0, 1, 300)), ...last(climb(0, 60, 300)), ...one }, [never(290)]),
  silent("quiet: no target is polled with success", { ...stops(10_000), ...active(hold(0, 300)) }, [never(290)]),
  silent("one target of the collector is enough", { ...stops(10_000), ...active(hold(1, 300)) }, [firing(oracle, 90)]),
  silent(
    "quiet: an outage",
    { ...events(trace(climb(0, 1, 100), gone(200))), ...last(trace(climb(0, 60, 100), gone(200))), ...one },
    [never(290)],
  ),
  silent(
    "a habit that is not renewed is good for a quarter of an hour",
    {
      ...last(hold(-36_000, 200)),
      ...one,
      [`stacks:contract_events:increase7d{${labels("mainnet")}}`]: trace(hold(1000, 30), missing(100)),
    },
    // Its last sample is at minute 29; it is kept for ten minutes more.
    [firing(oracle, 10, 44, 54), quiet(55, 90)],
  ),
  silent(
    "just ten times the usual silence is none yet",
    {
      // Of 1000 events in a week: 6048 seconds, which are over in minute 10.
      ...last(hold(600 - 6048, 200)),
      ...one,
      [`stacks:contract_events:increase7d{${labels("mainnet")}}`]: hold(1000, 200),
    },
    [quiet(20), firing(oracle, 21)],
  ),
  silent("quiet: no event was ever seen", { ...events(hold(0, 300)), ...one }, [never(290)]),
  silent(
    "of two networks only one",
    {
      ...stops(10_000),
      ...one,
      ...events(climb(0, 1, 300), "testnet"),
      ...last(climb(0, 60, 300), "testnet"),
      ...active(hold(1, 300), "testnet"),
    },
    [firing({ network: "mainnet" }, 100)],
  ),
  // Of 20 events in a week one comes every 8.4 hours; ten times that are over in minute 5050.
  silent("twenty events a week make a habit", { ...stops(20), ...one }, [quiet(5000), firing(oracle, 5070)], 5),
  silent("quiet: nineteen do not", { ...stops(19), ...one }, [quiet(5070, 5500, 6500)], 5),
];
// A sample every five minutes: promtool loads no more than ten thousand at once.
const week: Scenario = {
  name: "StacksContractSilent: what is usual is that of the last seven days",
  alert: "StacksContractSilent",
  every: 10,
  sampled: 5,
  series: {
    // Ten thousand events at once, then one every 100 minutes, with silences of four hours at the ends of days 5 and 9.
    ...events(
      trace(
        hold(0, 1),
        climb(10_000, 0.05, DAY - 1),
        hold(10_072, 48),
        climb(10_072, 0.05, (4 * DAY) / 5 - 48),
        hold(10_128, 50),
      ),
    ),
    ...last(
      trace(
        climb(0, 300, DAY),
        hold(DAY * 300, 48),
        climb((DAY + 48) * 300, 300, (4 * DAY) / 5 - 48),
        hold(9 * DAY * 60, 50),
      ),
    ),
    ...one,
  },
  expect: [quiet(5 * DAY), firing(oracle, 5 * DAY + 180), quiet(5 * DAY + 300, 9 * DAY + 180, 9 * DAY + 220)].flat(),
};

/** Every scenario of the contract alerts that is not about a total of the last hour. */
export const contractScenarios: readonly Scenario[] = [...silences, week];
