// Upstreams in traces.
import { gone, hold, missing, type Scenario, trace } from "../../support/promtool.ts";
import { firing, forAlert, never, quiet, target } from "./builder.ts";

const mainnet = { network: "mainnet" };

const up = (upstream: string, values: string, network = "mainnet") => ({
  [`stacks_exporter_upstream_up{upstream="${upstream}", ${target(network)}}`]: values,
});

const none = forAlert("StacksNoUpstreamUp");
const nones = [
  none(
    "the only upstream fails: it fires after five minutes, and stays for five",
    up("default", trace(hold(1, 20), hold(0, 40), hold(1, 40))),
    [quiet(0, 19, 24), firing(mainnet, 25, 59, 64), quiet(65, 90)],
  ),
  none(
    "both fail, one after the other",
    { ...up("a", trace(hold(1, 20), hold(0, 80))), ...up("b", trace(hold(1, 40), hold(0, 60))) },
    [quiet(30, 44), firing(mainnet, 45, 90)],
  ),
  none(
    "quiet: no poll succeeds, which is another alert",
    { ...up("default", hold(0, 100)), [`stacks_up{${target("mainnet")}}`]: trace(hold(0, 60), hold(1, 40)) },
    [never(59), firing(mainnet, 70, 90)],
  ),
  none("quiet: one of two can be used", { ...up("a", hold(0, 100)), ...up("b", hold(1, 100)) }, [never(90)]),
  none("quiet: four minutes", up("default", trace(hold(1, 20), hold(0, 4), hold(1, 70))), [never(90)]),
  none(
    "quiet: nothing is known yet, or the exporter is gone",
    up("default", trace(missing(40), hold(1, 20), gone(40))),
    [never(95)],
  ),
  none("of two networks only one", { ...up("default", hold(0, 60)), ...up("default", hold(1, 60), "testnet") }, [
    firing(mainnet, 30),
  ]),
];

const one = forAlert("StacksUpstreamUnavailable");
const own = { network: "mainnet", upstream: "own" };
const ones = [
  one(
    "one of two fails: it fires after an hour, and stays for ten minutes",
    { ...up("own", trace(hold(1, 20), hold(0, 100), hold(1, 60))), ...up("hiro", hold(1, 180)) },
    [quiet(20, 79), firing(own, 80, 119, 129), quiet(130, 170)],
  ),
  one("quiet: the only one fails, which is another alert", up("default", hold(0, 150)), [never(140)]),
  one("quiet: both fail, which is another alert", { ...up("own", hold(0, 150)), ...up("hiro", hold(0, 150)) }, [
    never(140),
  ]),
  one("quiet: both can be used", { ...up("own", hold(1, 150)), ...up("hiro", hold(1, 150)) }, [never(140)]),
  one("quiet: just under an hour", { ...up("own", trace(hold(0, 59), hold(1, 60))), ...up("hiro", hold(1, 120)) }, [
    never(110),
  ]),
];

const disagree = forAlert("StacksUpstreamsDisagree");
const disagreements = (values: string, upstream = "hiro", network = "mainnet") => ({
  [`stacks_exporter_upstream_disagreements_total{upstream="${upstream}", ${target(network)}}`]: values,
});
const disagreed = [
  disagree("one comparison fires for two hours", disagreements(trace(hold(0, 30), hold(1, 240))), [
    quiet(29, 30),
    firing(mainnet, 31, 90, 148),
    quiet(151, 240),
  ]),
  disagree(
    "of two upstreams that both disagree there is one alert",
    {
      ...disagreements(trace(hold(0, 30), hold(1, 60))),
      ...disagreements(trace(hold(0, 30), hold(1, 60)), "third"),
    },
    [firing(mainnet, 40)],
  ),
  disagree("quiet: they agree", { ...disagreements(hold(0, 200)), ...disagreements(hold(3, 200), "third") }, [
    never(190),
  ]),
  disagree(
    "of two networks only one",
    { ...disagreements(trace(hold(0, 30), hold(1, 60))), ...disagreements(hold(0, 90), "hiro", "testnet") },
    [firing(mainnet, 60)],
  ),
];

/** Every scenario about upstreams. */
export const upstreamScenarios: readonly Scenario[] = [...nones, ...ones, ...disagreed];
