// Alerts on the increase of a counter within the last hour. They are alike, and so are their scenarios.
import { gone, hold, missing, type Scenario, trace } from "../../support/promtool.ts";
import { firing, forAlert, never, quiet, target } from "./builder.ts";

interface Happening {
  readonly alert: string;
  /** The counter with its labels but those of the target. */
  readonly metric: string;
  readonly labels: string;
  /** Minutes of `for`. */
  readonly for: number;
  /** Minutes of the window. */
  readonly window: number;
  /** Minimum increase. */
  readonly min?: number;
  /** The group of its address. @default it is not of an address */
  readonly group?: string;
  /** Other series that it needs, of a network. */
  readonly beside?: (network: string) => Readonly<Record<string, string>>;
}

const HAPPENINGS: readonly Happening[] = [
  { alert: "StacksChainBlocksSkipped", metric: "stacks_chain_skipped_blocks_total", labels: "", for: 2, window: 60 },
  {
    alert: "StacksContractEventsGap",
    metric: "stacks_contract_events_gap_total",
    labels: 'name="oracle", contract_id="SP1.oracle", ',
    for: 2,
    window: 60,
  },
  {
    alert: "StacksContractEventsReverted",
    metric: "stacks_contract_reverted_events_total",
    labels: 'name="oracle", contract_id="SP1.oracle", ',
    for: 2,
    window: 60,
  },
  {
    alert: "StacksContractEventsGap",
    metric: "stacks_contract_calls_gap_total",
    labels: 'name="oracle", contract_id="SP1.oracle", ',
    for: 2,
    window: 60,
  },
  {
    alert: "StacksContractEventsReverted",
    metric: "stacks_contract_reverted_calls_total",
    labels: 'name="oracle", contract_id="SP1.oracle", ',
    for: 2,
    window: 60,
  },
  {
    alert: "StacksAddressContractDeployed",
    metric: "stacks_address_transactions_total",
    labels: 'tx_type="smart_contract", tx_status="success", direction="sent", name="payer", address="SP1", ',
    for: 1,
    window: 60,
    group: "users",
  },
  {
    alert: "StacksAddressGap",
    metric: "stacks_address_gap_transactions_total",
    labels: 'name="payer", address="SP1", ',
    for: 2,
    window: 60,
    group: "users",
  },
  {
    alert: "StacksAddressReverted",
    metric: "stacks_address_reverted_transactions_total",
    labels: 'name="payer", address="SP1", ',
    for: 2,
    window: 60,
    group: "users",
  },
  {
    alert: "StacksAddressCountingRepaired",
    metric: "stacks_address_irregularities_total",
    labels: 'kind="impossible_height", name="payer", address="SP1", ',
    for: 2,
    window: 60,
    group: "users",
  },
  {
    alert: "StacksAddressUnprotectedTransaction",
    metric: "stacks_address_unprotected_transactions_total",
    labels: 'tx_type="contract_call", name="payer", address="SP1", ',
    for: 2,
    window: 60,
    group: "users",
    beside: (network) => ({
      [`stacks_address_post_conditions_required{name="payer", address="SP1", ${target(network)}}`]: hold(1, 500),
    }),
  },
  {
    alert: "StacksSchemaDrift",
    metric: "stacks_exporter_unexpected_payload_total",
    labels: 'operation="mempool_stats", field="tx_ages", kind="missing", ',
    for: 10,
    window: 60,
  },
  {
    alert: "StacksUpstreamRateLimited",
    metric: "stacks_exporter_upstream_pauses_total",
    labels: "",
    for: 2,
    window: 60,
    min: 3,
  },
  {
    alert: "StacksLabelOverflow",
    metric: "stacks_contract_call_label_overflow_total",
    labels: 'name="oracle", contract_id="SP1.oracle", ',
    for: 2,
    window: 60,
  },
  {
    alert: "StacksLabelOverflow",
    metric: "stacks_address_label_overflow_total",
    labels: 'asset_class="ft", name="payer", address="SP1", ',
    for: 2,
    window: 60,
    group: "users",
  },
];

const OF_ADDRESS = 'name="payer", address="SP1", ';

function scenariosOf({
  alert,
  metric,
  labels,
  for: pending,
  window,
  min = 1,
  group,
  beside = () => ({}),
}: Happening): Scenario[] {
  // An alert can have several counters.
  const it: ReturnType<typeof forAlert> = (name, ...rest) => forAlert(alert)(`${metric}: ${name}`, ...rest);
  /** The counter, and the address that it is of, which is on the page since the first or another minute. */
  const total = (values: string, network = "mainnet", known = hold(1, 500)): Readonly<Record<string, string>> => ({
    [`${metric}{${labels}${target(network)}}`]: values,
    ...beside(network),
    ...(group === undefined
      ? {}
      : { [`stacks_address_info{${OF_ADDRESS}group="${group}", kind="account", ${target(network)}}`]: known }),
  });
  const once = trace(hold(7, 100), hold(7 + min, 400));
  const appears = trace(missing(100), hold(min, 400));
  const restarts = (then: string, minutes: number) => trace(hold(1, 100), gone(minutes), then);
  return [
    it("it happened: fires as long as that is within the window", total(once), [
      quiet(99, 100 + pending - 1),
      firing({ network: "mainnet" }, 100 + pending, 99 + window),
      // Then the last sample before the step leaves the window.
      quiet(100 + window, 300),
    ]),
    it("quiet: nothing happens", total(hold(7, 300)), [never(290)]),
    it(
      "quiet: the counter is there with a past",
      total(trace(missing(100), hold(50, 200)), "mainnet", trace(missing(100), hold(1, 200))),
      [never(290)],
    ),
    it(
      "quiet: the exporter restarts at zero",
      total(trace(hold(50, 100), gone(3), hold(0, 200)), "mainnet", restarts(hold(1, 200), 3)),
      [never(290)],
    ),
    it(
      "quiet: a gap of the scrapes",
      total(trace(hold(50, 100), gone(30), hold(50, 200)), "mainnet", restarts(hold(1, 200), 30)),
      [never(290)],
    ),
    ...(min > 1
      ? [it("quiet: it happened too rarely", total(trace(hold(7, 100), hold(6 + min, 300))), [never(290)])]
      : []),
    it("of two networks only one", { ...total(once), ...total(hold(7, 400), "testnet") }, [
      firing({ network: "mainnet" }, 130),
    ]),
    ...(group === undefined
      ? []
      : [
          it("it happened for the first time: the series appears", total(appears), [
            quiet(99, 100 + pending - 1),
            firing({ network: "mainnet" }, 100 + pending, 99 + window),
            quiet(100 + window, 300),
          ]),
          it(
            "the series appears after the address, by less than the window",
            total(appears, "mainnet", trace(missing(50), hold(1, 450))),
            [quiet(50 + window + pending - 1), firing({ network: "mainnet" }, 50 + window + pending, 99 + window)],
          ),
          it(
            "quiet: the series of one address appears with the other address",
            {
              ...total(appears, "mainnet", trace(missing(100), hold(1, 400))),
              [`stacks_address_info{name="safe", address="SP2", group="${group}", kind="account", ${target()}}`]: hold(
                1,
                500,
              ),
            },
            [never(290)],
          ),
        ]),
  ];
}

/** Every scenario of these alerts. */
export const totalScenarios: readonly Scenario[] = HAPPENINGS.flatMap(scenariosOf);
