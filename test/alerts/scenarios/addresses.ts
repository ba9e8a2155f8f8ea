// Watched addresses in traces.
import { climb, gone, hold, missing, type Scenario, trace } from "../../support/promtool.ts";
import { firing, forAlert, never, quiet, target } from "./builder.ts";

const who = 'name="payer", address="SP1"';
const payer = { network: "mainnet", name: "payer", address: "SP1" };
const series = (metric: string, values: string, labels = "", network = "mainnet") => ({
  [`${metric}{${labels}${who}, ${target(network)}}`]: values,
});
const info = (group: string, values = hold(1, 3000), network = "mainnet") =>
  series("stacks_address_info", values, `group="${group}", kind="account", `, network);
const active = (values: string, network = "mainnet", interval = 60) => ({
  [`stacks_exporter_collector_targets{collector="addresses", state="active", ${target(network)}}`]: values,
  [`stacks_exporter_collector_interval_seconds{collector="addresses", ${target(network)}}`]: hold(interval, 20_000),
});

const sent = (values: string, network = "mainnet") => series("stacks_address_sent_microstx_total", values, "", network);
/** A steady flow of a tenth of a thousand STX a minute for five hours, and then that much at once. */
const flow = (atOnce: number) => trace(climb(0, 1e8, 300), climb(300e8 + atOnce, 1e8, 500));

/** Every flow is of an address that is polled once a minute. */
const ofPolled =
  (interval: number) =>
  (...[name, flow, expect, every]: Parameters<ReturnType<typeof forAlert>>) =>
    forAlert("StacksAddressOutflowUnusual")(
      name,
      { ...active(hold(1, 20_000)), ...active(hold(1, 20_000), "mainnet", interval), ...flow },
      expect,
      every,
    );
const unusual = ofPolled(60);
const unusualFlows = [
  unusual("eleven times the usual fires after five minutes, and half an hour after its hour", sent(flow(5.41e10)), [
    quiet(299, 304),
    firing(payer, 305, 359, 389),
    quiet(390, 450),
  ]),
  unusual("quiet: just ten times the usual", sent(flow(5.4e10)), [never(450)]),
  unusual("who never sends: a little more than the least", sent(trace(hold(0, 300), hold(1.01e10, 200))), [
    quiet(304),
    firing(payer, 305),
  ]),
  unusual("quiet: who never sends, just the least", sent(trace(hold(0, 300), hold(1e10, 200))), [never(450)]),
  unusual("quiet: always the same large flow", sent(climb(0, 1e10, 800)), [never(700)]),
  unusual("quiet: the first day has no baseline", sent(trace(hold(0, 280), hold(9e10, 6))), [never(285)]),
  unusual("quiet: an outage", sent(trace(climb(0, 1e8, 300), gone(120), climb(420e8, 1e8, 200))), [never(600)]),
  unusual("a gap changes nothing", sent(trace(climb(0, 1e8, 300), hold(2e11, 20), gone(10), hold(2e11, 100))), [
    firing(payer, 306, 319, 325, 335, 350),
  ]),
  unusual("quiet: the exporter restarts without state", sent(trace(climb(0, 1e8, 300), gone(3), climb(0, 1e8, 200))), [
    never(480),
  ]),
  unusual("quiet: twice within two hours", sent(trace(hold(0, 300), hold(6e9, 80), hold(12e9, 100))), [never(470)]),
  unusual("twice within an hour", sent(trace(hold(0, 300), hold(6e9, 40), hold(12e9, 100))), [
    quiet(344),
    firing(payer, 345),
  ]),
  unusual(
    "quiet: twice within two hours, on top of what is usual",
    sent(trace(climb(0, 1e8, 300), climb(600e8, 1e8, 80), climb(980e8, 1e8, 200))),
    [never(500)],
  ),
  unusual(
    "a usual flow that is not renewed is good for a quarter of an hour",
    {
      ...sent(climb(0, 1e9, 200)),
      [`stacks:address_sent_microstx:baseline7d{${who}, ${target()}}`]: trace(hold(1e9, 70), missing(100)),
    },
    // Its last sample is at minute 69.
    [firing(payer, 40, 84, 114), quiet(115, 150)],
  ),
  ofPolled(3600)("once an hour is often enough", sent(flow(9e10)), [firing(payer, 305)]),
  ofPolled(3601)("quiet: a step is the outflow of more than an hour", sent(flow(9e10)), [never(450)]),
  unusual(
    "of two networks only one",
    { ...active(hold(1, 900), "testnet"), ...sent(flow(9e10)), ...sent(climb(0, 1e8, 800), "testnet") },
    [firing({ network: "mainnet" }, 310)],
  ),
];
const unusualDays = ofPolled(60);
const longFlows = [
  unusualDays(
    "a new level is the usual one after half a baseline",
    sent(trace(climb(0, 1e8, 10_080), climb(10_080e8, 20e8, 10_080))),
    [firing(payer, 10_200, 10_080 + 5000), quiet(10_070, 10_080 + 5200, 10_080 + 9000)],
    10,
  ),
  unusualDays(
    "a day of history is enough for a baseline",
    // There is an increase from minute 5 on; the 288th sample is at minute 1440.
    sent(trace(climb(0, 1e8, 1430), climb(3000e8, 1e8, 100))),
    [quiet(1440), firing(payer, 1445)],
    5,
  ),
  unusualDays(
    "quiet: less than a day is not",
    sent(trace(climb(0, 1e8, 1380), climb(3000e8, 1e8, 100))),
    [never(1430)],
    5,
  ),
];

const TOKEN = "SM3VDXK3WZZSA84XXFKAFAF15NNZX32CTSG82JFQ4.sbtc-token::sbtc-token";
const outflow = (values: string, limit = hold(1e11, 500), network = "mainnet") => ({
  ...series("stacks_address_outflow_microstx", values, "", network),
  ...series("stacks_address_max_outflow_microstx", limit, "", network),
});
const tokenOutflow = (values: string, asset = TOKEN) =>
  series("stacks_address_ft_outflow_units", values, `asset="${asset}", `);
const tokenLimit = (values: string, asset = TOKEN) =>
  series("stacks_address_ft_max_outflow_units", values, `asset="${asset}", `);
const inStx = { ...payer, asset: "stx" };

const high = forAlert("StacksAddressOutflowHigh");
const highFlows = [
  high(
    "more than the limit fires after a minute, on the first day too, and stays for a quarter of an hour",
    outflow(trace(hold(0, 10), hold(1e11 + 1, 60), hold(0, 60))),
    [quiet(9, 10), firing(inStx, 11, 69, 84), quiet(85, 120)],
  ),
  high("quiet: just the limit", outflow(hold(1e11, 200)), [never(190)]),
  high("quiet: no limit", series("stacks_address_outflow_microstx", hold(9e12, 200)), [never(190)]),
  high("quiet: no outflow is known", series("stacks_address_max_outflow_microstx", hold(1, 200)), [never(190)]),
  high("quiet: a flow of a minute that is usual, below the limit", outflow(trace(hold(5e10, 100), hold(9e10, 100))), [
    never(190),
  ]),
  high("a limit that is lowered", outflow(hold(6e10, 200), trace(hold(1e11, 100), hold(5e10, 100))), [
    quiet(100),
    firing(inStx, 101),
  ]),
  high(
    "polled every six hours, it fires until the next poll",
    outflow(trace(hold(0, 30), hold(3e11, 360), hold(0, 60))),
    [quiet(29, 30), firing(inStx, 31, 200, 389, 404), quiet(405)],
  ),
  high("a gap changes nothing", outflow(trace(hold(2e11, 30), gone(10), hold(2e11, 30))), [firing(inStx, 1, 35, 60)]),
  high("a token", { ...tokenOutflow(trace(hold(10, 50), hold(11, 50))), ...tokenLimit(hold(10, 100)) }, [
    quiet(50),
    firing({ ...payer, asset: TOKEN }, 51),
  ]),
  high(
    "quiet: another token, without a limit",
    { ...tokenOutflow(hold(10, 200)), ...tokenLimit(hold(10, 200)), ...tokenOutflow(hold(99, 200), "SP2.x::x") },
    [never(190)],
  ),
  high("STX and a token", { ...outflow(hold(2e11, 60)), ...tokenOutflow(hold(2, 60)), ...tokenLimit(hold(1, 60)) }, [
    { at: 10, firing: [inStx, { ...payer, asset: TOKEN }] },
  ]),
  high(
    "of two networks only one",
    { ...outflow(hold(2e11, 60)), ...outflow(hold(2e11, 60), hold(3e11, 60), "testnet") },
    [firing({ network: "mainnet" }, 10)],
  ),
];

const silent = forAlert("StacksAddressSilent");
const last = (values: string, network = "mainnet", direction = "sent") =>
  series("stacks_address_last_transaction_timestamp_seconds", values, `direction="${direction}", `, network);
const one = active(hold(1, 3000));
const silentAfter = (values = hold(7200, 300), network = "mainnet") =>
  series("stacks_address_silent_after_seconds", values, "", network);
const silences = [
  silent(
    "two hours of silence and a minute between polls fire after five minutes, and stay for ten when it sends again",
    { ...last(trace(hold(0, 150), climb(9000, 60, 100))), ...silentAfter(), ...one },
    [quiet(120, 126), firing(payer, 127, 149, 159), quiet(160, 240)],
  ),
  silent("quiet: it sends", { ...last(climb(0, 60, 300)), ...silentAfter(), ...one }, [never(290)]),
  silent("quiet: just two hours", { ...last(climb(-7200, 60, 300)), ...silentAfter(), ...one }, [never(290)]),
  silent(
    "it only receives",
    { ...last(hold(0, 300)), ...last(climb(0, 60, 300), "mainnet", "received"), ...silentAfter(), ...one },
    [firing(payer, 200)],
  ),
  silent(
    "between two polls it may have sent",
    { ...last(hold(0, 300)), ...silentAfter(), ...active(hold(1, 300), "mainnet", 3600) },
    [quiet(185), firing(payer, 186)],
  ),
  silent("quiet: it need not send", { ...last(hold(0, 300)), ...one }, [never(290)]),
  silent(
    "quiet: no target is polled with success",
    { ...last(hold(0, 300)), ...silentAfter(), ...active(hold(0, 300)) },
    [never(290)],
  ),
  silent(
    "quiet: an outage",
    { ...last(trace(climb(0, 60, 100), gone(200))), ...silentAfter(trace(hold(7200, 100), gone(200))), ...one },
    [never(290)],
  ),
  silent("its own limit", { ...last(hold(0, 300)), ...silentAfter(hold(3600, 300)), ...one }, [
    quiet(66),
    firing(payer, 67),
  ]),
  silent("quiet: it has never sent", { ...silentAfter(), ...one }, [never(290)]),
  silent(
    "of two networks only one",
    {
      ...last(hold(0, 300)),
      ...silentAfter(),
      ...one,
      ...last(climb(0, 60, 300), "testnet"),
      ...silentAfter(hold(7200, 300), "testnet"),
      ...active(hold(1, 300), "testnet"),
    },
    [firing({ network: "mainnet" }, 200)],
  ),
];

const failing = forAlert("StacksAddressTransactionsFailing");
const count = (tx_status: string, values: string, direction = "sent", network = "mainnet") =>
  series(
    "stacks_address_transactions_total",
    values,
    `tx_type="contract_call", tx_status="${tx_status}", direction="${direction}", `,
    network,
  );
const step = (by: number) => trace(hold(5, 100), hold(5 + by, 300));
const outcomes = (bad: number, good: number) => ({
  ...count("abort_by_response", step(bad)),
  ...count("success", step(good)),
});
const failures = [
  failing("31 of 100 fire after five minutes, and half an hour after their hour", outcomes(31, 69), [
    quiet(99, 104),
    firing(payer, 105, 159, 189),
    quiet(190, 250),
  ]),
  failing("quiet: just three in ten", outcomes(30, 70), [never(250)]),
  failing("three of three", outcomes(3, 0), [firing(payer, 105)]),
  failing("quiet: two of two", outcomes(2, 0), [never(250)]),
  failing(
    "both kinds of failure count",
    {
      ...count("abort_by_response", step(2)),
      ...count("abort_by_post_condition", step(1)),
      ...count("success", step(3)),
    },
    [firing(payer, 105)],
  ),
  failing(
    "quiet: what others sent to it failed",
    {
      ...count("abort_by_response", step(50), "received"),
      ...count("success", step(5)),
      ...count("abort_by_response", hold(5, 300)),
    },
    [never(250)],
  ),
  failing(
    "quiet: the failures of an hour against the successes of that hour",
    {
      ...count("abort_by_response", trace(hold(0, 100), hold(50, 100), hold(53, 100))),
      ...count("success", trace(hold(0, 200), hold(100, 100))),
    },
    [quiet(190, 195, 206, 215, 219)],
  ),
  failing(
    "successes before the hour do not count",
    {
      ...count("abort_by_response", step(31)),
      ...count("success", trace(hold(0, 20), hold(1000, 80), hold(1069, 300))),
    },
    [firing(payer, 105)],
  ),
  failing(
    "successes within the hour do",
    { ...count("abort_by_response", step(31)), ...count("success", trace(hold(0, 60), hold(200, 300))) },
    [quiet(105, 119, 124), firing(payer, 125)],
  ),
  failing(
    "quiet: three failures in more than an hour",
    count("abort_by_response", trace(hold(0, 100), hold(2, 70), hold(3, 100))),
    [never(260)],
  ),
  failing(
    "three failures within the hour",
    count("abort_by_response", trace(hold(0, 100), hold(2, 40), hold(3, 100))),
    [quiet(144), firing(payer, 145)],
  ),
  failing("quiet: nothing is sent", { ...outcomes(0, 0), ...info("users") }, [never(250)]),
  failing(
    "the first three failures: their series appears",
    { ...count("abort_by_response", trace(missing(100), hold(3, 300))), ...info("users") },
    [quiet(104), firing(payer, 105, 159, 189), quiet(190, 250)],
  ),
  failing(
    "quiet: the series of the successes appears, too",
    {
      ...count("abort_by_response", trace(missing(100), hold(3, 300))),
      ...count("success", trace(missing(100), hold(7, 300))),
      ...info("users"),
    },
    [never(250)],
  ),
  failing(
    "quiet: the series appears with the address",
    {
      ...count("abort_by_response", trace(missing(100), hold(50, 300))),
      ...info("users", trace(missing(100), hold(1, 300))),
    },
    [never(250)],
  ),
  failing(
    "quiet until the address is known for the window",
    {
      ...count("abort_by_response", trace(missing(100), hold(50, 300))),
      ...count("success", trace(hold(5, 100), hold(6, 300))),
      ...info("users", trace(missing(50), hold(1, 350))),
    },
    [quiet(114), firing(payer, 115, 159)],
  ),
  failing(
    "quiet: there were failures before",
    { ...count("abort_by_response", trace(hold(50, 300))), ...count("success", hold(5, 300)), ...info("users") },
    [never(250)],
  ),
  failing(
    "of two networks only one",
    { ...outcomes(50, 0), ...count("abort_by_response", hold(9, 300), "sent", "testnet") },
    [firing({ network: "mainnet" }, 110)],
  ),
];

const fresh = forAlert("StacksAddressNewAsset");
const received = (metric: string, values: string, asset = "SP2.token", direction = "in", network = "mainnet") =>
  series(metric, values, `asset="${asset}", direction="${direction}", `, network);
const FT = "stacks_address_ft_transfers_total";
const NFT = "stacks_address_nft_transfers_total";
const DAY = 1440;
const known = info("users", hold(1, 2 * DAY));
const arrives = (at: number) => trace(missing(at), hold(1, 500));
const newAssets = [
  ...[FT, NFT].map((metric) =>
    fresh(
      `a first ${metric === FT ? "token" : "collectible"} fires after two minutes, for an hour`,
      { ...known, ...received(metric, arrives(DAY + 20)) },
      [
        quiet(DAY + 19, DAY + 21),
        firing({ ...payer, asset: "SP2.token" }, DAY + 22, DAY + 79),
        quiet(DAY + 80, DAY + 200),
      ],
    ),
  ),
  fresh(
    "quiet: it had received it before",
    { ...known, ...received(FT, trace(hold(3, DAY - 200), gone(220), hold(1, 300))) },
    [never(DAY + 250)],
  ),
  fresh(
    "quiet: it only sent it",
    {
      ...known,
      ...received(FT, arrives(DAY + 20), "SP2.token", "out"),
      ...received(FT, trace(missing(DAY + 20), hold(0, 300))),
    },
    [never(DAY + 250)],
  ),
  fresh("quiet: a token beyond the bound", { ...known, ...received(FT, arrives(DAY + 20), "other") }, [
    never(DAY + 250),
  ]),
  ...(
    [
      ["token", FT],
      ["collectible", NFT],
    ] as const
  ).flatMap(([what, metric]) => [
    fresh(
      `quiet: a series of a ${what} that is there and counts nothing`,
      { ...known, ...received(metric, trace(missing(DAY + 20), hold(0, 400))) },
      [never(DAY + 250)],
    ),
    fresh(
      `a ${what} that had not been received an hour before is new`,
      { ...known, ...received(metric, trace(hold(0, DAY + 20), hold(1, 300))) },
      [quiet(DAY + 21), firing({ ...payer, asset: "SP2.token" }, DAY + 22)],
    ),
    fresh(
      `a ${what} that vanishes counts for three minutes more`,
      { ...known, ...received(metric, trace(missing(DAY + 20), hold(1, 5), gone(200))) },
      // The last sample is at minute 24 of the day, and seen until 27.
      [firing({ ...payer, asset: "SP2.token" }, DAY + 27), quiet(DAY + 28, DAY + 60)],
    ),
    fresh(
      `quiet: a ${what} that was there within the last week`,
      { ...known, ...received(metric, trace(hold(1, 30), gone(DAY), hold(1, 200))) },
      [never(DAY + 220)],
    ),
  ]),
  ...[FT, NFT].flatMap((metric) => [
    fresh(
      `quiet: an address that is watched since today (${metric})`,
      { ...info("users", trace(missing(120), hold(1, DAY))), ...received(metric, arrives(DAY + 20)) },
      [never(DAY + 58)],
    ),
    fresh(
      `an address that was watched a day ago (${metric})`,
      { ...info("users", trace(hold(1, 90), missing(DAY), hold(1, 100))), ...received(metric, arrives(DAY + 100)) },
      // The day starts within an hour in which it was known: until minute DAY + 149.
      [firing(payer, DAY + 103, DAY + 148), quiet(DAY + 150)],
    ),
  ]),
  fresh(
    "quiet: the exporter was away for a day",
    { ...known, ...received(FT, trace(hold(3, 200), gone(DAY), hold(1, 100))) },
    [never(DAY + 280)],
  ),
  fresh(
    "of two networks only one",
    {
      ...known,
      ...info("users", hold(1, 2 * DAY), "testnet"),
      ...received(FT, arrives(DAY + 20)),
      ...received(FT, hold(8, 2 * DAY), "SP2.token", "in", "testnet"),
    },
    [firing({ network: "mainnet" }, DAY + 30)],
  ),
];
const freshDays = forAlert("StacksAddressNewAsset");
const forgotten = [FT, NFT].map((metric) =>
  freshDays(
    `what was received more than a week ago is new again, what was within it is not (${metric})`,
    {
      ...info("users", hold(1, 15 * DAY)),
      // Both away since the first day; one is back after six days, the other after eight.
      ...received(metric, trace(hold(1, 30), gone(6 * DAY), hold(1, 9 * DAY)), "SP2.six"),
      ...received(metric, trace(hold(1, 30), gone(8 * DAY), hold(1, 6 * DAY)), "SP2.eight"),
    },
    [quiet(6 * DAY + 60), firing({ ...payer, asset: "SP2.eight" }, 8 * DAY + 60), quiet(8 * DAY + 120)],
    10,
  ),
);

const sponsor = forAlert("StacksSponsorFeesHigh");
const fees = (values: string, role = "sponsor", network = "mainnet") =>
  series("stacks_address_fees_paid_microstx_total", values, `tx_type="contract_call", role="${role}", `, network);
const sponsors = [
  sponsor(
    "more than the budget of a day fires after five minutes, and an hour after its day",
    fees(trace(hold(0, 100), hold(50_100_000, 1700))),
    [quiet(99, 104), firing(payer, 105, 99 + DAY, 99 + DAY + 60), quiet(100 + DAY + 60, 1700)],
  ),
  sponsor(
    "the first fee as a sponsor exceeds the budget: its series appears",
    { ...fees(trace(missing(DAY + 100), hold(50_100_000, 1700))), ...info("users") },
    [quiet(DAY + 104), firing(payer, DAY + 105, 2 * DAY + 99, 2 * DAY + 159), quiet(2 * DAY + 160)],
  ),
  sponsor(
    "quiet until the address is known for a day",
    { ...fees(trace(missing(100), hold(50_100_000, 1700))), ...info("users", trace(missing(50), hold(1, 3000))) },
    [quiet(DAY + 54), firing(payer, DAY + 55, DAY + 99)],
  ),
  sponsor("quiet: it was paid before", { ...fees(hold(90_000_000, 1700)), ...info("users") }, [never(1690)]),
  sponsor("quiet: just the budget", fees(trace(hold(0, 100), hold(50_000_000, 200))), [never(290)]),
  sponsor("quiet: its own fees", fees(trace(hold(0, 100), hold(90_000_000, 200)), "sender"), [never(290)]),
  sponsor(
    "of two networks only one",
    { ...fees(trace(hold(0, 100), hold(90_000_000, 200))), ...fees(hold(9e9, 300), "sponsor", "testnet") },
    [firing({ network: "mainnet" }, 110)],
  ),
];

const behind = forAlert("StacksAddressBehind");
const backlog = (values: string, network = "mainnet") =>
  series("stacks_address_backlog_transactions", values, "", network);
const behinds = [
  behind(
    "an hour of backlog fires, and stays for ten minutes",
    backlog(trace(hold(0, 10), hold(101, 90), hold(5, 60))),
    [quiet(69), firing(payer, 70, 99, 109), quiet(110)],
  ),
  behind("quiet: just at the limit", backlog(hold(100, 200)), [never(190)]),
  behind("quiet: an outage", backlog(trace(hold(0, 10), hold(300, 30), gone(100))), [never(130)]),
  behind("of two networks only one", { ...backlog(hold(300, 200)), ...backlog(hold(3, 200), "testnet") }, [
    firing({ network: "mainnet" }, 100),
  ]),
];

/** Every scenario of the address alerts that is not about a total of the last hour. */
export const addressScenarios: readonly Scenario[] = [
  ...unusualFlows,
  ...longFlows,
  ...highFlows,
  ...silences,
  ...failures,
  ...newAssets,
  ...forgotten,
  ...sponsors,
  ...behinds,
];
