// Two exporters of one network in a real Prometheus, one of them stale: what the dashboards answer, and what fires.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { rules } from "../alerts/rules.ts";
import { ScriptedServer } from "../api/scripted-server.ts";
import { dashboards, panelsOf } from "../support/dashboards.ts";
import { describeWith } from "../support/installed.ts";
import { until } from "../support/program.ts";
import { type Prometheus, startPrometheus } from "../support/prometheus.ts";

const CHAIN = ["blocks", "fees", "mempool", "mempool_transactions", "transactions"];
const NETWORK = 'network="m"';
const WALLET = `${NETWORK},name="hot",address="SP1"`;

interface View {
  /** Seconds since the last polls. */
  readonly age: number;
  /** Percentile 25 of the fees of mined calls, and the estimate. MicroSTX. */
  readonly fee: number;
  readonly waiting: number;
  /** MicroSTX. */
  readonly available: number;
  /** Counted transactions: each label set appears with its first value. */
  readonly sent?: number;
}

/** The page of an exporter with a usual fee of 3,000 and a minimum of 500 STX. */
const pageOf = ({ age, fee, waiting, available, sent }: View) => `
stacks_exporter_build_info{version="1",node_version="24"} 1
stacks_up{${NETWORK}} 1
${CHAIN.map((one) => `stacks_exporter_collector_last_success_timestamp_seconds{${NETWORK},collector="${one}"} ${Date.now() / 1000 - age}`).join("\n")}
stacks_chain_mined_fee_lowest_microstx{${NETWORK},tx_type="contract_call"} ${fee}
stacks_chain_mined_fee_baseline_microstx{${NETWORK},tx_type="contract_call",percentile="p25"} 3000
stacks_fee_estimate_microstx{${NETWORK},tx_type="contract_call",target="10m"} ${fee}
stacks_mempool_transactions{${NETWORK},tx_type="contract_call"} ${waiting}
stacks_address_info{${WALLET},group="",kind="account"} 1
stacks_address_sent_microstx_total{${WALLET}} 0
${sent === undefined ? "" : `stacks_address_transactions_total{${WALLET},tx_type="contract_call",tx_status="success",direction="sent"} ${sent}`}
stacks_address_available_balance_microstx{${WALLET}} ${available}
stacks_address_min_balance_microstx{${WALLET}} 500000000
`;
const SPIKE: View = { age: 1, fee: 30_000, waiting: 900, available: 400_000_000 };
const CALM: View = { age: 900, fee: 3000, waiting: 5, available: 900_000_000 };

/** The alerts without their waits, and what they read. */
const group = {
  name: "now",
  interval: "1s",
  rules: rules
    .filter(({ alert, record }) =>
      ["StacksFeeSpike", "StacksAddressBalanceLow", "stacks:chain_mined_fee_microstx:ratio"].includes(
        alert ?? record ?? "",
      ),
    )
    .map(({ for: _, keep_firing_for: __, ...rule }) => rule),
};

describeWith("prometheus")("two exporters of one network", () => {
  const ends = new AsyncDisposableStack();
  let prometheus: Prometheus;
  let views: Readonly<Record<string, View>>;

  beforeAll(async () => {
    const server = await ScriptedServer.start((response, { url }) => {
      response.setHeader("content-type", "text/plain; version=0.0.4");
      response.end(pageOf(views[url?.slice(1) ?? ""] as View));
    });
    ends.defer(() => server.close());
    views = { first: SPIKE, second: CALM };
    const jobs = ["first", "second"].map((name) => ({ job_name: name, metrics_path: `/${name}` }));
    prometheus = await startPrometheus(new URL(server.url).host, [group], jobs);
    ends.defer(() => prometheus.stop());
  });
  afterAll(() => ends.disposeAsync());

  /** The values of a query of a panel, with every exporter selected. */
  async function shown(uid: string, id: number, query: number): Promise<readonly number[]> {
    const panel = dashboards
      .filter((board) => board.uid === uid)
      .flatMap(panelsOf)
      .find((one) => one.id === id);
    const expr = panel?.targets?.[query]?.expr ?? "";
    const found = await prometheus.query(expr.replaceAll("$__range", "1m").replace(/\$\w+/g, ".*"));
    return found.map(({ value }) => Number(value?.[1]));
  }

  const firing = async () =>
    (await prometheus.query('ALERTS{alertstate="firing"}'))
      .map(({ metric }) => `${metric.alertname} ${metric.job}`)
      .sort();

  test("the answers are those of the freshest one, and every limit that fires is shown", async () => {
    await until(async () => (await firing()).length === 2 || undefined, "the alerts of the first one");
    expect(await firing()).toEqual(["StacksAddressBalanceLow first", "StacksFeeSpike first"]);
    expect(await shown("stacks-fees", 1, 0)).toEqual([10]);
    expect(await shown("stacks-fees", 3, 0)).toEqual([10]);
    expect((await shown("stacks-fees", 12, 0)).toSorted()).toEqual([0.003, 0.03]);
    expect(await shown("stacks-fees", 5, 0)).toEqual([900]);
    expect((await shown("stacks-fees", 13, 0))[0]).toBeLessThan(60);

    // The second one continues, and the first one does not.
    views = { first: { ...SPIKE, age: 900 }, second: { ...CALM, age: 1 } };
    // The first panel has a recorded value: it follows the scrape.
    await until(async () => (await shown("stacks-fees", 1, 0))[0] === 1 || undefined, "the ratio of the second one");
    expect(await shown("stacks-fees", 5, 0)).toEqual([5]);
    expect((await shown("stacks-fees", 12, 0)).toSorted()).toEqual([0.003, 0.003]);
    expect(await firing()).toContain("StacksAddressBalanceLow first");
    expect(await shown("stacks-addresses", 8, 1)).toEqual([1]);
    expect(await shown("stacks-addresses", 8, 2)).toEqual([1.25]);
  });

  test("transactions that are counted after the first poll of an exporter are shown, also in its first minutes", async () => {
    expect(await shown("stacks-addresses", 2, 0)).toEqual([]);
    views = { first: { ...CALM, sent: 3 }, second: CALM };
    await until(async () => (await shown("stacks-addresses", 2, 0))[0] === 3 || undefined, "the transactions");
    expect(await shown("stacks-addresses", 3, 0)).toEqual([0]);
  });
});
