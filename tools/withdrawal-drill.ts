// Measures in real time how soon the webhook of an exchange is called: one of its 40 wallets runs dry, one has
// withdrawals behind a missing nonce, one pays too little. Real programs, with the shipped rules and intervals, and the
// default schedules of a free key.
// Usage: npm run withdrawal-drill
// Needs prometheus and prometheus-alertmanager on the PATH. Takes about half an hour.
import { setTimeout as sleep } from "node:timers/promises";
import { missing } from "../test/support/daemon.ts";
import { MIN_BALANCE, NETWORK, PROGRAMS, startExchange } from "../test/support/exchange.ts";

const [DRY, BLOCKED, UNDERPAID] = ["wallet-3", "wallet-17", "wallet-40"];

const absent = missing(PROGRAMS);
if (absent.length > 0) throw new Error(`not on the PATH: ${absent.join(", ")}`);

let startedAt: number | undefined;
/** One line of the log: the time (UTC), seconds since the trouble began, what happened. */
function note(what: string, at = Date.now()): void {
  const since = startedAt === undefined ? "" : `+${((at - startedAt) / 1000).toFixed(0)} s`;
  process.stdout.write(`${new Date(at).toISOString().slice(11, 19)} ${since.padStart(8)}  ${what}\n`);
}

/** Calls a function every second until it returns a value. */
async function when<T>(get: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const value = await get();
    if (value !== undefined) return value;
    await sleep(1000);
  }
}

const exchange = await startExchange({ budget: "free_key", age: 0 });
const { simulator, wallets, notifications, query } = exchange;
const { chain } = simulator;
const addressOf = (name: string) => wallets[Number(name.replace("wallet-", "")) - 1] as string;

/** Notes when a query first has a value for a wallet. */
async function watchMetric(name: string, what: string, expr: string): Promise<void> {
  const value = await when(async () => (await query(expr))[name]);
  note(`${name}: ${what} (${value})`);
}

/** Notes the states of an alert of a wallet, until the webhook is called. */
async function watchAlert(alert: string, name: string): Promise<void> {
  const isIt = (labels: Readonly<Record<string, string>>) => labels.alertname === alert && labels.name === name;
  const pending = await when(async () => (await exchange.active()).find(({ labels }) => isIt(labels)));
  note(`${name}: ${alert} is pending`, Date.parse(pending.activeAt));
  const heard = await when(async () =>
    notifications.find((one) => one.alerts.some(({ status, labels }) => status === "firing" && isIt(labels))),
  );
  note(`${name}: ${alert}, the webhook is called`, heard.at);
}

try {
  note(`${wallets.length} wallets on the network ${NETWORK} have been polled once`);
  const requests = simulator.log.total;
  const sent = 'sum by (name) (stacks_address_mempool_transactions{direction="out"}) > 0';
  startedAt = Date.now();
  simulator.advance(0);
  const balance = chain.ledger.balances.of(addressOf(DRY), "stx");
  chain.send(addressOf(DRY), { fee: 5000, amount: balance - BigInt(MIN_BALANCE - 1000) * 1_000_000n });
  chain.send(addressOf(BLOCKED), { skip: 1 });
  for (let more = 0; more < 3; more += 1) chain.send(addressOf(BLOCKED));
  chain.send(addressOf(UNDERPAID), { fee: 100 });
  note("one wallet sends almost everything, one leaves a nonce out, one pays too little");
  await Promise.all([
    watchMetric(BLOCKED, "its withdrawals are seen", sent),
    watchMetric(UNDERPAID, "its withdrawal is seen", sent),
    watchMetric(BLOCKED, "the missing nonce is seen", "stacks_address_missing_nonce"),
    watchAlert("StacksAddressNonceGap", BLOCKED),
    watchAlert("StacksAddressBalanceLow", DRY),
    watchAlert("StacksAddressTransactionStuck", UNDERPAID),
    when(async () => {
      const all = await exchange.inhibited();
      const isHeld = all.some(
        ({ alertname, name }) => alertname === "StacksAddressTransactionStuck" && name === BLOCKED,
      );
      if (!isHeld) return undefined;
      note(`${BLOCKED}: StacksAddressTransactionStuck is inhibited`);
      return true;
    }),
  ]);
  const all = notifications.flatMap(({ path, alerts }) => (path === "/heartbeat" ? [] : alerts));
  note(
    `notified: ${[...new Set(all.map(({ labels }) => `${labels.alertname} ${labels.name ?? ""}`.trim()))].join(", ")}`,
  );
  note(`${simulator.log.total - requests} requests since the trouble began`);
} finally {
  await exchange.stop();
}
