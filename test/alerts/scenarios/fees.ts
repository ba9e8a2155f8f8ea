// The fee market in traces: what makes each fee alert fire, and each thing that must not.
import { climb, gone, hold, missing, repeat, type Scenario, trace } from "../../support/promtool.ts";
import { firing, forAlert, never, quiet, target } from "./builder.ts";

/** Minutes of calm before anything happens: more than the window of the use of blocks. */
const CALM = 40;

interface Market {
  readonly network?: string;
  /** 25th percentile of the mined transactions of all types, and its usual level. MicroSTX. */
  readonly mined?: string;
  readonly usual?: string;
  /** The median and the 75th percentile, whose usual level is 3000. @default what is usual */
  readonly p50?: string;
  readonly p75?: string;
  /** Priority low of all types together. MicroSTX. */
  readonly low?: string;
  readonly waiting?: string;
  /** Execution cost of all blocks so far, of tenures that may use 10 000 in ten minutes: see `used`. */
  readonly cost?: string | undefined;
  /** Transactions of all blocks so far. */
  readonly included?: string;
}

const of = (name: string, labels: string, network = "mainnet") =>
  `${name}{${labels}${labels === "" ? "" : ", "}${target(network)}}`;
const minedFee = (percentile: string, tx_type = "all", network = "mainnet") =>
  of("stacks_chain_mined_fee_microstx", `tx_type="${tx_type}", percentile="${percentile}"`, network);

/** Traces whose baselines are computed: 12 samples make one, here of a minute each, in operation of five. */
function history(
  { network = "mainnet", mined, usual, p50, p75, low, waiting, cost, included }: Market,
  minutes = 5000,
): Record<string, string> {
  const baseline = (percentile: string, tx_type = "all") =>
    of("stacks_chain_mined_fee_baseline_microstx", `tx_type="${tx_type}", percentile="${percentile}"`, network);
  const series: Record<string, string | undefined> = {
    [minedFee("p25", "all", network)]: mined,
    [baseline("p25")]: usual,
    [minedFee("p50", "all", network)]: mined && (p50 ?? hold(3000, minutes)),
    [baseline("p50")]: usual && hold(3000, minutes),
    [minedFee("p75", "all", network)]: mined && (p75 ?? hold(3000, minutes)),
    [baseline("p75")]: usual && hold(3000, minutes),
    // Another percentile and type, which are always far above what is usual.
    [minedFee("p95", "all", network)]: mined && hold(900_000, minutes),
    [baseline("p95")]: usual && hold(3000, minutes),
    [minedFee("p25", "token_transfer", network)]: mined && hold(900_000, minutes),
    [baseline("p25", "token_transfer")]: usual && hold(3000, minutes),
    [of("stacks_mempool_fee_priority_microstx", 'tx_type="all", priority="low"', network)]: low,
    // Two types, so that the sum is seen to be one.
    [of("stacks_mempool_transactions", 'tx_type="contract_call"', network)]: waiting,
    [of("stacks_mempool_transactions", 'tx_type="token_transfer"', network)]: waiting && hold(0, minutes),
    [of("stacks_chain_transactions_total", "", network)]: included,
    [of("stacks_chain_execution_cost_total", 'dimension="runtime"', network)]: cost,
    [of("stacks_chain_tenure_execution_cost_limit", 'dimension="runtime"', network)]: cost && hold(10_000, minutes),
    // Two dimensions, so that the fullest is seen to count: this one is not used, and there as long as the other.
    [of("stacks_chain_execution_cost_total", 'dimension="read_count"', network)]: cost?.replace(
      /[\d.]+\+[\d.]+x/g,
      "7+0x",
    ),
    [of("stacks_chain_tenure_execution_cost_limit", 'dimension="read_count"', network)]: cost && hold(10_000, minutes),
  };
  return Object.fromEntries(Object.entries(series).flatMap(([name, values]) => (values ? [[name, values]] : [])));
}

/** The capacity of a tenure where it is given. */
const CAPACITY = 750;
const tenureCapacity = (network?: string) => of("stacks:chain_tenure_capacity:transactions", "", network);
const usualWaiting = (network?: string) => of("stacks:mempool_transactions:baseline7d", "", network);
const usualLow = (network?: string) =>
  of("stacks:mempool_fee_priority_microstx:baseline7d", 'tx_type="all", priority="low"', network);

/** Traces whose baselines are given: what is usual is what is seen first. */
function market(traces: Market): Record<string, string> {
  const first = (values: string) => hold(Number.parseFloat(values), 400);
  const { network = "mainnet", mined, low, waiting } = traces;
  return {
    ...history({ ...traces, ...(mined && { usual: traces.usual ?? first(mined) }) }, 400),
    ...(low && { [usualLow(network)]: first(low) }),
    ...(waiting && { [usualWaiting(network)]: first(waiting) }),
    [tenureCapacity(network)]: hold(CAPACITY, 400),
  };
}

/** Calm, then something else for `minutes`, then calm again. */
const burst = (usual: number, then: number, minutes: number) =>
  trace(hold(usual, CALM), hold(then, minutes), hold(usual, 200));
const from = (usual: number, then: number) => burst(usual, then, 300);

/** The cost of blocks of which this share is used, for some minutes. */
const used = (share: number, minutes = 340) => climb(1000, 1000 * share, minutes);

/** Blocks that use a fifth of their capacity until it begins, and all of it from then on. */
const FILLING = trace(used(0.2, CALM), climb(1000 + 200 * (CALM - 1) + 1000, 1000, 300));

/** A series that is renewed for half an hour, and then no more. */
const ends = (value: number) => trace(hold(value, 30), missing(200));

const mainnet = { network: "mainnet" };
const spike = forAlert("StacksFeeSpike");
const SPIKE = { mined: from(3000, 9060), waiting: from(100, 326), cost: used(0.61) };
const FALLBACK = { low: from(3000, 9060), waiting: from(100, 326), cost: used(0.61) };
const spikes = [
  spike(
    "the mined fee triples in full blocks: it fires at the next minute, and stays for half an hour after its end",
    market({ ...SPIKE, mined: burst(3000, 9060, 30) }),
    [quiet(10, 39, 40), firing({ ...mainnet, tx_type: "all" }, 41), firing(mainnet, 99), quiet(101, 140)],
  ),
  spike(
    "half a minute passes until it fires",
    market({ ...SPIKE, mined: trace(hold(3000, CALM), hold(9060, 30)) }),
    [quiet(40, 40.25), firing(mainnet, 40.5)],
    0.25,
  ),
  spike("the median triples", market({ ...SPIKE, mined: hold(3000, 340), p50: from(3000, 9060) }), [
    quiet(40),
    firing(mainnet, 41),
  ]),
  spike("the 75th percentile triples", market({ ...SPIKE, mined: hold(3000, 340), p75: from(3000, 9060) }), [
    quiet(40),
    firing(mainnet, 41),
  ]),
  spike("quiet: a calm market", market({ ...SPIKE, mined: hold(3000, 300) }), never(340)),
  spike("quiet: just at the limit of the fee", market({ ...SPIKE, mined: from(3000, 9000) }), never(160)),
  spike("quiet: blocks just have room", market({ ...SPIKE, cost: used(0.6) }), never(160)),
  // 0.3 tenures of 750.
  spike("quiet: hardly more waits than usual", market({ ...SPIKE, waiting: from(100, 325) }), never(160)),
  spike("quiet: the use of blocks is unknown", market({ ...SPIKE, cost: undefined }), never(160)),
  spike("an unknown backlog is ignored", market({ mined: SPIKE.mined, cost: SPIKE.cost }), [
    quiet(40),
    firing(mainnet, 41),
  ]),
  // The samples of the last ten minutes must include eight minutes of full blocks and one of calm ones.
  spike("blocks that fill just now are waited for", market({ ...SPIKE, cost: FILLING }), [
    quiet(45),
    firing(mainnet, 49),
  ]),
  spike(
    "on the first day, without any history",
    history({
      mined: trace(hold(3000, 15), hold(9060, 60)),
      usual: hold(3000, 75),
      waiting: hold(900, 75),
      cost: used(0.9, 75),
      included: climb(10, 70, 75),
    }),
    [quiet(10), firing(mainnet, 20)],
    5,
  ),
  spike(
    "a gap of the scrapes amid the spike changes nothing",
    market({ ...SPIKE, mined: trace(hold(3000, CALM), hold(30_000, 30), gone(10), hold(30_000, 60)) }),
    firing(mainnet, 45, 65, 71, 75, 80, 85, 100),
  ),
  spike(
    "an outage during a spike ends it half an hour later",
    market({ ...SPIKE, mined: trace(hold(3000, CALM), hold(30_000, 30), gone(300)) }),
    [firing(mainnet, 69), firing(mainnet, 95), quiet(110, 160)],
  ),
  spike(
    "quiet: an outage, and the same market after it",
    market({
      mined: trace(hold(3000, CALM), gone(120), hold(3000, 100)),
      waiting: trace(hold(100, CALM), gone(120), hold(100, 100)),
      cost: trace(used(1, CALM), gone(120), climb(300_000, 1000, 100)),
    }),
    never(240),
  ),
  spike(
    "quiet: a stuck cluster, which no one has to outbid",
    market({ ...FALLBACK, mined: hold(3000, 400) }),
    never(160),
  ),
  spike("without mined transactions, waiting fees are compared", market({ ...FALLBACK, low: burst(3000, 9060, 30) }), [
    quiet(40),
    firing({ ...mainnet, priority: "low" }, 41),
    firing(mainnet, 99),
    quiet(101, 140),
  ]),
  spike("quiet: the waiting fee is just at the limit", market({ ...FALLBACK, low: from(3000, 9000) }), never(160)),
  spike("quiet: the waiting fee is high, and blocks have room", market({ ...FALLBACK, cost: used(0.6) }), never(160)),
  spike(
    "until the usual fee of mined transactions is known, waiting fees are compared",
    { ...market({ ...FALLBACK }), [minedFee("p25")]: hold(3000, 400) },
    [quiet(40), firing({ ...mainnet, priority: "low" }, 41)],
  ),
  spike(
    "an hour of history is enough for what usually waits",
    // The twelfth sample is at minute 55.
    history({
      low: trace(hold(3000, 50), hold(90_000, 60)),
      waiting: trace(hold(100, 50), hold(900, 60)),
      cost: used(0.9, 110),
      included: climb(10, 70, 110),
    }),
    [quiet(50), firing(mainnet, 60)],
    5,
  ),
  spike(
    "quiet: less than an hour of history is not",
    history({
      low: trace(hold(3000, 30), hold(90_000, 24)),
      waiting: trace(hold(100, 30), hold(900, 24)),
      cost: used(0.9, 54),
      included: climb(10, 70, 54),
    }),
    never(50),
    5,
  ),
  spike(
    "a fee that waits for days is usual after half a baseline",
    history(
      {
        low: trace(hold(3000, 10_080), hold(12_000, 10_080)),
        waiting: hold(200, 20_160),
        cost: used(0.9, 20_160),
      },
      20_160,
    ),
    [quiet(10_070), firing(mainnet, 10_100), firing(mainnet, 10_080 + 5000), quiet(10_080 + 5100, 10_080 + 10_000)],
    10,
  ),
  spike(
    "what often waits at a high fee and mostly at a low one is usually low",
    history({
      low: trace(repeat(27, hold(3000, 6), hold(30_000, 5)), hold(9060, 60)),
      cost: used(0.9, 400),
    }),
    [firing(mainnet, 310)],
  ),
  spike(
    "quiet: what often waits at a low fee and mostly at a high one is usually high",
    history({
      low: trace(repeat(27, hold(3000, 5), hold(9000, 6)), hold(25_000, 60)),
      cost: used(0.9, 400),
    }),
    [never(350)],
  ),
  spike(
    "quiet: a fee that waits for a little more than half of the time is usual",
    history({
      low: trace(hold(3000, 160), hold(9000, 180), hold(20_000, 60)),
      cost: used(0.9, 400),
    }),
    [never(390)],
  ),
  spike(
    "the usual waiting fee is valid for a quarter of an hour without renewal",
    { ...market({ low: hold(9060, 200), cost: used(0.9) }), [usualLow()]: ends(3000) },
    // Its last sample is at minute 29, so it holds until 44; then the alert is kept for half an hour.
    [firing(mainnet, 15, 44, 74), quiet(75, 100)],
  ),
  spike(
    "of two networks only the one with the spike",
    { ...market(SPIKE), ...market({ ...SPIKE, network: "testnet", mined: hold(3000, 340) }) },
    [firing(mainnet, 45)],
  ),
  spike(
    "a network with mined transactions does not hide another without",
    { ...market(FALLBACK), ...market({ ...SPIKE, network: "testnet", mined: hold(3000, 340) }) },
    [firing(mainnet, 45)],
  ),
];

const backlog = forAlert("StacksMempoolBacklog");
// 0.6 tenures of 750 beyond the usual number.
const BACKLOG = { waiting: from(100, 550), cost: used(0.86) };
const backlogs = [
  backlog(
    "more waits than blocks can include: it fires after a minute, and stays for an hour after its end",
    market({ ...BACKLOG, waiting: burst(100, 550, 60) }),
    [quiet(10, 40), firing(mainnet, 41), firing(mainnet, 159), quiet(161, 190)],
  ),
  backlog("quiet: just below the limit", market({ ...BACKLOG, waiting: from(100, 549) }), never(160)),
  backlog("quiet: blocks just have room", market({ ...BACKLOG, cost: used(0.85) }), never(160)),
  backlog("quiet: the use of blocks is unknown", market({ ...BACKLOG, cost: undefined }), never(160)),
  backlog(
    "a few hundred are many where blocks are small",
    {
      ...market({ ...BACKLOG, waiting: from(100, 144) }),
      [tenureCapacity()]: hold(72, 400),
    },
    [quiet(40), firing(mainnet, 41)],
  ),
  backlog(
    "quiet: thousands that wait for a nonce are usual",
    market({ ...BACKLOG, waiting: from(2000, 2449) }),
    never(160),
  ),
  backlog("blocks that fill just now are waited for", market({ ...BACKLOG, cost: FILLING }), [
    quiet(45),
    firing(mainnet, 50),
  ]),
  backlog(
    "quiet: an outage",
    market({ ...BACKLOG, waiting: trace(hold(600, CALM), gone(120), hold(600, 100)) }),
    never(240),
  ),
  backlog(
    "a gap changes nothing",
    market({ ...BACKLOG, waiting: trace(hold(100, CALM), hold(900, 20), gone(10), hold(900, 60)) }),
    firing(mainnet, 51, 65, 80, 100),
  ),
  backlog(
    "the capacity is that of the last day",
    // 75 a minute for a day of full blocks, then as few as 7.5 of other transactions: 0.6 tenures are 434 then.
    history(
      {
        waiting: trace(hold(100, 1440), hold(540, 60)),
        cost: used(1, 1500),
        included: trace(climb(0, 75, 1440), climb(107_925, 7.5, 60)),
      },
      1500,
    ),
    [quiet(1435), firing(mainnet, 1495)],
    5,
  ),
  backlog(
    "quiet: the capacity is not that of the last hours",
    history(
      {
        waiting: trace(hold(100, 1440), hold(500, 60)),
        cost: used(1, 1500),
        included: trace(climb(0, 75, 1440), climb(107_925, 7.5, 60)),
      },
      1500,
    ),
    never(1495),
    5,
  ),
  backlog(
    "quiet: a capacity of two days ago",
    // Few transactions filled a tenure until a day ago: 0.6 tenures are 45 of those, and 450 of today's.
    history(
      {
        waiting: trace(hold(100, 2880), hold(300, 120)),
        cost: used(1, 3000),
        included: trace(climb(0, 7.5, 1440), climb(10_800, 75, 1560)),
      },
      3000,
    ),
    never(2995),
    5,
  ),
  backlog(
    "an hour of history is enough",
    history({ waiting: trace(hold(100, 65), hold(900, 60)), cost: used(1, 125), included: climb(10, 75, 125) }),
    [quiet(60), firing(mainnet, 70)],
    5,
  ),
  backlog(
    "quiet: less than an hour is not",
    history({ waiting: trace(hold(100, 30), hold(900, 24)), cost: used(1, 54), included: climb(10, 75, 54) }),
    never(50),
    5,
  ),
  backlog(
    "a lasting backlog is the usual one after half a baseline",
    {
      ...history({ waiting: trace(hold(150, 10_080), hold(900, 10_080)), cost: used(1, 20_160) }, 20_160),
      [tenureCapacity()]: hold(CAPACITY, 20_160),
    },
    [firing(mainnet, 10_080 + 5000), quiet(10_080 + 5130, 10_080 + 10_000)],
    10,
  ),
  backlog(
    "a usual number that is not renewed is good for a quarter of an hour",
    { ...market({ ...BACKLOG, waiting: hold(900, 200) }), [usualWaiting()]: ends(100) },
    [firing(mainnet, 15, 44, 104), quiet(106, 130)],
  ),
  backlog(
    "a capacity that is not renewed is good for a quarter of an hour",
    {
      ...market({ ...BACKLOG, waiting: hold(900, 200) }),
      [usualWaiting()]: hold(100, 200),
      [tenureCapacity()]: ends(CAPACITY),
    },
    [firing(mainnet, 15, 44, 104), quiet(106, 130)],
  ),
  backlog(
    "of two networks only the one with the flood",
    { ...market(BACKLOG), ...market({ ...BACKLOG, network: "testnet", waiting: hold(600, 340) }) },
    [firing(mainnet, 51)],
  ),
];

const low = forAlert("StacksFeesLow");
const minedSample = (network?: string) => of("stacks_chain_mined_fee_sample_transactions", 'tx_type="all"', network);
const LOW = { mined: from(3000, 2050) };
const many = (count: number) => ({ [minedSample()]: hold(count, 400) });
const lows = [
  low(
    "low fees fire after half an hour, and stay for an hour",
    { ...market({ mined: burst(3000, 2050, 60) }), ...many(20) },
    [quiet(39, 69), firing(mainnet, 70), firing(mainnet, 159), quiet(161)],
  ),
  low("quiet: just at the limit", { ...market({ mined: from(3000, 2100) }), ...many(20) }, never(160)),
  low("quiet: too few transactions", { ...market(LOW), ...many(19) }, never(160)),
  low("quiet: nothing is mined", { ...market({ mined: trace(hold(3000, CALM), gone(200)) }), ...many(0) }, never(220)),
  low(
    "of two networks only one",
    {
      ...market(LOW),
      ...many(50),
      ...market({ network: "testnet", mined: hold(3000, 300) }),
      [minedSample("testnet")]: hold(50, 400),
    },
    [firing(mainnet, 71)],
  ),
];

const absolute = forAlert("StacksFeeAbsolute");
const price = (tx_type: string, network?: string) => minedFee("p50", tx_type, network);
const BUDGETS = { token_transfer: 100_000, contract_call: 500_000 };
const absolutes = [
  ...Object.entries(BUDGETS).flatMap(([tx_type, budget]) => [
    absolute(
      `${tx_type} above its budget fires after five minutes, and stays for half an hour`,
      { [price(tx_type)]: trace(hold(budget, 60), hold(budget * 1.01, 20), hold(budget, 120)) },
      [quiet(59, 64), firing({ network: "mainnet", tx_type }, 65), firing({ tx_type }, 109), quiet(111)],
    ),
    absolute(`quiet: ${tx_type} just within its budget`, { [price(tx_type)]: hold(budget, 120) }, never(100)),
  ]),
  absolute("quiet: nothing is known", { [price("token_transfer")]: trace(hold(100_000, 30), gone(90)) }, never(100)),
  absolute(
    "quiet: what a few outliers paid",
    { [price("token_transfer").replace("p50", "p95")]: hold(9e9, 100) },
    never(90),
  ),
  absolute(
    "of two networks only one",
    { [price("token_transfer")]: hold(200_000, 120), [price("token_transfer", "testnet")]: hold(2000, 120) },
    [firing(mainnet, 90)],
  ),
];

const own = forAlert("StacksOwnFeeAboveMarket");
const payerOn = (network: string) => `name="payer", address="SP1", ${target(network)}`;
const paidOn = (network: string, role = "sender") =>
  `stacks_address_fees_paid_microstx_total{tx_type="contract_call", role="${role}", ${payerOn(network)}}`;
const sentOn = (network: string, status = "success", direction = "sent") =>
  `stacks_address_transactions_total{tx_type="contract_call", tx_status="${status}", direction="${direction}", ${payerOn(network)}}`;
const knownOn = (network: string, values = hold(1, 1000)) => ({
  [`stacks_address_info{group="users", kind="account", ${payerOn(network)}}`]: values,
});
/** Each transaction pays 65 000. The traces are those of the number of transactions and of their fees. */
const payments = (times: string, fees: string, network = "mainnet"): Record<string, string> => ({
  [sentOn(network)]: times,
  [paidOn(network)]: fees,
});
const FEE = 65_000;
const steps = (each: number) => trace(hold(0, 120), hold(each, 5), hold(2 * each, 5), hold(3 * each, 300));
const three = (network = "mainnet") => payments(steps(1), steps(FEE), network);
const owns = [
  own(
    "three fees of more than three times the market fire after five minutes, and stay for half an hour",
    { ...three(), [price("contract_call")]: hold(21_500, 500) },
    // The first payment leaves the window of an hour at minute 180.
    [
      quiet(119, 134),
      firing({ name: "payer", address: "SP1", tx_type: "contract_call", network: "mainnet" }, 135),
      firing({ name: "payer" }, 209),
      quiet(212),
    ],
  ),
  own(
    "quiet: just three times the market",
    { ...three(), [price("contract_call")]: hold(65_000 / 3, 500) },
    never(240),
  ),
  own(
    "quiet: two payments are too few",
    {
      ...payments(trace(hold(0, 120), hold(1, 5), hold(2, 300)), trace(hold(0, 120), hold(FEE, 5), hold(2 * FEE, 300))),
      [price("contract_call")]: hold(1000, 500),
    },
    never(240),
  ),
  own(
    "quiet: the market of the type is not known",
    { ...three(), [price("token_transfer")]: hold(10, 500) },
    never(240),
  ),
  own(
    "quiet: the market was as expensive when they were paid",
    { ...three(), [price("contract_call")]: trace(hold(60_000, 145), hold(100, 300)) },
    quiet(135, 140, 145, 150, 160),
  ),
  own(
    "fees paid more than an hour before are ignored",
    {
      // Ten low fees long before three high ones.
      ...payments(
        trace(hold(0, 20), hold(10, 100), hold(11, 5), hold(12, 5), hold(13, 300)),
        trace(
          hold(0, 20),
          hold(10_000, 100),
          hold(10_000 + FEE, 5),
          hold(10_000 + 2 * FEE, 5),
          hold(10_000 + 3 * FEE, 300),
        ),
      ),
      [price("contract_call")]: hold(21_500, 500),
    },
    [quiet(130, 134), firing({ name: "payer" }, 135)],
  ),
  // 61 samples are an hour: the median of 31 high and 30 low ones is high, of 30 and 31 it is low.
  own(
    "the market within the hour is its median",
    { ...three(), [price("contract_call")]: trace(hold(60_000, 104), hold(1000, 300)) },
    [quiet(134, 138), firing({ name: "payer" }, 139)],
  ),
  own(
    "quiet: nothing is paid now",
    { ...payments(hold(50, 500), hold(50 * FEE, 500)), ...knownOn("mainnet"), [price("contract_call")]: hold(10, 500) },
    never(240),
  ),
  own(
    "quiet: the exporter begins with what it kept",
    {
      ...payments(trace(missing(100), hold(50, 300)), trace(missing(100), hold(50 * FEE, 300))),
      ...knownOn("mainnet", trace(missing(100), hold(1, 300))),
      [price("contract_call")]: hold(10, 500),
    },
    never(240),
  ),
  own(
    "the first three transactions: their series appear",
    {
      ...payments(trace(missing(120), hold(3, 300)), trace(missing(120), hold(3 * FEE, 300))),
      ...knownOn("mainnet"),
      [price("contract_call")]: hold(21_500, 500),
    },
    [quiet(124), firing({ name: "payer" }, 125, 179, 209), quiet(210)],
  ),
  own(
    "quiet until the address is known for the window",
    {
      ...payments(trace(missing(120), hold(3, 300)), trace(missing(120), hold(3 * FEE, 300))),
      ...knownOn("mainnet", trace(missing(70), hold(1, 300))),
      [price("contract_call")]: hold(21_500, 500),
    },
    [quiet(134), firing({ name: "payer" }, 135, 179)],
  ),
  own(
    "quiet: high fees long ago, low ones now",
    {
      ...payments(
        trace(hold(0, 40), hold(10, 80), hold(11, 5), hold(12, 5), hold(13, 300)),
        trace(
          hold(0, 40),
          hold(10 * FEE, 80),
          hold(10 * FEE + 100, 5),
          hold(10 * FEE + 200, 5),
          hold(10 * FEE + 300, 300),
        ),
      ),
      ...knownOn("mainnet"),
      [price("contract_call")]: hold(21_500, 500),
    },
    // Until 130 it is kept, because it fired while the high fees were within the hour.
    quiet(131, 135, 140, 150, 160, 170, 180, 200),
  ),
  own(
    "quiet: the series appears with a high fee, and an hour later the fees are low",
    {
      ...payments(
        trace(missing(100), hold(1, 70), hold(2, 5), hold(3, 5), hold(4, 300)),
        trace(
          missing(100),
          hold(10 * FEE, 70),
          hold(10 * FEE + 100, 5),
          hold(10 * FEE + 200, 5),
          hold(10 * FEE + 300, 300),
        ),
      ),
      ...knownOn("mainnet"),
      [price("contract_call")]: hold(21_500, 500),
    },
    quiet(125, 150, 175, 180, 185, 190, 200, 210),
  ),
  own(
    "the first fees that it pays itself: only their series appears",
    {
      [sentOn("mainnet")]: steps(1),
      [paidOn("mainnet")]: trace(missing(120), hold(3 * FEE, 300)),
      ...knownOn("mainnet", trace(missing(100), hold(1, 300))),
      [price("contract_call")]: hold(21_500, 500),
    },
    [quiet(155, 164), firing({ name: "payer" }, 165, 179)],
  ),
  own(
    "quiet: it pays much as a sponsor",
    {
      [sentOn("mainnet")]: steps(1),
      [paidOn("mainnet", "sponsor")]: steps(FEE),
      [price("contract_call")]: hold(10, 500),
    },
    never(240),
  ),
  own(
    "failed transactions count, received ones do not",
    {
      [sentOn("mainnet", "abort_by_response")]: steps(1),
      [sentOn("mainnet", "success", "received")]: steps(100),
      [paidOn("mainnet")]: steps(FEE),
      [price("contract_call")]: hold(21_500, 500),
    },
    [quiet(134), firing({ name: "payer" }, 135)],
  ),
  own(
    "of two networks only the one that pays too much",
    {
      ...three(),
      ...three("testnet"),
      [price("contract_call")]: hold(10_000, 500),
      [price("contract_call", "testnet")]: hold(60_000, 500),
    },
    [firing(mainnet, 150)],
  ),
];

/** Every scenario of the fee alerts. */
export const feeScenarios: readonly Scenario[] = [...spikes, ...backlogs, ...lows, ...absolutes, ...owns];
