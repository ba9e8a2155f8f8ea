// Traces of the exporter and of its API.
import { climb, gone, hold, missing, type Scenario, trace } from "../../support/promtool.ts";
import { firing, forAlert, never, quiet, target } from "./builder.ts";

const mainnet = { network: "mainnet" };
const BUILD = 'stacks_exporter_build_info{version="1", node_version="v24", job="stacks", instance="exporter"}';
const UP = 'up{job="stacks", instance="exporter"}';
const here = { job: "stacks", instance: "exporter" };

const down = forAlert("StacksExporterDown");
const downs = [
  down(
    "a target that stops responding fires after five minutes, until it responds",
    { [UP]: trace(hold(1, 20), hold(0, 40), hold(1, 40)), [BUILD]: trace(hold(1, 20), gone(40), hold(1, 40)) },
    [quiet(0, 19, 24), firing(here, 25, 59), quiet(60, 90)],
  ),
  down("quiet: it responds", { [UP]: hold(1, 100), [BUILD]: hold(1, 100) }, [never(90)]),
  down(
    "quiet: another kind of target is down",
    { [UP]: hold(0, 100), [BUILD.replace('"exporter"', '"other"')]: hold(1, 100) },
    [never(90)],
  ),
  down(
    "quiet: the target was removed",
    { [UP]: trace(hold(1, 20), gone(100)), [BUILD]: trace(hold(1, 20), gone(100)) },
    [never(90)],
  ),
];

// Samples every five minutes, because promtool loads at most ten thousand at once.
const GONE_FOR_LONG = {
  every: 10,
  sampled: 5,
  series: { [UP]: trace(hold(1, 1), hold(0, 2100)), [BUILD]: trace(hold(1, 1), gone(2100)) },
};
const WEEK = 7 * 1440;
const forLong: readonly Scenario[] = [
  {
    ...GONE_FOR_LONG,
    name: "StacksExporterDown: it is known for a week, with or without another exporter",
    alert: "StacksExporterDown",
    series: { ...GONE_FOR_LONG.series, [BUILD.replace('"exporter"', '"other"')]: hold(1, 2100) },
    expect: [...firing(here, 20, WEEK), ...quiet(WEEK + 10)],
  },
  {
    ...GONE_FOR_LONG,
    name: "StacksExporterAbsent: it was down for longer than a week",
    alert: "StacksExporterAbsent",
    expect: [...quiet(WEEK), ...firing({ severity: "critical" }, WEEK + 20)],
  },
];

const absent = forAlert("StacksExporterAbsent");
const absents = [
  absent(
    "no exporter at all fires after ten minutes",
    { [BUILD]: trace(hold(1, 20), gone(100)), [UP]: trace(hold(1, 20), gone(100)) },
    [quiet(19, 29), firing({ severity: "critical" }, 30, 100)],
  ),
  absent("there never was one", { [UP.replace("stacks", "node")]: hold(1, 100) }, [
    quiet(9),
    firing({ severity: "critical" }, 10),
  ]),
  absent("quiet: it is scraped", { [BUILD]: hold(1, 100) }, [never(90)]),
  absent(
    "quiet: one of two is scraped",
    { [BUILD]: trace(hold(1, 20), gone(80)), [BUILD.replace('"exporter"', '"other"')]: hold(1, 100) },
    [never(90)],
  ),
  absent(
    "quiet: it is known to be down, which is another alert",
    { [BUILD]: trace(hold(1, 20), gone(80)), [UP]: trace(hold(1, 20), hold(0, 80)) },
    [never(90)],
  ),
  absent("another kind of target is down", { [UP]: hold(0, 100) }, [firing({ severity: "critical" }, 30)]),
];

const upstream = forAlert("StacksUpstreamDown");
const up = (values: string, network = "mainnet") => ({ [`stacks_up{${target(network)}}`]: values });
const upstreams = [
  upstream(
    "an API that is down fires after five minutes, and for five minutes after it is back",
    up(trace(hold(1, 20), hold(0, 40), hold(1, 40))),
    [quiet(0, 19, 24), firing(mainnet, 25, 59, 64), quiet(65, 90)],
  ),
  upstream("quiet: it responds", up(hold(1, 100)), [never(90)]),
  upstream("quiet: four minutes", up(trace(hold(1, 20), hold(0, 4), hold(1, 70))), [never(90)]),
  upstream("quiet: the exporter is gone", up(trace(hold(1, 20), gone(80))), [never(90)]),
  upstream("quiet: nothing is known yet", up(trace(missing(60), hold(1, 30))), [never(85)]),
  upstream("of two networks only one", { ...up(hold(0, 30)), ...up(hold(1, 30), "testnet") }, [firing(mainnet, 20)]),
];

const collector = (metric: string, values: string, labels = "", name = "fees", network = "mainnet") => ({
  [`stacks_exporter_collector_${metric}{${labels}collector="${name}", ${target(network)}}`]: values,
});
const state = (name: string, values: string, network = "mainnet") =>
  collector("state", values, `state="${name}", `, "fees", network);
const fees = { network: "mainnet", collector: "fees" };

const failing = forAlert("StacksCollectorFailing");
const fails = collector("success", trace(hold(1, 20), hold(0, 40), hold(1, 40)));
const failures = [
  failing(
    "a collector that fails fires after 15 minutes, and for five minutes after it has recovered",
    { ...fails, ...state("retired", hold(0, 100)), ...up(hold(1, 100)) },
    [quiet(0, 20, 34), firing(fees, 35, 59, 64), quiet(65, 90)],
  ),
  failing(
    "quiet: it succeeds",
    { ...collector("success", hold(1, 100)), ...state("retired", hold(0, 100)), ...up(hold(1, 100)) },
    [never(90)],
  ),
  failing(
    "quiet: the API is down for all collectors",
    { ...fails, ...state("retired", hold(0, 100)), ...up(trace(hold(1, 20), hold(0, 80))) },
    [never(90)],
  ),
  failing(
    "quiet: its operation is gone, which is another alert",
    { ...fails, ...state("retired", trace(hold(0, 20), hold(1, 80))), ...up(hold(1, 100)) },
    [never(90)],
  ),
  failing(
    "quiet: single failed polls",
    {
      ...collector("success", trace(...Array.from({ length: 9 }, () => trace(hold(0, 5), hold(1, 5))))),
      ...up(hold(1, 100)),
    },
    [never(85)],
  ),
  failing(
    "of two collectors and two networks only one",
    {
      ...fails,
      ...collector("success", hold(1, 100), "", "blocks"),
      ...collector("success", hold(1, 100), "", "fees", "testnet"),
      ...up(hold(1, 100)),
      ...up(hold(1, 100), "testnet"),
    },
    [firing(fees, 50)],
  ),
];

const unauthorized = forAlert("StacksApiUnauthorized");
const refusals = (values: string, reason = "unauthorized", name = "fees") =>
  collector("failures_total", values, `reason="${reason}", `, name);
const unauthorizeds = [
  unauthorized(
    "a key that is refused in every poll fires at once, until 15 minutes after the last one",
    refusals(trace(hold(0, 20), climb(0, 2, 40), hold(80, 40))),
    [quiet(0, 20), firing(mainnet, 25, 60, 70), quiet(76, 95)],
  ),
  unauthorized(
    "two collectors that are each refused once",
    {
      ...refusals(trace(hold(0, 20), hold(1, 60))),
      ...refusals(trace(hold(0, 22), hold(1, 58)), "unauthorized", "blocks"),
    },
    [quiet(20), firing(mainnet, 30)],
  ),
  unauthorized("quiet: one refused poll", refusals(trace(hold(0, 20), hold(1, 80))), [never(90)]),
  unauthorized("quiet: polls fail for another reason", refusals(climb(0, 2, 100), "http_client"), [never(90)]),
  unauthorized("quiet: refused long ago", refusals(hold(50, 100)), [never(90)]),
];

const stale = forAlert("StacksCollectorStale");
const age = (lastSuccess: string, interval = 60, name = "fees", network = "mainnet") => ({
  ...collector("last_success_timestamp_seconds", lastSuccess, "", name, network),
  ...collector("interval_seconds", hold(interval, 200), "", name, network),
});
const stops = age(trace(climb(0, 60, 20), hold(1140, 40), climb(3600, 60, 40)));
const healthy = { ...collector("success", hold(1, 200)), ...up(hold(1, 200)) };
const stales = [
  stale("polls that stop fire five minutes after five intervals, until they continue", { ...stops, ...healthy }, [
    // The last success is at minute 19; at 24 it is exactly five intervals old.
    quiet(0, 24, 29),
    firing(fees, 30, 59),
    quiet(60, 90),
  ]),
  stale("quiet: exactly five intervals", { ...age(climb(-300, 60, 100)), ...healthy }, [never(90)]),
  stale("quiet: polls continue", { ...age(climb(0, 60, 100)), ...healthy }, [never(90)]),
  stale("quiet: the interval is long", { ...age(hold(0, 100), 1200), ...healthy }, [never(90)]),
  stale(
    "quiet: it fails, which is another alert",
    { ...stops, ...collector("success", hold(0, 100)), ...up(hold(1, 100)) },
    [never(90)],
  ),
  stale(
    "quiet: the API is down for all collectors",
    { ...stops, ...collector("success", hold(1, 100)), ...up(hold(0, 100)) },
    [never(90)],
  ),
  stale(
    "of two collectors only one",
    {
      ...stops,
      ...healthy,
      ...age(climb(0, 60, 100), 60, "blocks"),
      ...collector("success", hold(1, 100), "", "blocks"),
    },
    [firing(fees, 50)],
  ),
];

const DAMAGED = 'stacks_exporter_state_damaged{job="stacks", instance="exporter"}';
const stateDamaged = forAlert("StacksStateDamaged");
const damages = [
  stateDamaged("fires after two minutes, as long as the file is damaged", { [DAMAGED]: hold(1, 100) }, [
    quiet(0, 1),
    firing(here, 2, 50, 100),
  ]),
  stateDamaged("ends when the file was restored", { [DAMAGED]: trace(hold(1, 20), hold(0, 40)) }, [
    firing(here, 10, 19),
    quiet(20, 40),
  ]),
  stateDamaged("quiet: the file is intact", { [DAMAGED]: hold(0, 100) }, quiet(5, 50, 100)),
  stateDamaged("quiet: there is no state file", { [UP]: hold(1, 100) }, quiet(5, 50, 100)),
];

const frozen = forAlert("StacksMempoolFrozen");
interface Pool {
  readonly changed: string;
  readonly blocks?: string;
  readonly waiting?: string;
  readonly interval?: number;
  readonly success?: string;
  readonly network?: string;
}
const pool = ({
  changed,
  blocks = climb(0, 6, 200),
  waiting = hold(1, 200),
  interval = 300,
  success = climb(0, 60, 200),
  network = "mainnet",
}: Pool) => ({
  [`stacks_mempool_snapshots_changed_total{operation="mempool_stats", ${target(network)}}`]: changed,
  [`stacks_mempool_snapshots_changed_total{operation="mempool_fees", ${target(network)}}`]: hold(5, 200),
  [`stacks_chain_blocks_total{${target(network)}}`]: blocks,
  [`stacks_mempool_transactions{tx_type="contract_call", ${target(network)}}`]: waiting,
  [`stacks_mempool_transactions{tx_type="token_transfer", ${target(network)}}`]: hold(0, 200),
  ...age(success, interval, "mempool", network),
});
const stuck = trace(climb(0, 1, 40), hold(39, 60), climb(40, 1, 50));
const frozenMempools = [
  // The last change is at minute 39; at 54 the window holds nothing else.
  frozen(
    "no change for 15 minutes fires after five minutes, and for five minutes after a change",
    pool({ changed: stuck }),
    [quiet(20, 53, 58), firing(mainnet, 59, 99, 104), quiet(105, 140)],
  ),
  frozen("quiet: it changes", pool({ changed: climb(0, 1, 200) }), [never(140)]),
  frozen("quiet: there was no block either", pool({ changed: stuck, blocks: hold(50, 200) }), [never(140)]),
  frozen("one block in 15 minutes is enough", pool({ changed: stuck, blocks: trace(hold(50, 50), hold(51, 100)) }), [
    firing(mainnet, 59, 64),
    quiet(75),
  ]),
  frozen("quiet: nothing waits", pool({ changed: stuck, waiting: hold(0, 200) }), [never(140)]),
  frozen("quiet: the polls are too rare", pool({ changed: stuck, interval: 301 }), [never(140)]),
  frozen(
    "an age of just two and a half intervals is too old",
    pool({ changed: hold(1, 200), success: hold(1200, 200), interval: 240 }),
    // It is reached in minute 30.
    [firing(mainnet, 27, 29, 34), quiet(35, 100)],
  ),
  frozen("it ends when the last success is too old", pool({ changed: hold(1, 200), success: hold(1200, 200) }), [
    // 1200 seconds and two and a half intervals of 300 end in minute 33.
    firing(mainnet, 30, 32, 37),
    quiet(38, 100),
  ]),
  frozen(
    "quiet: an outage, with blocks from before it in the window",
    pool({
      changed: trace(climb(0, 1, 40), hold(39, 100)),
      waiting: trace(hold(9, 45), gone(100)),
      success: trace(climb(0, 60, 40), hold(2400, 100)),
    }),
    [never(140)],
  ),
  frozen(
    "of two networks only one",
    { ...pool({ changed: stuck }), ...pool({ changed: climb(0, 1, 200), network: "testnet" }) },
    [firing(mainnet, 70)],
  ),
];

interface Limit {
  readonly alert: string;
  /** Series by network and value. */
  readonly series: (network: string, values: (factor: number) => string) => Readonly<Record<string, string>>;
  /** The limit, and a value just beyond it. */
  readonly limit: number;
  readonly beyond: number;
  readonly usual: number;
  readonly for: number;
  readonly labels?: Readonly<Record<string, string>>;
}

const LIMITS: readonly Limit[] = [
  {
    alert: "StacksCollectorRetired",
    series: (network, values) => state("retired", values(1), network),
    limit: 0,
    beyond: 1,
    usual: 0,
    for: 5,
    labels: fees,
  },
  {
    alert: "StacksOperationRetired",
    series: (network, values) => ({
      [`stacks_exporter_upstream_operation_retired{operation="mempool_fees", ${target(network)}}`]: values(1),
    }),
    limit: 0,
    beyond: 1,
    usual: 0,
    for: 5,
    labels: { network: "mainnet", operation: "mempool_fees" },
  },
  {
    alert: "StacksBudgetStretched",
    series: (network, values) => collector("stretch_ratio", values(1), "", "fees", network),
    limit: 1.5,
    beyond: 1.51,
    usual: 1,
    for: 15,
    labels: fees,
  },
  {
    alert: "StacksBudgetMonthLow",
    series: (network, values) => ({
      [`stacks_exporter_budget_remaining_requests{window="month", ${target(network)}}`]: values(100),
      [`stacks_exporter_budget_limit_requests{window="month", ${target(network)}}`]: hold(74_400, 500),
      [`stacks_exporter_budget_remaining_requests{window="minute", ${target(network)}}`]: hold(0, 500),
      [`stacks_exporter_budget_limit_requests{window="minute", ${target(network)}}`]: hold(60, 500),
    }),
    limit: 0.1,
    beyond: 0.0995,
    usual: 1,
    for: 15,
  },
  {
    alert: "StacksSeriesHigh",
    series: (network, values) => ({
      [`stacks_exporter_series{family="a", job="stacks", instance="${network}"}`]: values(500),
      [`stacks_exporter_series{family="b", job="stacks", instance="${network}"}`]: values(500),
      [`stacks_exporter_series_limit{job="stacks", instance="${network}"}`]: hold(1000, 500),
    }),
    limit: 0.9,
    beyond: 0.902,
    usual: 0.2,
    for: 30,
    labels: { instance: "mainnet" },
  },
  ...Object.entries({
    configuration: "stacks_exporter_config_last_reload_successful",
    "watch list": "stacks_exporter_watch_list_last_reload_successful",
    "web configuration": "stacks_exporter_web_config_last_reload_successful",
  }).map(([part, family]) => ({
    alert: "StacksReloadRefused",
    series: (network: string, values: (value: number) => string) => ({
      [`${family}{job="stacks", instance="${network}"}`]: values(1),
    }),
    limit: 1,
    beyond: 0,
    usual: 1,
    for: 5,
    labels: { instance: "mainnet", part },
  })),
];

const shard = (instance: string, ordinal: number, count = hold(2, 100), index = hold(ordinal, 100)) => ({
  [`stacks_exporter_shards{job="stacks", instance="${instance}", pod="${instance}"}`]: count,
  [`stacks_exporter_shard_ordinal{ordinal="${ordinal}", job="stacks", instance="${instance}", pod="${instance}"}`]:
    index,
});
const disagree = forAlert("StacksShardsDisagree");
const oneMissing = forAlert("StacksShardMissing");
const ofJob = { job: "stacks" };

const shardScenarios: readonly Scenario[] = [
  disagree(
    "one shard has another number",
    { ...shard("a", 0), ...shard("b", 1, trace(hold(2, 20), hold(3, 60), hold(2, 20))) },
    [quiet(0, 29), firing(ofJob, 30, 79), quiet(80, 100)],
  ),
  disagree("quiet: all have the same number", { ...shard("a", 0), ...shard("b", 1) }, [never(100)]),
  disagree("quiet: without shards", {}, [never(100)]),
  oneMissing(
    "one shard is gone",
    { ...shard("a", 0), ...shard("b", 1, trace(hold(2, 20), gone(80)), trace(hold(1, 20), gone(80))) },
    [quiet(0, 29), firing(ofJob, 30, 100)],
  ),
  oneMissing("two have the same index", { ...shard("a", 0), ...shard("b", 0) }, [quiet(0, 9), firing(ofJob, 10, 100)]),
  oneMissing("quiet: all are there, one of them twice", { ...shard("a", 0), ...shard("b", 1), ...shard("c", 1) }, [
    never(100),
  ]),
  oneMissing("quiet: without shards", {}, [never(100)]),
];

function limits({ alert, series, limit, beyond, usual, for: pending, labels = mainnet }: Limit): Scenario[] {
  const { part } = labels as { readonly part?: string };
  const it: ReturnType<typeof forAlert> = (name, ...rest) =>
    forAlert(alert)(part === undefined ? name : `${part}: ${name}`, ...rest);
  const steady = (value: number) => (factor: number) => hold(value * factor, 200);
  const broken = (factor: number) =>
    trace(hold(usual * factor, 20), hold(beyond * factor, 60), hold(usual * factor, 60));
  return [
    it("it fires while the value is beyond the limit", series("mainnet", broken), [
      quiet(19, 20 + pending - 1),
      firing(labels, 20 + pending, 79),
      quiet(80, 130),
    ]),
    it("quiet: as usual", series("mainnet", steady(usual)), [never(130)]),
    it("quiet: exactly at the limit", series("mainnet", steady(limit)), [never(130)]),
    it(
      "quiet: nothing is known",
      series("mainnet", (factor) => trace(hold(usual * factor, 20), gone(100))),
      [never(110)],
    ),
    it("of two, only the affected one", { ...series("mainnet", steady(beyond)), ...series("testnet", steady(usual)) }, [
      firing(labels, 60),
    ]),
  ];
}

/** Every scenario of the exporter's alerts that is not about a total of the last hour. */
export const exporterScenarios: readonly Scenario[] = [
  ...downs,
  ...forLong,
  ...absents,
  ...upstreams,
  ...failures,
  ...unauthorizeds,
  ...stales,
  ...damages,
  ...frozenMempools,
  ...shardScenarios,
  ...LIMITS.flatMap(limits),
];
