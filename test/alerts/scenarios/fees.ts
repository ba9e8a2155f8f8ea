// The fee market in traces: what makes each fee alert fire, and each thing that must not.
import { gone, hold, missing, type Scenario, trace } from "../../support/promtool.ts";
import { firing, never, of, quiet, target } from "./kit.ts";

// As long as promtool's pace needs for a baseline: 288 samples of a minute each, as against 288 of five minutes in operation.
const CALM = 300;

interface Market {
  readonly network?: string;
  /** Priorities low, medium and high of all types together. MicroSTX. */
  readonly low?: string;
  readonly medium?: string;
  readonly high?: string;
  readonly waiting?: string;
  readonly usage?: string | undefined;
}

function market({ network = "mainnet", low, medium, high, waiting, usage }: Market): Record<string, string> {
  const fee = (priority: string) =>
    `stacks_mempool_fee_priority_microstx{tx_type="all", priority="${priority}", ${target(network)}}`;
  const series: Record<string, string | undefined> = {
    [fee("low")]: low,
    [fee("medium")]: medium,
    [fee("high")]: high,
    // Two types, so that the sum is seen to be one.
    [`stacks_mempool_transactions{tx_type="contract_call", ${target(network)}}`]: waiting,
    [`stacks_mempool_transactions{tx_type="token_transfer", ${target(network)}}`]: waiting && hold(0, 5000),
    [`stacks_chain_tenure_execution_cost_ratio{dimension="runtime", ${target(network)}}`]: usage,
    [`stacks_chain_tenure_execution_cost_ratio{dimension="read_count", ${target(network)}}`]: usage?.includes("stale")
      ? gone(1)
      : usage && hold(0.01, 5000),
  };
  return Object.fromEntries(Object.entries(series).flatMap(([name, values]) => (values ? [[name, values]] : [])));
}

/** Calm, then something else for `minutes`, then calm again. */
const burst = (usual: number, then: number, minutes: number) =>
  trace(hold(usual, CALM), hold(then, minutes), hold(usual, 600));
const from = (usual: number, then: number) => burst(usual, then, 900);

/**
 * The used share of tenures that last eight minutes and use `share` each. The rule looks at eight minutes and reckons with ten,
 * so 0.6 is a use of blocks of exactly 0.75.
 */
function used(share: number, minutes: number): string {
  const parts = Array.from({ length: Math.ceil(minutes / 4) }, (_, index) =>
    hold(index % 2 === 0 ? share : 0, Math.min(4, minutes - 4 * index)),
  );
  return trace(...parts);
}

const mainnet = { network: "mainnet" };
const spike = of("StacksFeeSpike");
const SPIKE = { low: from(3000, 9150), waiting: from(150, 310) };
const spikes = [
  // The median over three minutes follows in the second minute.
  spike(
    "a spike fires one minute after its median, stays for half an hour after its end",
    market({ low: burst(3000, 9150, 30), waiting: burst(150, 310, 60), usage: used(0.61, 900) }),
    [quiet(100, 299, 302), firing(mainnet, 303), firing(mainnet, 360), quiet(362, 400)],
  ),
  spike("without a known use of blocks it needs the rest only", market(SPIKE), [quiet(302), firing(mainnet, 303)]),
  spike("quiet: a calm market", market({ low: hold(3000, 900), waiting: hold(40, 900) }), never(600)),
  spike("quiet: just at the limit of the fee", market({ ...SPIKE, low: from(3000, 9000) }), never(420)),
  spike("quiet: just at the limit of the backlog", market({ ...SPIKE, waiting: from(150, 300) }), never(420)),
  spike("a pool just large enough", market({ ...SPIKE, waiting: from(100, 300) }), [firing(mainnet, 303)]),
  spike("quiet: a small pool", market({ ...SPIKE, waiting: from(100, 299) }), never(420)),
  spike("quiet: blocks just have room", market({ ...SPIKE, usage: used(0.6, 900) }), never(420)),
  spike(
    "a gap of the scrapes amid the spike changes nothing",
    market({
      low: trace(hold(3000, CALM), hold(30_000, 30), gone(10), hold(30_000, 60)),
      waiting: trace(hold(20, CALM), hold(400, 30), gone(10), hold(400, 60)),
    }),
    firing(mainnet, 303, 325, 331, 335, 340, 345, 360),
  ),
  spike(
    "quiet: an outage, and the same market after it",
    market({
      low: trace(hold(3000, CALM), gone(120), hold(3000, 100)),
      waiting: trace(hold(40, CALM), gone(120), hold(40, 100)),
      usage: trace(used(0.72, CALM), gone(120), used(0.72, 100)),
    }),
    never(500),
  ),
  spike(
    "an outage during a spike ends it half an hour later",
    market({
      low: trace(hold(3000, CALM), hold(30_000, 30), gone(300)),
      waiting: trace(hold(20, CALM), hold(400, 30), gone(300)),
    }),
    [firing(mainnet, 329), firing(mainnet, 355), quiet(370, 420)],
  ),
  spike(
    "quiet: the first day has no baseline",
    market({ low: trace(hold(3000, 280), hold(90_000, 6)), waiting: trace(hold(20, 280), hold(400, 6)) }),
    never(286),
  ),
  spike(
    "a day of history is enough for a baseline",
    market({ low: trace(hold(3000, 1440), hold(90_000, 60)), waiting: trace(hold(20, 1440), hold(400, 60)) }),
    [quiet(1435), firing(mainnet, 1455)],
    5,
  ),
  spike(
    "quiet: less than a day of history is not",
    market({ low: trace(hold(3000, 1380), hold(90_000, 50)), waiting: trace(hold(20, 1380), hold(400, 50)) }),
    never(1430),
    5,
  ),
  spike(
    "quiet: a stuck cluster, fees up and nobody more waits",
    market({ ...SPIKE, waiting: hold(400, 1200) }),
    never(420),
  ),
  spike("quiet: a flood of cheap transactions", market({ low: hold(3000, 1200), waiting: from(40, 900) }), never(420)),
  spike(
    "a shift of the usual fee fires once, and is the usual after half a baseline",
    market({
      low: trace(hold(3000, 10_080), hold(12_000, 10_080)),
      waiting: trace(hold(100, 10_080), hold(400, 10_080)),
    }),
    [quiet(10_070), firing(mainnet, 10_100), firing(mainnet, 10_080 + 5000), quiet(10_080 + 5100, 10_080 + 10_000)],
    10,
  ),
  spike(
    "of two networks only the one with the spike",
    { ...market(SPIKE), ...market({ network: "testnet", low: hold(3000, 1200), waiting: from(150, 310) }) },
    [firing(mainnet, 303)],
  ),
  spike(
    "a flash of two minutes is none",
    market({ low: burst(3000, 90_000, 2), waiting: burst(20, 900, 2) }),
    never(340),
  ),
  spike(
    "a use of blocks that was seen a while ago counts, and when it has been unknown for long the rest decides",
    market({ ...SPIKE, usage: trace(used(0.16, CALM), gone(1000)) }),
    [quiet(303, 307), firing(mainnet, 308)],
  ),
];

const elevated = of("StacksFeeElevated");
const ELEVATED = { low: from(3000, 6150), waiting: from(40, 124) };
const elevations = [
  // The median over half an hour follows in the 16th minute.
  elevated(
    "a slow rise fires after twenty minutes, stays for an hour after its end",
    market({ low: burst(3000, 6150, 60), waiting: burst(40, 124, 60), usage: used(0.61, 900) }),
    [quiet(100, 319), firing(mainnet, 320), firing(mainnet, 419), quiet(421, 460)],
  ),
  elevated("without a known use of blocks", market(ELEVATED), [quiet(319), firing(mainnet, 320)]),
  elevated("quiet: a calm market", market({ low: hold(3000, 900), waiting: hold(40, 900) }), never(600)),
  elevated("quiet: just at the limit of the fee", market({ ...ELEVATED, low: from(3000, 6000) }), never(420)),
  elevated("quiet: just at the limit of the backlog", market({ ...ELEVATED, waiting: from(40, 120) }), never(420)),
  elevated("a pool just large enough", market({ ...ELEVATED, waiting: from(25, 100) }), [firing(mainnet, 320)]),
  elevated("quiet: a small pool", market({ ...ELEVATED, waiting: from(25, 99) }), never(420)),
  elevated("quiet: blocks just have room", market({ ...ELEVATED, usage: used(0.6, 900) }), never(420)),
  elevated(
    "quiet: an outage",
    market({ low: trace(hold(3000, CALM), gone(120), hold(3000, 100)), waiting: trace(hold(40, CALM), gone(220)) }),
    never(500),
  ),
  elevated(
    "a gap changes nothing",
    market({
      low: trace(hold(3000, CALM), hold(9000, 40), gone(10), hold(9000, 60)),
      waiting: trace(hold(20, CALM), hold(200, 40), gone(10), hold(200, 60)),
    }),
    firing(mainnet, 331, 345, 360),
  ),
  elevated("quiet: a stuck cluster", market({ ...ELEVATED, waiting: hold(200, 1200) }), never(420)),
  elevated(
    "of two networks only the one that rose",
    { ...market(ELEVATED), ...market({ network: "testnet", low: hold(3000, 1200), waiting: from(40, 124) }) },
    [firing(mainnet, 331)],
  ),
];

const backlog = of("StacksMempoolBacklog");
const BACKLOG = { low: hold(3000, 1200), waiting: from(60, 125) };
const backlogs = [
  backlog(
    "a flood of cheap transactions fires after ten minutes, stays for an hour after its end",
    market({ low: hold(3000, 900), waiting: burst(60, 125, 60), usage: used(0.61, 900) }),
    [quiet(100, 309), firing(mainnet, 310), firing(mainnet, 419), quiet(421, 450)],
  ),
  backlog("without a known use of blocks", market(BACKLOG), [quiet(309), firing(mainnet, 310)]),
  backlog("quiet: just at the limit", market({ ...BACKLOG, waiting: from(60, 120) }), never(420)),
  backlog("a pool just large enough", market({ ...BACKLOG, waiting: from(40, 100) }), [firing(mainnet, 310)]),
  backlog("quiet: a small pool", market({ ...BACKLOG, waiting: from(40, 99) }), never(420)),
  backlog("quiet: blocks just have room", market({ ...BACKLOG, usage: used(0.6, 900) }), never(420)),
  backlog(
    "quiet: calm, and a spike of fees alone",
    market({ low: from(3000, 90_000), waiting: hold(150, 1200) }),
    never(420),
  ),
  backlog("quiet: an outage", market({ waiting: trace(hold(150, CALM), gone(120), hold(150, 100)) }), never(500)),
  backlog(
    "a gap changes nothing",
    market({ waiting: trace(hold(20, CALM), hold(200, 20), gone(10), hold(200, 60)) }),
    firing(mainnet, 312, 325, 340, 360),
  ),
  backlog("quiet: the first day", market({ waiting: trace(hold(20, 280), hold(900, 6)) }), never(286)),
  backlog(
    "a day of history is enough for a baseline",
    market({ waiting: trace(hold(20, 1440), hold(200, 60)) }),
    [quiet(1440), firing(mainnet, 1460)],
    5,
  ),
  backlog(
    "a lasting backlog is the usual one after half a baseline",
    market({ waiting: trace(hold(20, 10_080), hold(200, 10_080)) }),
    [firing(mainnet, 10_080 + 5000), quiet(10_080 + 5130, 10_080 + 10_000)],
    10,
  ),
  backlog(
    "of two networks only the one with the flood",
    { ...market(BACKLOG), ...market({ network: "testnet", waiting: hold(150, 1200) }) },
    [firing(mainnet, 311)],
  ),
];

const topHeavy = of("StacksFeeTopHeavy");
const TOP = { low: hold(3000, 1200), high: from(6000, 151_000), waiting: hold(40, 1200) };
const topHeavies = [
  topHeavy(
    "a few very high fees fire after half an hour, and stay for half an hour",
    market({ ...TOP, high: burst(6000, 151_000, 60) }),
    [quiet(299, 329), firing(mainnet, 330), firing(mainnet, 389), quiet(391)],
  ),
  topHeavy("quiet: just at the limit of the spread", market({ ...TOP, high: from(6000, 150_000) }), never(400)),
  topHeavy(
    "quiet: low is up too, just at its limit",
    market({ ...TOP, low: from(3000, 4500), high: from(6000, 900_000) }),
    never(400),
  ),
  topHeavy("low a little up", market({ ...TOP, low: from(3000, 4400), high: from(6000, 900_000) }), [
    firing(mainnet, 334),
  ]),
  topHeavy("a pool just large enough", market({ ...TOP, waiting: hold(20, 1200) }), [firing(mainnet, 330)]),
  topHeavy("quiet: a small pool", market({ ...TOP, waiting: hold(19, 1200) }), never(400)),
  topHeavy("quiet: a spike", market({ ...TOP, low: from(3000, 30_000), high: from(6000, 9_000_000) }), never(400)),
  topHeavy(
    "quiet: an outage",
    market({
      low: trace(hold(3000, CALM), gone(200)),
      high: trace(hold(6000, CALM), gone(200)),
      waiting: hold(40, 600),
    }),
    never(480),
  ),
  topHeavy(
    "of two networks only one",
    {
      ...market(TOP),
      ...market({ network: "testnet", low: hold(3000, 1200), high: hold(6000, 1200), waiting: hold(40, 1200) }),
    },
    [firing(mainnet, 331)],
  ),
];

const stuck = of("StacksMempoolStuckCluster");
const STUCK = { low: from(3000, 9150), waiting: hold(40, 1200), usage: used(0.47, 1200) };
const stucks = [
  stuck(
    "idle blocks under high fees fire after a quarter of an hour, and stay for half an hour",
    market({ low: burst(3000, 9150, 60), waiting: burst(20, 90, 60), usage: used(0.47, 1200) }),
    [quiet(299, 316), firing(mainnet, 317), firing(mainnet, 390), quiet(392)],
  ),
  stuck("without a known use of blocks, as long as nobody more waits", market({ ...STUCK, usage: undefined }), [
    quiet(316),
    firing(mainnet, 317),
  ]),
  stuck("the backlog just below its limit", market({ ...STUCK, waiting: from(40, 59), usage: undefined }), [
    firing(mainnet, 317),
  ]),
  stuck(
    "quiet: the backlog just at its limit",
    market({ ...STUCK, waiting: from(40, 60), usage: undefined }),
    never(400),
  ),
  stuck("quiet: blocks are just not idle, whatever waits", market({ ...STUCK, usage: used(0.48, 1200) }), never(400)),
  stuck("quiet: just at the limit of the fee", market({ ...STUCK, low: from(3000, 9000) }), never(400)),
  stuck("a pool just large enough", market({ ...STUCK, waiting: hold(20, 1200) }), [firing(mainnet, 317)]),
  stuck("quiet: a small pool", market({ ...STUCK, waiting: hold(19, 1200) }), never(400)),
  stuck(
    "quiet: a spike with full blocks",
    market({ ...STUCK, waiting: from(40, 400), usage: used(0.72, 1200) }),
    never(400),
  ),
  stuck("quiet: calm", market({ ...STUCK, low: hold(3000, 1200) }), never(400)),
  stuck(
    "quiet: an outage",
    market({ low: trace(hold(3000, CALM), gone(200)), waiting: trace(hold(40, CALM), gone(200)) }),
    never(480),
  ),
  stuck(
    "of two networks only the one with the cluster",
    {
      ...market(STUCK),
      ...market({ network: "testnet", low: from(3000, 30_000), waiting: from(40, 400), usage: used(0.72, 1200) }),
    },
    [firing(mainnet, 320)],
  ),
];

const low = of("StacksFeesLow");
const LOW = { low: from(3000, 2050), waiting: hold(40, 1200) };
const lows = [
  low("low fees fire after half an hour, and stay for an hour", market({ ...LOW, low: burst(3000, 2050, 60) }), [
    quiet(299, 344),
    firing(mainnet, 345),
    firing(mainnet, 434),
    quiet(436),
  ]),
  low("quiet: just at the limit", market({ ...LOW, low: from(3000, 2100) }), never(420)),
  low("a pool just large enough", market({ ...LOW, waiting: hold(20, 1200) }), [firing(mainnet, 345)]),
  low("quiet: a small pool", market({ ...LOW, waiting: hold(19, 1200) }), never(420)),
  low(
    "quiet: nothing waits, so no fee is known",
    market({ low: trace(hold(3000, CALM), gone(200)), waiting: hold(40, 900) }),
    never(480),
  ),
  low(
    "of two networks only one",
    { ...market(LOW), ...market({ network: "testnet", low: hold(3000, 1200), waiting: hold(40, 1200) }) },
    [firing(mainnet, 346)],
  ),
];

const absolute = of("StacksFeeAbsolute");
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

const own = of("StacksOwnFeeAboveMarket");
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
    "quiet: the market was as dear when they were paid",
    { ...payments(THREE), [price("contract_call")]: trace(hold(60_000, 145), hold(100, 300)) },
    quiet(135, 140, 145, 150, 160),
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
