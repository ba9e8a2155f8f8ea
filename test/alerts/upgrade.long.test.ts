// An upgrade while 40 wallets are watched with the budget of a free key: the scrapes of an earlier version, and then
// this one with its state file.
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { familyOf } from "../../alerts/series.ts";
import { type AlertStory, type Notified, type Outcome, PROGRAMS } from "../support/alert-story.ts";
import { folderOfTests } from "../support/folder.ts";
import { walletOf } from "../support/free-key.ts";
import { describeWith } from "../support/installed.ts";
import { Page } from "../support/page.ts";
import { PAID, PAYMENT, recordingOf, tipOf, UNDERPAID, untilUpgrade } from "./upgrade/earlier.ts";

const MINUTE = 60;
const WITHIN_SECONDS = 300;
// Wallets with an event during and after the upgrade.
const PAID_AFTER = 2;
const PAID_BETWEEN = 3;
const DRY = 12;

const days = readdirSync(new URL("upgrade/", import.meta.url)).flatMap(
  (name) => /^(.*)\.db\.gz$/.exec(name)?.[1] ?? [],
);
const folder = folderOfTests();

describeWith(...PROGRAMS)("with Prometheus and Alertmanager (Debian: prometheus, prometheus-alertmanager)", () => {
  describe.each(days)("an upgrade from the version of %s", (day) => {
    const { state, pages, tip } = recordingOf(day);
    let story: AlertStory;
    let outcome: Outcome;
    let first: Page;
    let last: Page;
    /** Seconds from the start of the story until this version starts. */
    let upgradedAt: number;
    let dryPayment: bigint;
    /** `alert wallet`, and when the wallet became unhealthy. Seconds after the start. */
    const causes = new Map<string, number>();

    const send = (index: number, amount: bigint, alerts: readonly string[]) => {
      story.simulator.chain.send(walletOf(story.simulator, index), { fee: 10_000, amount });
      for (const alert of alerts) causes.set(`${alert} wallet-${index}`, story.second);
    };

    beforeAll(async () => {
      const path = join(folder, `${day}.db`);
      writeFileSync(path, state);
      story = await untilUpgrade({ pages });
      // If it differs, the simulated chain has changed: record again.
      expect(tipOf(story)).toBe(tip);
      // Mined while the exporter is stopped.
      send(PAID_BETWEEN, PAYMENT, ["StacksAddressOutflowHigh"]);
      await story.restart(30, path);
      upgradedAt = story.second;
      first = await story.exporter.page();
      await story.pass(MINUTE);
      const balance = story.simulator.chain.ledger.balances.of(walletOf(story.simulator, DRY), "stx");
      send(PAID_AFTER, PAYMENT, ["StacksAddressOutflowHigh"]);
      dryPayment = balance - 100_000_000n;
      send(DRY, dryPayment, ["StacksAddressOutflowHigh", "StacksAddressBalanceLow"]);
      await story.pass(15 * MINUTE);
      last = await story.exporter.page();
      outcome = await story.outcome();
    });
    afterAll(() => story[Symbol.asyncDispose]());

    test("no counter of the chain decreases, and nothing is lost or counted twice", () => {
      const before = new Page(pages.at(-1) ?? "", "classic");
      const still = (series: string) =>
        /^stacks_(address|contract|chain)_/.test(series) && familyOf(series.split(" ", 1)[0] ?? "") !== undefined;
      expect(before.sum("stacks_chain_transactions_total")).toBeGreaterThan(100n);
      expect(first.decreased(before).filter(still)).toEqual([]);
      expect(last.decreased(first)).toEqual([]);
      expect(last.sum("stacks_exporter_state_gaps_total")).toBe(0n);
      const sent = (index: number) =>
        last.sum("stacks_address_stx_transfer_microstx_total", { name: `wallet-${index}`, direction: "out" });
      for (const index of [PAID, PAID_BETWEEN, PAID_AFTER]) expect(sent(index)).toBe(PAYMENT);
      expect(sent(DRY)).toBe(dryPayment);
    });

    test("each limit that is passed pages once, within five minutes, and nothing else is notified", () => {
      const { notified } = outcome;
      const about = ({ alert, name }: Notified) => `${alert} ${name}`;
      const before = notified.filter(({ at, receiver }) => at < upgradedAt && receiver !== "heartbeat");
      expect(before.map(about)).toEqual([`StacksAddressOutflowHigh wallet-${PAID}`]);
      const after = notified.filter(({ at }) => at >= upgradedAt);
      // The transaction of UNDERPAID waits since before the upgrade.
      const stuck = `StacksAddressTransactionStuck wallet-${UNDERPAID}`;
      expect(after.map(about).toSorted()).toEqual([...causes.keys(), stuck].toSorted());
      const paged = after.filter(({ receiver }) => receiver === "pager");
      expect(paged.map(about).toSorted()).toEqual([...causes.keys()].toSorted());
      for (const one of paged) expect(one.at - (causes.get(about(one)) ?? 0)).toBeLessThanOrEqual(WITHIN_SECONDS);
    });

    test("a limit that was passed before the upgrade is still passed after it", () => {
      const firing = outcome.routed.at(-1)?.map(({ labels: { alertname, name } }) => `${alertname} ${name}`);
      expect(firing).toContain(`StacksAddressOutflowHigh wallet-${PAID}`);
    });
  });
});
