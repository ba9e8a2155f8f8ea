// An exchange with 40 wallets in a CSV file: one runs dry, one has withdrawals behind a missing nonce, and one pays too
// little. The alerts reach a webhook through Prometheus and Alertmanager, with the shipped rules, whose waits are
// divided.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Exchange, MIN_BALANCE, startExchange } from "../support/exchange.ts";
import { describeWith } from "../support/installed.ts";
import { PROGRAMS } from "../support/monitoring.ts";
import { killAll, until } from "../support/program.ts";

const [DRY, BLOCKED, UNDERPAID] = ["wallet-3", "wallet-17", "wallet-40"];

let exchange: Exchange;
let missing: number;

const addressOf = (name: string) => exchange.wallets[Number(name.replace("wallet-", "")) - 1] as string;
/** Notifications so far: `receiver status alert wallet`. */
const notified = () =>
  exchange.notifications.flatMap(({ path, alerts }) =>
    path === "/heartbeat"
      ? []
      : alerts.map(({ status, labels }) => `${path.slice(1)} ${status} ${labels.alertname} ${labels.name}`),
  );
const heard = (text: string) => until(async () => notified().includes(text) || undefined, text, 240_000);
const alertOf = (alert: string, name: string) =>
  exchange.notifications
    .flatMap(({ alerts }) => alerts)
    .find(({ labels }) => labels.alertname === alert && labels.name === name);

describeWith(...PROGRAMS)("with Prometheus and Alertmanager (Debian: prometheus, prometheus-alertmanager)", () => {
  beforeAll(async () => {
    exchange = await startExchange({
      scale: 25,
      // Longer than StacksAddressTransactionStuck waits.
      age: 1800,
      before({ simulator, wallets }) {
        const { chain } = simulator;
        const [blocked, underpaid] = [wallets[16] as string, wallets[39] as string];
        chain.send(underpaid, { fee: 100 });
        // StacksAddressNonceGap fires before the withdrawals are that old.
        simulator.advance(1800 - 1110);
        missing = chain.send(blocked, { skip: 1 }).nonce - 1;
        for (let more = 0; more < 3; more += 1) chain.send(blocked);
      },
    });
  });
  afterAll(async () => {
    await exchange?.stop();
    killAll();
  });

  test("a missing nonce is notified once, with its number", async () => {
    await heard(`pager firing StacksAddressNonceGap ${BLOCKED}`);
    const { labels, annotations } = alertOf("StacksAddressNonceGap", BLOCKED) ?? {};
    expect(labels).toMatchObject({ severity: "critical", address: addressOf(BLOCKED) });
    expect(annotations?.description).toContain(`Nonce ${missing} is missing`);
    expect(await exchange.query("stacks_address_mempool_blocked_transactions")).toEqual({ [BLOCKED]: 4 });
  });

  test("the old withdrawals behind it are not notified, an underpaid one of another wallet is", async () => {
    await heard(`team firing StacksAddressTransactionStuck ${UNDERPAID}`);
    expect(alertOf("StacksAddressTransactionStuck", UNDERPAID)?.labels).toMatchObject({ fee: "low" });
    await until(
      async () =>
        (await exchange.inhibited()).some(
          ({ alertname, name }) => alertname === "StacksAddressTransactionStuck" && name === BLOCKED,
        ) || undefined,
      "the inhibited alert",
      180_000,
    );
    expect(alertOf("StacksAddressTransactionStuck", BLOCKED)).toBeUndefined();
  });

  test("a wallet that runs dry is notified", async () => {
    const { chain } = exchange.simulator;
    const known = "count(stacks_address_available_balance_microstx / stacks_address_min_balance_microstx > 1)";
    await until(
      async () => (await exchange.query(known))[""] === exchange.wallets.length || undefined,
      "every balance",
    );
    const balance = chain.ledger.balances.of(addressOf(DRY), "stx");
    chain.send(addressOf(DRY), { fee: 5000, amount: balance - BigInt(MIN_BALANCE - 1000) * 1_000_000n });
    await heard(`pager firing StacksAddressBalanceLow ${DRY}`);
    expect(alertOf("StacksAddressBalanceLow", DRY)?.labels).toMatchObject({ asset: "stx", severity: "critical" });
  });

  test("each is resolved when its cause ends, and nothing else was notified", async () => {
    const { chain } = exchange.simulator;
    chain.send(addressOf(BLOCKED), { nonce: missing });
    const [waits] = [...chain.mempool.values()].filter(({ sender }) => sender === addressOf(UNDERPAID));
    if (waits === undefined) throw new Error("nothing waits");
    chain.replace(waits, 5000);
    await heard(`pager resolved StacksAddressNonceGap ${BLOCKED}`);
    await heard(`team resolved StacksAddressTransactionStuck ${UNDERPAID}`);
    const replaced = 'stacks_address_mempool_removed_transactions_total{direction="out", reason="replaced"} > 0';
    // On a busy machine, the alert also ends while the address is not polled.
    await until(async () => (await exchange.query(replaced))[UNDERPAID] === 1 || undefined, "the replaced transaction");
    expect(await exchange.query(replaced)).toEqual({ [UNDERPAID]: 1 });
    expect(new Set(notified().map((text) => text.split(" ").slice(2).join(" ")))).toEqual(
      new Set([
        `StacksAddressNonceGap ${BLOCKED}`,
        `StacksAddressTransactionStuck ${UNDERPAID}`,
        `StacksAddressBalanceLow ${DRY}`,
      ]),
    );
  });
});
