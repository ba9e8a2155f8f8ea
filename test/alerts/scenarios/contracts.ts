// Watched contracts in traces.
import { climb, gone, hold, missing, type Scenario, trace } from "../../support/promtool.ts";
import { firing, forAlert, never, quiet, target } from "./builder.ts";

const oracle = { network: "mainnet", name: "oracle", contract_id: "SP1.oracle" };
const labels = (network: string) => `name="oracle", contract_id="SP1.oracle", ${target(network)}`;
const of = (metric: string, values: string, { network = "mainnet", more = "" } = {}) => ({
  [`${metric}{${more}${labels(network)}}`]: values,
});

const lastEvent = (values: string, network = "mainnet") =>
  of("stacks_contract_last_event_observed_timestamp_seconds", values, { network });
const lastCall = (values: string, network = "mainnet") =>
  of("stacks_contract_last_call_timestamp_seconds", values, { network });
const pause = (activity: "call" | "event", seconds: number, network = "mainnet") =>
  of("stacks_contract_longest_pause_seconds", hold(seconds, 20_000), { network, more: `activity="${activity}", ` });
const silentAfter = (seconds: number) => of("stacks_contract_silent_after_seconds", hold(seconds, 20_000));
const active = (
  values: string,
  { network = "mainnet", interval = 60, collector = "contracts" }: Readonly<Record<string, string | number>> = {},
) => ({
  [`stacks_exporter_collector_targets{collector="${collector}", state="active", ${target(String(network))}}`]: values,
  [`stacks_exporter_collector_interval_seconds{collector="${collector}", ${target(String(network))}}`]: hold(
    Number(interval),
    20_000,
  ),
});
const one = active(hold(2, 20_000));

const silent = forAlert("StacksContractSilent");
const silences = [
  // The last call was at second 0. Three times half an hour and a minute between polls end after minute 91.
  silent(
    "three times the longest pause fires after five minutes",
    { ...lastCall(hold(0, 400)), ...pause("call", 1800), ...one },
    [quiet(60, 96), firing(oracle, 97, 300)],
  ),
  silent("a busy contract may be silent for an hour", { ...lastCall(hold(0, 400)), ...pause("call", 60), ...one }, [
    quiet(66),
    firing(oracle, 67),
  ]),
  silent(
    "a slow contract is silent after three times its pause, too",
    { ...lastCall(hold(0, 9000)), ...pause("call", 86_400), ...one },
    [quiet(1440, 4300), firing(oracle, 4330, 8000)],
    5,
  ),
  silent("events alone", { ...lastEvent(hold(0, 400)), ...pause("event", 1800), ...one }, [
    quiet(96),
    firing(oracle, 97),
  ]),
  silent(
    "quiet: it prints, although it is not called",
    { ...lastCall(hold(0, 400)), ...lastEvent(climb(0, 60, 400)), ...pause("call", 60), ...pause("event", 60), ...one },
    [never(390)],
  ),
  silent(
    "quiet: it is called, and no longer prints",
    { ...lastCall(climb(0, 60, 400)), ...lastEvent(hold(0, 400)), ...pause("call", 60), ...pause("event", 60), ...one },
    [never(390)],
  ),
  silent(
    "of two activities, the shorter pause counts, and the later one ends the silence",
    {
      ...lastCall(hold(0, 400)),
      ...lastEvent(hold(600, 400)),
      ...pause("call", 9000),
      ...pause("event", 1800),
      ...one,
    },
    [quiet(106), firing(oracle, 107)],
  ),
  silent(
    "between two polls it may have been called",
    {
      ...lastCall(hold(0, 400)),
      ...pause("call", 1800),
      ...active(hold(2, 400), { interval: 3600 }),
    },
    [quiet(155), firing(oracle, 156)],
  ),
  silent(
    "of both collectors, the longer interval counts",
    {
      ...lastCall(hold(0, 400)),
      ...pause("call", 1800),
      ...active(hold(2, 400), { interval: 60 }),
      ...active(hold(2, 400), { interval: 3600, collector: "contract_calls" }),
    },
    [quiet(155), firing(oracle, 156)],
  ),
  silent(
    "only calls are polled",
    {
      ...lastCall(hold(0, 400)),
      ...pause("call", 1800),
      ...active(hold(1, 400), { collector: "contract_calls" }),
    },
    [quiet(96), firing(oracle, 97)],
  ),
  silent(
    "silent_after replaces what is usual: sooner",
    {
      ...lastCall(hold(0, 400)),
      ...pause("call", 9000),
      ...silentAfter(600),
      ...one,
    },
    [quiet(16), firing(oracle, 17, 300)],
  ),
  silent(
    "silent_after replaces what is usual: later",
    {
      ...lastCall(hold(0, 400)),
      ...pause("call", 60),
      ...silentAfter(7200),
      ...one,
    },
    [quiet(67, 126), firing(oracle, 127)],
  ),
  silent("silent_after needs no history", { ...lastEvent(hold(0, 400)), ...silentAfter(7200), ...one }, [
    quiet(126),
    firing(oracle, 127),
  ]),
  silent("quiet: nothing was ever seen", { ...silentAfter(600), ...pause("call", 60), ...one }, [never(290)]),
  silent("quiet: what is usual is not known", { ...lastCall(hold(0, 9000)), ...lastEvent(hold(0, 9000)), ...one }, [
    never(290),
    quiet(8000),
  ]),
  silent(
    "it is kept for ten minutes after a call",
    {
      ...lastCall(trace(hold(0, 200), climb(12_000, 60, 200))),
      ...pause("call", 1800),
      ...one,
    },
    [firing(oracle, 199, 209), quiet(211, 300)],
  ),
  silent("quiet: there are calls", { ...lastCall(climb(0, 60, 400)), ...pause("call", 60), ...one }, [never(390)]),
  silent(
    "quiet: no target is polled with success",
    {
      ...lastCall(hold(0, 400)),
      ...pause("call", 60),
      ...active(hold(0, 400)),
    },
    [never(390)],
  ),
  silent(
    "quiet: an outage, after which its gauges are gone",
    {
      ...lastCall(trace(climb(0, 60, 60), gone(300))),
      ...pause("call", 60),
      ...one,
    },
    [never(350)],
  ),
  silent(
    "of two networks only one",
    {
      ...lastCall(hold(0, 400)),
      ...lastCall(climb(0, 60, 400), "testnet"),
      ...pause("call", 60),
      ...pause("call", 60, "testnet"),
      ...one,
      ...active(hold(2, 400), { network: "testnet" }),
    },
    [firing({ network: "mainnet" }, 100)],
  ),
];

const calls = (status: string, values: string, { network = "mainnet", name = "swap" } = {}) =>
  of("stacks_contract_calls_total", values, { network, more: `function="${name}", tx_status="${status}", ` });
const usual = (values: string) => of("stacks:contract_calls_failed:per_success7d", values);
const usually = (perSuccess: number) => usual(hold(perSuccess, 500));
const failing = forAlert("StacksContractCallsFailing");
/** From minute 60 on, this many of each ten calls a minute fail. */
const fails = (ofTen: number, network = "mainnet") => ({
  ...calls("success", trace(climb(0, 10, 60), climb(600, 10 - ofTen, 300)), { network }),
  ...calls("abort_by_response", trace(hold(0, 60), climb(0, ofTen, 300)), { network }),
});
// Samples every ten minutes, because promtool loads at most ten thousand at once.
const sparse = (scenario: Scenario): Scenario => ({ ...scenario, every: 10, sampled: 10 });
const DAY = 144;
/** Half of a hundred calls fail for two weeks, none for some days, and then half of them again. */
const halves = (days: number) => {
  const [long, pause] = [14 * DAY, days * DAY];
  const [first, second] = [50 * long, 50 * long + 100 * pause];
  return {
    ...calls("success", trace(climb(0, 50, long), climb(first, 100, pause), climb(second, 50, 30))),
    ...calls("abort_by_response", trace(climb(0, 50, long), hold(first, pause), climb(first, 50, 30))),
  };
};
const failures = [
  failing("most calls fail, which never happened before", { ...fails(9), ...usually(0) }, [
    quiet(60, 70),
    firing(oracle, 90, 300),
  ]),
  failing(
    "functions and kinds of failure are added up",
    {
      ...calls("success", climb(0, 10, 300)),
      ...calls("abort_by_response", climb(0, 1, 300)),
      ...calls("abort_by_post_condition", climb(0, 1, 300)),
      ...calls("abort_by_response", climb(0, 1, 300), { name: "add" }),
      ...usually(0.01),
    },
    [firing(oracle, 100)],
  ),
  failing("more than a fifth", { ...fails(2.1), ...usually(0) }, [quiet(90), firing(oracle, 150)]),
  failing("quiet: a fifth, which is the least share", { ...fails(2), ...usually(0) }, [never(300)]),
  // A failed call for three successful ones.
  failing("quiet: three times as many as usual", { ...fails(2.5), ...usually(1 / 9) }, [never(300)]),
  failing("more than three times as many as usual", { ...fails(2.5), ...usually(0.11) }, [
    quiet(90),
    firing(oracle, 150),
  ]),
  failing("quiet: most calls always fail", { ...fails(8), ...usually(1.5) }, [never(300)]),
  failing("most calls always fail, and now nearly all of them", { ...fails(9), ...usually(1.5) }, [
    quiet(60),
    firing(oracle, 150),
  ]),
  failing(
    "quiet: every call always fails",
    { ...calls("success", hold(0, 400)), ...calls("abort_by_response", climb(0, 10, 400)) },
    [quiet(150, 250, 390)],
  ),
  // Four of seven days have failed calls: 0.4 for each successful one, and a third of the current share is less.
  sparse(failing("quiet: half of the calls failed until three days ago, and now again", halves(3), quiet(24_600))),
  // Three days: 0.27.
  sparse(failing("half of the calls failed until four days ago, and now again", halves(4), [firing(oracle, 26_040)])),
  failing("a new contract has no usual share", fails(9), [firing(oracle, 150)]),
  failing("what is usual is that of an hour ago", { ...fails(9), ...usual(trace(hold(0, 100), hold(9, 400))) }, [
    firing(oracle, 100, 159),
    quiet(195),
  ]),
  failing(
    "what is usual, and is not renewed, is good for a quarter of an hour",
    { ...fails(4), ...usual(trace(hold(0.5, 90), missing(300))) },
    [quiet(100, 164, 169), firing(oracle, 170)],
  ),
  failing(
    "only the last hour counts",
    {
      ...calls("success", trace(climb(0, 10, 100), hold(1000, 10), climb(1000, 10, 200))),
      ...calls("abort_by_response", trace(hold(0, 100), climb(0, 100, 10), hold(1000, 200))),
      ...usually(0),
    },
    // It is kept for half an hour after the failed calls have left the window.
    [firing(oracle, 110, 169, 198), quiet(201, 300)],
  ),
  failing(
    "only the last hour counts, while a few calls fail",
    {
      ...calls("success", climb(0, 10, 310)),
      ...calls("abort_by_response", trace(climb(0, 0.5, 100), climb(50, 100, 10), climb(1050, 0.5, 200))),
      ...usually(0),
    },
    [quiet(90), firing(oracle, 115, 165), quiet(205, 225, 300)],
  ),
  failing(
    "only the last hour counts, while as many calls fail as usual",
    {
      ...calls("success", climb(0, 6, 310)),
      ...calls("abort_by_response", trace(climb(0, 4, 100), climb(400, 100, 10), climb(1400, 4, 200))),
      ...usually(0.3),
    },
    [quiet(90), firing(oracle, 115, 165), quiet(205, 225, 300)],
  ),
  failing(
    "quiet: four failed calls in each hour are too few",
    {
      ...calls("success", hold(0, 300)),
      ...calls("abort_by_response", trace(hold(0, 60), hold(4, 61), hold(8, 61), hold(12, 118))),
      ...usually(0),
    },
    [never(290)],
  ),
  failing(
    "quiet: four failed calls are too few",
    {
      ...calls("success", hold(0, 300)),
      ...calls("abort_by_response", trace(hold(0, 100), hold(4, 200))),
      ...usually(0),
    },
    [never(290)],
  ),
  failing(
    "five are enough",
    {
      ...calls("success", hold(0, 300)),
      ...calls("abort_by_response", trace(hold(0, 100), hold(5, 200))),
      ...usually(0),
    },
    [quiet(104), firing(oracle, 105, 159, 188), quiet(192)],
  ),
  failing("quiet: no calls", { ...calls("success", hold(7, 300)), ...calls("abort_by_response", hold(7, 300)) }, [
    never(290),
  ]),
  failing(
    "quiet: an outage",
    {
      ...calls("success", trace(climb(0, 10, 60), gone(100), climb(600, 10, 200))),
      ...calls("abort_by_response", trace(hold(0, 60), gone(100), hold(0, 200))),
    },
    [never(350)],
  ),
  failing("of two networks only one", { ...fails(9), ...fails(0, "testnet"), ...usually(0) }, [
    firing({ network: "mainnet" }, 150),
  ]),
];

const deployed = forAlert("StacksAddressContractDeployed");
const payer = `name="payer", address="SP1", ${target()}`;
const deployments = (values: string, more = 'tx_status="success", direction="sent"') => ({
  [`stacks_address_transactions_total{tx_type="smart_contract", ${more}, ${payer}}`]: values,
});
const known = (values: string) => ({
  [`stacks_address_info{group="", kind="account", ${payer}}`]: values,
});
const deploymentsSeen = [
  deployed(
    "quiet: a deployment that failed",
    {
      ...deployments(trace(hold(0, 100), hold(1, 200)), 'tx_status="abort_by_response", direction="sent"'),
      ...known(hold(1, 300)),
    },
    [never(290)],
  ),
  deployed(
    "quiet: a deployment that it only sponsored",
    {
      ...deployments(trace(hold(0, 100), hold(1, 200)), 'tx_status="success", direction="sponsored"'),
      ...known(hold(1, 300)),
    },
    [never(290)],
  ),
];

/** Every scenario of the contract alerts that is not about a total of the last hour. */
export const contractScenarios: readonly Scenario[] = [...silences, ...failures, ...deploymentsSeen];
