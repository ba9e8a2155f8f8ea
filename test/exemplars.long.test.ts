// The transactions behind counters of watched principals, as exemplars: on the page, and in a real Prometheus.
import { expect, test } from "@jest/globals";
import { minedBelowTip, stillSimulator } from "./simulator/support.ts";
import { Exporter } from "./support/exporter.ts";
import { describeWith } from "./support/installed.ts";
import { Page } from "./support/page.ts";
import { until } from "./support/program.ts";
import { startPrometheus } from "./support/prometheus.ts";

const SENT = "stacks_address_sent_microstx_total";
const EVENTS = "stacks_contract_events_total";
const suite = describeWith("prometheus");

/** An exporter that watches an address and a contract of a chain whose time stands still. */
async function start(ends: AsyncDisposableStack) {
  const simulator = ends.use(await stillSimulator({ history: 60 }));
  const { users, contracts } = simulator.chain.accounts;
  const [address = ""] = users;
  const exporter = ends.use(
    await Exporter.start({
      api: simulator,
      network: {
        confirmations: 2,
        addresses: [{ address, name: "hot" }],
        contracts: [{ contract_id: contracts.logger, name: "logger" }],
      },
      collectors: { blocks: {}, transactions: {}, addresses: {}, contracts: {}, contract_calls: {} },
    }),
  );
  const poll = async () => {
    for (const name of ["blocks", "transactions", "addresses", "contracts", "contract_calls"])
      await exporter.poll(name);
  };
  /** The address sends STX, and the chain grows. */
  const mine = async (seconds: number) => {
    if (seconds > 0) simulator.chain.send(address, { amount: 5_000_000n, fee: 500_000 });
    simulator.advance(seconds);
    await poll();
  };
  const chain = () => minedBelowTip(simulator);
  await poll();
  return { exporter, mine, chain, address, logger: contracts.logger };
}

/** The exemplars of a page by series, as text. */
const exemplarsOf = (page: Page) =>
  new Map(
    page.all.flatMap(({ name, labels, exemplar: by }) =>
      by === undefined ? [] : [[JSON.stringify([name, ...labels]), { tx: by.labels.get("tx_id") ?? "", ...by }]],
    ),
  );

test("the exemplar of a counter is the transaction that has increased it last", async () => {
  await using ends = new AsyncDisposableStack();
  const { exporter, mine, chain, address } = await start(ends);
  expect(exemplarsOf(await exporter.page())).toEqual(new Map());
  await mine(180);
  const page = await exporter.page();

  const [newest] = chain().filter(({ tx }) => tx.sender === address && tx.payload.type === "token_transfer");
  const before = await exporter.page();
  const [sent] = page.samples(SENT);
  const { tx, time = 0 } = newest ?? {};
  const amount = tx?.payload.type === "token_transfer" ? Number(tx.payload.amount) + Number(tx.fee) : 0;
  expect(sent?.exemplar).toEqual({ labels: new Map([["tx_id", tx?.id]]), value: amount, time });
  const ids = new Set(chain().map(({ tx: { id } }) => id));
  const found = exemplarsOf(page);
  for (const { tx: id } of found.values()) expect(ids).toContain(id);
  const families = new Set([...found.keys()].map((key) => JSON.parse(key)[0] as string));
  expect(families).toContain("stacks_address_transactions_total");
  expect(families).toContain("stacks_address_fees_paid_microstx_total");
  expect(families).toContain(EVENTS);
  expect(families).toContain("stacks_contract_calls_total");
  // Those of the whole chain have none.
  expect([...families].filter((name) => !/^stacks_(address|contract)_/.test(name))).toEqual([]);

  // A poll that counts nothing leaves them, and one that counts replaces those of the series that it increases.
  await mine(0);
  expect(exemplarsOf(await exporter.page())).toEqual(exemplarsOf(before));
  await mine(180);
  const after = exemplarsOf(await exporter.page());
  expect([...found.keys()].filter((key) => !after.has(key))).toEqual([]);
  expect([...after].some(([key, { tx: id }]) => found.has(key) && found.get(key)?.tx !== id)).toBe(true);
  expect([...after].some(([key, { tx: id }]) => found.get(key)?.tx === id)).toBe(true);

  // The classic format has none, and otherwise the same samples.
  const classic = (await exporter.app.page.body("classic", false)).toString();
  expect(classic).not.toContain(" # {");
  expect(new Page(classic, "classic").sum(SENT)).toBe((await exporter.page()).sum(SENT));
  await exporter.restart();
  expect(exemplarsOf(await exporter.page())).toEqual(new Map());
});

suite("with Prometheus", () => {
  test("a query returns the transaction of an outflow", async () => {
    await using ends = new AsyncDisposableStack();
    const { exporter, mine } = await start(ends);
    await mine(180);
    const [sent] = (await exporter.page()).samples(SENT);
    const listener = (await exporter.app.start()).find(({ url }) => url !== undefined);
    const prometheus = ends.adopt(await startPrometheus(new URL(listener?.url ?? "").host), (one) => one.stop());

    const found = await until(async () => {
      const query = new URLSearchParams({ query: `${SENT}{name="hot"}`, start: "0", end: "9999999999" });
      const response = await fetch(`${prometheus.url}/api/v1/query_exemplars?${query}`);
      const { data } = (await response.json()) as { data: { exemplars: object[] }[] };
      return data[0]?.exemplars;
    }, "an exemplar");
    const { labels, value, time } = sent?.exemplar ?? {};
    expect(found).toEqual([{ labels: Object.fromEntries(labels ?? []), value: String(value), timestamp: time }]);
    expect((await prometheus.query("min_over_time(up[1m])"))[0]?.value?.[1]).toBe("1");
  });
});
