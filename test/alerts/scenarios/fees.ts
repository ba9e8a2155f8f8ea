// The fee market in traces: what makes each fee alert fire, and each thing that must not.
import { climb, gone, hold, missing, repeat, type Scenario, trace } from "../../support/promtool.ts";
import { firing, forAlert, never, quiet, target } from "./builder.ts";

/** Minutes of calm before anything happens: more than the slow window. */
const CALM = 40;

interface Market {
  readonly network?: string;
  /** Priorities low, medium and high of all types together. MicroSTX. */
  readonly low?: string;
  readonly medium?: string;
  readonly high?: string;
  readonly waiting?: string;
  /** Execution cost of all blocks so far, of tenures that may use 6000 in ten minutes: see `used`. */
  readonly cost?: string | undefined;
}

/** Traces whose baselines are computed: 288 samples make one, here of a minute each, in operation of five. */
function history(
  { network = "mainnet", low, medium, high, waiting, cost }: Market,
  minutes = 5000,
): Record<string, string> {
  const fee = (priority: string) =>
    `stacks_mempool_fee_priority_microstx{tx_type="all", priority="${priority}", ${target(network)}}`;
  const series: Record<string, string | undefined> = {
    [fee("low")]: low,
    [fee("medium")]: medium,
    [fee("high")]: high,
    // Two types, so that the sum is seen to be one.
    [`stacks_mempool_transactions{tx_type="contract_call", ${target(network)}}`]: waiting,
    [`stacks_mempool_transactions{tx_type="token_transfer", ${target(network)}}`]: waiting && hold(0, minutes),
    [`stacks_chain_execution_cost_total{dimension="runtime", ${target(network)}}`]: cost,
    [`stacks_chain_tenure_execution_cost_limit{dimension="runtime", ${target(network)}}`]: cost && hold(6000, minutes),
    // Two dimensions, so that the fullest is seen to count: this one is not used, and there as long as the other.
    [`stacks_chain_execution_cost_total{dimension="read_count", ${target(network)}}`]: cost?.replace(
      /\d+\+\d+x/g,
      "7+0x",
    ),
    [`stacks_chain_tenure_execution_cost_limit{dimension="read_count", ${target(network)}}`]:
      cost && hold(6000, minutes),
  };
  return Object.fromEntries(Object.entries(series).flatMap(([name, values]) => (values ? [[name, values]] : [])));
}

/** Traces whose baselines are given: what is usual is what is seen first. */
function market(of: Market): Record<string, string> {
  const first = (values: string) => hold(Number.parseFloat(values), 400);
  const { network = "mainnet", low, waiting } = of;
  const labels = `tx_type="all", priority="low", ${target(network)}`;
  return {
    ...history(of, 400),
    ...(low && { [`stacks:mempool_fee_priority_microstx:baseline7d{${labels}}`]: first(low) }),
    ...(waiting && { [`stacks:mempool_transactions:baseline7d{${target(network)}}`]: first(waiting) }),
  };
}

/** Calm, then something else for `minutes`, then calm again. */
const burst = (usual: number, then: number, minutes: number) =>
  trace(hold(usual, CALM), hold(then, minutes), hold(usual, 200));
const from = (usual: number, then: number) => burst(usual, then, 300);

/** The cost of blocks of which this share is used, for some minutes. */
const used = (share: number, minutes = 300) => climb(1000, 600 * share, minutes);

/** Blocks that have room until it begins, and are more than full from then on. */
const FILLING = trace(used(0.2, CALM), climb(1000 + 120 * CALM + 630, 750, 300));

/** A recorded series that is renewed for half an hour, and then no more. */
const ends = (value: number) => trace(hold(value, 30), missing(200));

const mainnet = { network: "mainnet" };
const spike = forAlert("StacksFeeSpike");
const SPIKE = { low: from(3000, 10_650), waiting: from(200, 601) };
const spikes = [
  // Three samples are two minutes: their median follows in the second minute.
  spike(
    "a spike fires a minute after its median, stays for half an hour after its end",
    market({ low: burst(3000, 10_650, 30), waiting: burst(200, 601, 60), cost: used(0.76) }),
    [quiet(10, 39, 41), firing(mainnet, 42), firing(mainnet, 100), quiet(102, 140)],
  ),
  spike("without a known use of blocks it needs the rest only", market(SPIKE), [quiet(41), firing(mainnet, 42)]),
  spike("quiet: a calm market", market({ low: hold(3000, 300), waiting: hold(40, 300) }), never(340)),
  spike("quiet: just at the limit of the fee", market({ ...SPIKE, low: from(3000, 10_500) }), never(160)),
  spike("quiet: just at the limit of the backlog", market({ ...SPIKE, waiting: from(200, 600) }), never(160)),
  spike("a pool just large enough", market({ ...SPIKE, waiting: from(150, 500) }), [firing(mainnet, 42)]),
  spike("quiet: a small pool", market({ ...SPIKE, waiting: from(150, 499) }), never(160)),
  spike("quiet: blocks just have room", market({ ...SPIKE, cost: used(0.75) }), never(160)),
  spike(
    "a gap of the scrapes amid the spike changes nothing",
    market({
      low: trace(hold(3000, CALM), hold(30_000, 30), gone(10), hold(30_000, 60)),
      waiting: trace(hold(150, CALM), hold(900, 30), gone(10), hold(900, 60)),
    }),
    firing(mainnet, 45, 65, 71, 75, 80, 85, 100),
  ),
  spike(
    "quiet: an outage, and the same market after it",
    market({
      low: trace(hold(3000, CALM), gone(120), hold(3000, 100)),
      waiting: trace(hold(40, CALM), gone(120), hold(40, 100)),
      cost: trace(used(1, CALM), gone(120), climb(200_000, 600, 100)),
    }),
    never(240),
  ),
  spike(
    "an outage during a spike ends it half an hour later",
    market({
      low: trace(hold(3000, CALM), hold(30_000, 30), gone(300)),
      waiting: trace(hold(150, CALM), hold(900, 30), gone(300)),
    }),
    [firing(mainnet, 69), firing(mainnet, 95), quiet(110, 160)],
  ),
  spike(
    "quiet: the first day has no baseline",
    history({ low: trace(hold(3000, 280), hold(90_000, 6)), waiting: trace(hold(150, 280), hold(900, 6)) }),
    never(286),
  ),
  spike(
    "a day of history is enough for a baseline",
    // The 288th sample is at minute 1435.
    history({ low: trace(hold(3000, 1415), hold(90_000, 60)), waiting: trace(hold(150, 1415), hold(900, 60)) }),
    [quiet(1435), firing(mainnet, 1440)],
    5,
  ),
  spike(
    "quiet: less than a day of history is not",
    history({ low: trace(hold(3000, 1380), hold(90_000, 50)), waiting: trace(hold(150, 1380), hold(900, 50)) }),
    never(1430),
    5,
  ),
  spike(
    "quiet: a stuck cluster raises the fees, the backlog stays",
    market({ ...SPIKE, waiting: hold(600, 300) }),
    never(160),
  ),
  spike("quiet: a flood of cheap transactions", market({ low: hold(3000, 300), waiting: from(150, 900) }), never(160)),
  spike(
    "a shift of the usual fee fires once, and is the usual after half a baseline",
    history({
      low: trace(hold(3000, 10_080), hold(12_000, 10_080)),
      waiting: trace(hold(200, 10_080), hold(800, 10_080)),
    }),
    [quiet(10_070), firing(mainnet, 10_100), firing(mainnet, 10_080 + 5000), quiet(10_080 + 5100, 10_080 + 10_000)],
    10,
  ),
  spike(
    "of two networks only the one with the spike",
    { ...market(SPIKE), ...market({ network: "testnet", low: hold(3000, 300), waiting: from(200, 601) }) },
    [firing(mainnet, 45)],
  ),
  spike(
    "a flash of two minutes is none",
    market({ low: burst(3000, 90_000, 2), waiting: burst(20, 900, 2) }),
    never(80),
  ),
  spike(
    "a use of blocks that was seen a while ago counts, and when it has been unknown for long the rest decides",
    market({ ...SPIKE, cost: trace(used(0.2, CALM), gone(1000)) }),
    // A pace needs two samples, and the last two leave the window of four minutes at minute 43.
    [quiet(42, 43), firing(mainnet, 44)],
  ),
  // Three minutes of full blocks in four.
  spike("blocks that fill just now are waited for", market({ ...SPIKE, cost: FILLING }), [
    quiet(42),
    firing(mainnet, 43),
  ]),
  spike(
    "the median waits for the second of two high polls, however high they are",
    market({ ...SPIKE, low: from(3000, 900_000) }),
    [quiet(41), firing(mainnet, 42)],
  ),
  spike(
    "what is often high and mostly low is usually low",
    history({
      low: trace(repeat(27, hold(3000, 6), hold(30_000, 5)), hold(10_650, 60)),
      waiting: trace(hold(200, 297), hold(601, 60)),
    }),
    [firing(mainnet, 310)],
  ),
  spike(
    "quiet: what is often low and mostly high is usually high",
    history({
      low: trace(repeat(27, hold(3000, 5), hold(9000, 6)), hold(25_000, 60)),
      waiting: trace(hold(200, 297), hold(601, 60)),
    }),
    [never(350)],
  ),
  spike(
    "quiet: what is high for a little more than half of the time is usually high",
    history({
      low: trace(hold(3000, 160), hold(9000, 180), hold(20_000, 60)),
      waiting: trace(hold(200, 340), hold(601, 60)),
    }),
    [never(390)],
  ),
  spike(
    "a pool that is mostly empty needs longer for a baseline",
    // A fee for one minute in thirty has a median for eleven.
    history({
      low: trace(repeat(17, hold(3000, 1), gone(29)), hold(30_000, 200)),
      waiting: trace(hold(150, 510), hold(700, 200)),
    }),
    [quiet(520, 560, 600), firing(mainnet, 630)],
  ),
  spike(
    "a usual fee that is not renewed is good for a quarter of an hour",
    {
      ...market({ low: hold(10_650, 200), waiting: hold(601, 200) }),
      [`stacks:mempool_fee_priority_microstx:baseline7d{tx_type="all", priority="low", ${target()}}`]: ends(3000),
      [`stacks:mempool_transactions:baseline7d{${target()}}`]: hold(200, 200),
    },
    // Its last sample is at minute 29, so it holds until 44; then the alert is kept for half an hour.
    [firing(mainnet, 5, 44, 74), quiet(75, 100)],
  ),
  spike(
    "a usual backlog that is not renewed is good for a quarter of an hour",
    {
      ...market({ low: hold(10_650, 200), waiting: hold(601, 200) }),
      [`stacks:mempool_fee_priority_microstx:baseline7d{tx_type="all", priority="low", ${target()}}`]: hold(3000, 200),
      [`stacks:mempool_transactions:baseline7d{${target()}}`]: ends(200),
    },
    [firing(mainnet, 5, 44, 74), quiet(75, 100)],
  ),
];

const elevated = forAlert("StacksFeeElevated");
const ELEVATED = { low: from(3000, 6150), waiting: from(200, 620) };
const elevations = [
  // The median over half an hour follows in the 16th minute.
  elevated(
    "a slow rise fires after twenty minutes, stays for an hour after its end",
    market({ low: burst(3000, 6150, 60), waiting: burst(200, 620, 60), cost: used(0.51) }),
    [quiet(10, 59), firing(mainnet, 60), firing(mainnet, 159), quiet(161, 200)],
  ),
  elevated("without a known use of blocks", market(ELEVATED), [quiet(59), firing(mainnet, 60)]),
  elevated("quiet: a calm market", market({ low: hold(3000, 300), waiting: hold(40, 300) }), never(340)),
  elevated("quiet: just at the limit of the fee", market({ ...ELEVATED, low: from(3000, 6000) }), never(160)),
  elevated("quiet: just at the limit of the backlog", market({ ...ELEVATED, waiting: from(200, 600) }), never(160)),
  elevated("a pool just large enough", market({ ...ELEVATED, waiting: from(150, 500) }), [firing(mainnet, 60)]),
  elevated("quiet: a small pool", market({ ...ELEVATED, waiting: from(150, 499) }), never(160)),
  elevated("quiet: blocks just have room", market({ ...ELEVATED, cost: used(0.5) }), never(160)),
  elevated(
    "quiet: an outage",
    market({ low: trace(hold(3000, CALM), gone(120), hold(3000, 100)), waiting: trace(hold(40, CALM), gone(220)) }),
    never(240),
  ),
  elevated(
    "a gap changes nothing",
    market({
      low: trace(hold(3000, CALM), hold(9000, 40), gone(10), hold(9000, 60)),
      waiting: trace(hold(150, CALM), hold(900, 40), gone(10), hold(900, 60)),
    }),
    firing(mainnet, 71, 85, 100),
  ),
  elevated("quiet: a stuck cluster", market({ ...ELEVATED, waiting: hold(700, 300) }), never(160)),
  elevated(
    "of two networks only the one that rose",
    { ...market(ELEVATED), ...market({ network: "testnet", low: hold(3000, 300), waiting: from(200, 620) }) },
    [firing(mainnet, 71)],
  ),
  elevated(
    "a usual fee that is not renewed is good for a quarter of an hour",
    {
      ...market({ low: hold(6150, 300), waiting: hold(620, 300) }),
      [`stacks:mempool_fee_priority_microstx:baseline7d{tx_type="all", priority="low", ${target()}}`]: ends(3000),
      [`stacks:mempool_transactions:baseline7d{${target()}}`]: hold(200, 300),
    },
    [firing(mainnet, 15, 44, 104), quiet(105, 150)],
  ),
];

const backlog = forAlert("StacksMempoolBacklog");
const BACKLOG = { low: hold(3000, 300), waiting: from(125, 505) };
const backlogs = [
  backlog(
    "a flood of cheap transactions fires after a minute, stays for an hour after its end",
    market({ low: hold(3000, 300), waiting: burst(125, 505, 60), cost: used(0.51) }),
    [quiet(10, 40), firing(mainnet, 41), firing(mainnet, 159), quiet(161, 190)],
  ),
  backlog("without a known use of blocks", market(BACKLOG), [quiet(40), firing(mainnet, 41)]),
  // Five minutes of full blocks in fifteen.
  backlog("blocks that fill just now are waited for", market({ ...BACKLOG, cost: FILLING }), [
    quiet(44),
    firing(mainnet, 45),
  ]),
  backlog("quiet: just at the limit", market({ ...BACKLOG, waiting: from(125, 500) }), never(160)),
  backlog("a pool just large enough", market({ ...BACKLOG, waiting: from(100, 500) }), [firing(mainnet, 41)]),
  backlog("quiet: a small pool", market({ ...BACKLOG, waiting: from(100, 499) }), never(160)),
  backlog("quiet: blocks just have room", market({ ...BACKLOG, cost: used(0.5) }), never(160)),
  backlog(
    "quiet: calm, and a spike of fees alone",
    market({ low: from(3000, 90_000), waiting: hold(600, 300) }),
    never(160),
  ),
  backlog("quiet: an outage", market({ waiting: trace(hold(600, CALM), gone(120), hold(600, 100)) }), never(240)),
  backlog(
    "a gap changes nothing",
    market({ waiting: trace(hold(100, CALM), hold(900, 20), gone(10), hold(900, 60)) }),
    firing(mainnet, 51, 65, 80, 100),
  ),
  backlog("quiet: the first day", history({ waiting: trace(hold(20, 280), hold(900, 6)) }), never(286)),
  backlog(
    "a day of history is enough for a baseline",
    history({ waiting: trace(hold(100, 1415), hold(900, 60)) }),
    [quiet(1435), firing(mainnet, 1440)],
    5,
  ),
  backlog(
    "a lasting backlog is the usual one after half a baseline",
    history({ waiting: trace(hold(150, 10_080), hold(900, 10_080)) }),
    [firing(mainnet, 10_080 + 5000), quiet(10_080 + 5130, 10_080 + 10_000)],
    10,
  ),
  backlog(
    "of two networks only the one with the flood",
    { ...market(BACKLOG), ...market({ network: "testnet", waiting: hold(600, 300) }) },
    [firing(mainnet, 51)],
  ),
];

const topHeavy = forAlert("StacksFeeTopHeavy");
const TOP = { low: hold(3000, 300), high: from(6000, 151_000), waiting: hold(40, 300) };
const topHeavies = [
  topHeavy(
    "a few very high fees fire after half an hour, and stay for half an hour",
    market({ ...TOP, high: burst(6000, 151_000, 60) }),
    [quiet(39, 69), firing(mainnet, 70), firing(mainnet, 129), quiet(131)],
  ),
  topHeavy("quiet: just at the limit of the spread", market({ ...TOP, high: from(6000, 150_000) }), never(140)),
  topHeavy(
    "quiet: low is up too, just at its limit",
    market({ ...TOP, low: from(3000, 4500), high: from(6000, 900_000) }),
    never(140),
  ),
  topHeavy("low a little up", market({ ...TOP, low: from(3000, 4400), high: from(6000, 900_000) }), [
    firing(mainnet, 74),
  ]),
  topHeavy("a pool just large enough", market({ ...TOP, waiting: hold(20, 300) }), [firing(mainnet, 70)]),
  topHeavy("quiet: a small pool", market({ ...TOP, waiting: hold(19, 300) }), never(140)),
  topHeavy("quiet: a spike", market({ ...TOP, low: from(3000, 30_000), high: from(6000, 9_000_000) }), never(140)),
  topHeavy(
    "quiet: an outage",
    market({
      low: trace(hold(3000, CALM), gone(200)),
      high: trace(hold(6000, CALM), gone(200)),
      waiting: hold(40, 600),
    }),
    never(220),
  ),
  topHeavy(
    "of two networks only one",
    {
      ...market(TOP),
      ...market({ network: "testnet", low: hold(3000, 300), high: hold(6000, 300), waiting: hold(40, 300) }),
    },
    [firing(mainnet, 71)],
  ),
];

const stuck = forAlert("StacksMempoolStuckCluster");
const STUCK = { low: from(3000, 9150), waiting: hold(40, 300), cost: used(0.59) };
const stucks = [
  stuck(
    "idle blocks under high fees fire after a quarter of an hour, and stay for half an hour",
    market({ low: burst(3000, 9150, 60), waiting: burst(20, 90, 60), cost: used(0.59) }),
    [quiet(39, 55), firing(mainnet, 56), firing(mainnet, 130), quiet(132)],
  ),
  stuck("without a known use of blocks, as long as the backlog stays", market({ ...STUCK, cost: undefined }), [
    quiet(55),
    firing(mainnet, 56),
  ]),
  stuck("the backlog just below its limit", market({ ...STUCK, waiting: from(40, 59), cost: undefined }), [
    firing(mainnet, 57),
  ]),
  stuck(
    "quiet: the backlog just at its limit",
    market({ ...STUCK, waiting: from(40, 60), cost: undefined }),
    never(140),
  ),
  stuck("quiet: blocks are just not idle", market({ ...STUCK, cost: used(0.6) }), never(140)),
  stuck("quiet: just at the limit of the fee", market({ ...STUCK, low: from(3000, 9000) }), never(140)),
  stuck("a pool just large enough", market({ ...STUCK, waiting: hold(20, 300) }), [firing(mainnet, 57)]),
  stuck("quiet: a small pool", market({ ...STUCK, waiting: hold(19, 300) }), never(140)),
  stuck("quiet: a spike with full blocks", market({ ...STUCK, waiting: from(40, 400), cost: used(0.99) }), never(140)),
  stuck("quiet: calm", market({ ...STUCK, low: hold(3000, 300) }), never(140)),
  stuck(
    "quiet: an outage",
    market({ low: trace(hold(3000, CALM), gone(200)), waiting: trace(hold(40, CALM), gone(200)) }),
    never(220),
  ),
  stuck(
    "of two networks only the one with the cluster",
    {
      ...market(STUCK),
      ...market({ network: "testnet", low: from(3000, 30_000), waiting: from(40, 400), cost: used(0.99) }),
    },
    [firing(mainnet, 60)],
  ),
];

const low = forAlert("StacksFeesLow");
const LOW = { low: from(3000, 2050), waiting: hold(40, 300) };
const lows = [
  low("low fees fire after half an hour, and stay for an hour", market({ ...LOW, low: burst(3000, 2050, 60) }), [
    quiet(39, 84),
    firing(mainnet, 85),
    firing(mainnet, 174),
    quiet(176),
  ]),
  low("quiet: just at the limit", market({ ...LOW, low: from(3000, 2100) }), never(160)),
  low("a pool just large enough", market({ ...LOW, waiting: hold(20, 300) }), [firing(mainnet, 85)]),
  low("quiet: a small pool", market({ ...LOW, waiting: hold(19, 300) }), never(160)),
  low(
    "quiet: nothing waits, so no fee is known",
    market({ low: trace(hold(3000, CALM), gone(200)), waiting: hold(40, 300) }),
    never(220),
  ),
  low(
    "of two networks only one",
    { ...market(LOW), ...market({ network: "testnet", low: hold(3000, 300), waiting: hold(40, 300) }) },
    [firing(mainnet, 86)],
  ),
];

const absolute = forAlert("StacksFeeAbsolute");
const price = (tx_type: string, network = "mainnet") =>
  `stacks_mempool_fee_priority_microstx{tx_type="${tx_type}", priority="medium", ${target(network)}}`;
const BUDGETS = { token_transfer: 100_000, contract_call: 500_000, smart_contract: 2_000_000 };
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
    "quiet: the high priority of outliers",
    { [price("token_transfer").replace("medium", "high")]: hold(9e9, 100) },
    never(90),
  ),
  absolute(
    "of two networks only one",
    { [price("token_transfer")]: hold(200_000, 120), [price("token_transfer", "testnet")]: hold(2000, 120) },
    [firing(mainnet, 90)],
  ),
];

const own = forAlert("StacksOwnFeeAboveMarket");
const paid = (suffix: string, extra = "", network = "mainnet") =>
  `stacks_address_tx_fee_microstx_${suffix}{name="payer", address="SP1", tx_type="contract_call", ${extra}${target(network)}}`;
/** All fees fall in the bucket from 30 000 to 100 000, so that their median is 65 000. */
function payments(values: string, network = "mainnet"): Record<string, string> {
  return {
    [paid("bucket", 'le="10000", ', network)]: hold(0, 1000),
    [paid("bucket", 'le="30000", ', network)]: hold(0, 1000),
    [paid("bucket", 'le="100000", ', network)]: values,
    [paid("bucket", 'le="+Inf", ', network)]: values,
    [paid("count", "", network)]: values,
  };
}
const THREE = trace(hold(0, 120), hold(1, 5), hold(2, 5), hold(3, 300));
const owns = [
  own(
    "three fees of more than three times the market fire after five minutes, and stay for half an hour",
    { ...payments(THREE), [price("contract_call")]: hold(21_500, 500) },
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
    { ...payments(THREE), [price("contract_call")]: hold(65_000 / 3, 500) },
    never(240),
  ),
  own(
    "quiet: two payments are too few",
    { ...payments(trace(hold(0, 120), hold(1, 5), hold(2, 300))), [price("contract_call")]: hold(1000, 500) },
    never(240),
  ),
  own(
    "quiet: the market of the type is not known",
    { ...payments(THREE), [price("token_transfer")]: hold(10, 500) },
    never(240),
  ),
  own(
    "quiet: the market was as expensive when they were paid",
    { ...payments(THREE), [price("contract_call")]: trace(hold(60_000, 145), hold(100, 300)) },
    quiet(135, 140, 145, 150, 160),
  ),
  own(
    "what was paid more than an hour before says nothing of today",
    {
      // Ten low fees long before three high ones.
      [paid("bucket", 'le="10000", ')]: trace(hold(0, 20), hold(10, 400)),
      [paid("bucket", 'le="30000", ')]: trace(hold(0, 20), hold(10, 400)),
      [paid("bucket", 'le="100000", ')]: trace(hold(0, 20), hold(10, 100), hold(11, 5), hold(12, 5), hold(13, 300)),
      [paid("bucket", 'le="+Inf", ')]: trace(hold(0, 20), hold(10, 100), hold(11, 5), hold(12, 5), hold(13, 300)),
      [paid("count")]: trace(hold(0, 20), hold(10, 100), hold(11, 5), hold(12, 5), hold(13, 300)),
      [price("contract_call")]: hold(21_500, 500),
    },
    [quiet(130, 134), firing({ name: "payer" }, 135)],
  ),
  // 61 samples are an hour: the median of 31 high and 30 low ones is high, of 30 and 31 it is low.
  own(
    "the market within the hour is its median",
    { ...payments(THREE), [price("contract_call")]: trace(hold(60_000, 104), hold(1000, 300)) },
    [quiet(134, 138), firing({ name: "payer" }, 139)],
  ),
  own(
    "quiet: nothing is paid any more",
    { ...payments(hold(50, 500)), [price("contract_call")]: hold(10, 500) },
    never(240),
  ),
  own(
    "quiet: the exporter begins with what it kept",
    { ...payments(trace(missing(100), hold(50, 300))), [price("contract_call")]: hold(10, 500) },
    never(240),
  ),
  own(
    "of two networks only the one that pays too much",
    {
      ...payments(THREE),
      ...payments(THREE, "testnet"),
      [price("contract_call")]: hold(10_000, 500),
      [price("contract_call", "testnet")]: hold(60_000, 500),
    },
    [firing(mainnet, 150)],
  ),
];

/** Every scenario of the fee alerts. */
export const feeScenarios: readonly Scenario[] = [
  ...spikes,
  ...elevations,
  ...backlogs,
  ...topHeavies,
  ...stucks,
  ...lows,
  ...absolutes,
  ...owns,
];
