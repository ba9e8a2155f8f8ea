// 40 wallets with the budget of a free key: a start, payments too many, withdrawals that wait, an outage of eleven
// minutes, a restart, and the end of the exporter. What is notified, and when.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { AlertStory, type Notified, type Outcome, PROGRAMS } from "../support/alert-story.ts";
import { freeKey, walletOf } from "../support/free-key.ts";
import { describeWith } from "../support/installed.ts";
import type { Page } from "../support/page.ts";

const WITHIN_SECONDS = 300;
const MINUTE = 60;
const BLOCKED = 17;
const UNDERPAID = 30;

describeWith(...PROGRAMS)("40 wallets with a free key", () => {
  let story: AlertStory;
  let outcome: Outcome;
  let page: Page;
  /** Seconds from the start, the end of the outage and the restart until every target was read. */
  const readAfter: number[] = [];
  /** When a wallet became unhealthy, in the order of time: `alert wallet`, and seconds after the start. */
  const causes = new Map<string, number>();

  const wallet = (index: number) => walletOf(story.simulator, index);
  const isRead = async () =>
    (await story.exporter.page())
      .samples("stacks_exporter_collector_targets")
      .every(({ labels, value }) => value === 0 || !["waiting", "degraded"].includes(labels.get("state") ?? ""));
  /** Leaves 100 STX, which is less than the minimum. */
  const dry = (index: number) => {
    const { chain } = story.simulator;
    const amount = chain.ledger.balances.of(wallet(index), "stx") - 100_000_000n;
    chain.send(wallet(index), { fee: 10_000, amount });
    for (const alert of ["StacksAddressBalanceLow", "StacksAddressOutflowHigh"])
      causes.set(`${alert} wallet-${index}`, story.second);
  };
  const pay = (index: number) => {
    story.simulator.chain.send(wallet(index), { fee: 10_000, amount: 200_000_000_000n });
    causes.set(`StacksAddressOutflowHigh wallet-${index}`, story.second);
  };

  beforeAll(async () => {
    story = await AlertStory.start({ history: 60 }, 15 * MINUTE, freeKey);
    const { chain, faults } = story.simulator;
    readAfter.push(await story.passUntil(isRead));
    const underpaid = chain.send(wallet(UNDERPAID), { fee: 100 });
    const missing = chain.send(wallet(BLOCKED), { skip: 1 }).nonce - 1;
    await story.pass(10 * MINUTE);
    // At different times of the polls of the chain.
    for (const index of [1, 2, 3, 4, 5, 6]) {
      pay(index);
      await story.pass(47);
      dry(10 + index);
      await story.pass(50);
    }
    await story.pass(14 * MINUTE);
    chain.send(wallet(BLOCKED), { nonce: missing });
    chain.replace(underpaid, 5000);
    await story.pass(20 * MINUTE);

    faults.set({ kind: "503" });
    await story.pass(11 * MINUTE);
    faults.clear();
    readAfter.push(await story.passUntil(isRead));
    await story.pass(10 * MINUTE);

    await story.restart(30);
    const restartedAt = story.second;
    await story.pass(MINUTE);
    dry(7);
    await story.passUntil(isRead);
    readAfter.push(story.second - restartedAt);
    await story.pass(15 * MINUTE);
    page = await story.exporter.page();
    story.end();
    await story.pass(10 * MINUTE);
    outcome = await story.outcome();
  });
  afterAll(() => story[Symbol.asyncDispose]());

  const about = ({ alert, name }: Notified) => `${alert} ${name}`;

  test("every wallet is read within two minutes of a start, an outage and a restart", () => {
    expect(readAfter).toHaveLength(3);
    for (const seconds of readAfter) expect(seconds).toBeLessThanOrEqual(2 * MINUTE);
  });

  test("each limit that is passed pages within five minutes, once, and no healthy wallet does", () => {
    const paged = outcome.notified.filter(({ receiver, name }) => receiver === "pager" && name !== "");
    const others = [`StacksAddressNonceGap wallet-${BLOCKED}`];
    expect(paged.map(about).toSorted()).toEqual([...causes.keys(), ...others].toSorted());
    for (const one of paged) {
      const after = one.at - (causes.get(about(one)) ?? one.at);
      expect([about(one), after <= WITHIN_SECONDS]).toEqual([about(one), true]);
    }
  });

  test("a transaction that waits is notified, unless the page about a missing nonce explains it", () => {
    const team = outcome.notified.filter(({ receiver, name }) => receiver === "team" && name !== "");
    expect(team.map(about)).toEqual([`StacksAddressTransactionStuck wallet-${UNDERPAID}`]);
    expect(team[0]?.labels).toMatchObject({ fee: "low", severity: "warning" });
    const inhibited = outcome.routed.flat().filter(({ receiver }) => receiver === undefined);
    expect(
      inhibited.some(
        ({ labels: { alertname, name } }) =>
          alertname === "StacksAddressTransactionStuck" && name === `wallet-${BLOCKED}`,
      ),
    ).toBe(true);
    // The missing nonce has arrived.
    const last = outcome.routed.at(-1)?.map(({ labels: { alertname, name } }) => `${alertname} ${name}`);
    expect(last).not.toContain(`StacksAddressNonceGap wallet-${BLOCKED}`);
    const replaced = { name: `wallet-${UNDERPAID}`, direction: "out", reason: "replaced" };
    expect(page.value("stacks_address_mempool_removed_transactions_total", replaced)).toBe(1);
  });

  test("the outage and the end of the exporter have one notification each, and the restart has none", () => {
    const others = outcome.notified.filter(({ name, receiver }) => name === "" && receiver !== "heartbeat");
    expect(others.map(({ alert }) => alert)).toEqual(["StacksUpstreamDown", "StacksExporterDown"]);
  });
});
