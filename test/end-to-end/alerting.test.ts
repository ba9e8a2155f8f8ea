// From a simulated market to a notification, with the shipped rules: five simulated networks, the exporter,
// Prometheus, Alertmanager and a webhook. Every duration is divided by one number.
import { afterAll, beforeAll, expect, test as one } from "@jest/globals";
import { FEES } from "../../alerts/thresholds.ts";
import { type Alerting, PROGRAMS, startAlerting, WAITING_RATIO } from "../support/alerting.ts";
import { areInstalled } from "../support/installed.ts";
import { killAll, until } from "../support/program.ts";

const isInstalled = areInstalled(PROGRAMS);
const test = isInstalled ? one : one.skip;
const NEEDED =
  "with prometheus and prometheus-alertmanager (Debian: apt-get install prometheus prometheus-alertmanager)";

const SCALE = 50;
// A working day; so late that no age of a block is ever large, though the simulated clocks run ahead of the real one,
// and before 2038: the API takes times up to 2^31 - 1 seconds.
const LIVE_FROM = Date.UTC(2037, 0, 7, 9) / 1000;
const STATS = "/extended/v1/tx/mempool/stats";

let alerting: Alerting;

const market = (network: string) => {
  const found = alerting.markets.get(network);
  if (found === undefined) throw new Error(`there is no market ${network}`);
  return found;
};

/** Notifications of a network so far: `receiver status alert`. */
const notified = (network: string) =>
  alerting.notifications.flatMap(({ path, alerts }) =>
    alerts
      .filter(({ labels }) => labels.network === network)
      .map(({ status, labels }) => `${path.slice(1)} ${status} ${labels.alertname}`),
  );
const heard = (network: string, text: string) =>
  until(async () => notified(network).includes(text) || undefined, `${network}: ${text}`);
const holds = async (expr: string) => (await alerting.query(expr)).length > 0;

beforeAll(async () => {
  if (!isInstalled) return;
  alerting = await startAlerting({
    networks: ["rush", "stuck", "outage", "behind", "refused"],
    scale: SCALE,
    seed: 1,
    liveFrom: LIVE_FROM,
    // The longest in use, so that a busy machine misses none: a missed scrape resets every `for`.
    scrapeInterval: "1m",
    // Its window of ten minutes is of the real clock, so that waiting fees are compared.
    without: ["transactions"],
  });
  market("rush").chain.begin("spike");
  // As many as a spike would leave waiting.
  market("stuck").chain.begin("stuck", { strength: 5 });
  // Responses of another shape just before the outage: their alert is still pending when the API is dead. Two of them,
  // because the first creates the counter, and only the second is an increase.
  const { faults } = market("outage");
  faults.add({ kind: "wrong-shape", path: STATS, count: 2 });
  await until(async () => faults.list().length === 0 || undefined, "two polls of the mempool");
  faults.add({ kind: "db-down" });
  // So far that it stays below the known tip for minutes, although blocks are fast here.
  market("behind").replicas.use({ kind: "lag", blocks: 1000 });
  market("refused").faults.add({ kind: "status", status: 401 });
});
afterAll(async () => {
  await alerting?.stop();
  killAll();
});

test(`a fee spike is notified, ${NEEDED}`, async () => {
  await heard("rush", "people firing StacksFeeSpike");
  const { alerts = [] } =
    alerting.notifications.find(({ alerts }) => alerts[0]?.labels.alertname === "StacksFeeSpike") ?? {};
  expect(alerts).toHaveLength(1);
  expect(alerts[0]?.labels).toMatchObject({ severity: "warning", network: "rush", job: "stacks" });
  expect(alerts[0]?.annotations.summary).toBe("Waiting transactions on rush pay over 3 times the usual");
  // The rush has ended, and the backlog ends an hour later.
  market("rush").chain.calm();
  market("rush").advance(3600);
});

test(`a dead API gives one notification while other alerts fire, ${NEEDED}`, async () => {
  await heard("outage", "people firing StacksUpstreamDown");
  await until(
    async () =>
      (await alerting.inhibited()).some(
        ({ alertname, network }) => alertname === "StacksSchemaDrift" && network === "outage",
      ) || undefined,
    "another alert of the dead API, held back",
  );

  expect(notified("outage")).toEqual(["people firing StacksUpstreamDown"]);
  market("outage").faults.clear();
});

test(`an API behind the chain, and one that refuses the key, have their own alerts, ${NEEDED}`, async () => {
  await heard("behind", "people firing StacksNoUpstreamUp");
  await heard("refused", "people firing StacksApiUnauthorized");
  expect(await holds('stacks_chain_reorgs_total{network="behind"} == 0')).toBe(true);

  market("behind").replicas.use({ kind: "newest" });
  market("refused").faults.clear();
});

test(`a stuck cluster is not a spike, ${NEEDED}`, async () => {
  // But for the room in the blocks it looks like one.
  const { spike } = FEES;
  await until(
    async () => (await holds(`${WAITING_RATIO.replace("{", '{network="stuck", ')} > ${spike.feeRatio}`)) || undefined,
    "the stuck cluster in the recorded series",
  );
  // Longer than the alerts wait.
  const start = Date.now();
  await until(async () => Date.now() - start > (5 * 60_000) / SCALE || undefined, "five minutes of the market");
  expect(notified("stuck")).toEqual([]);
  market("stuck").chain.calm();
});

test(`each is resolved when its cause ends, ${NEEDED}`, async () => {
  await heard("rush", "people resolved StacksFeeSpike");
  await heard("outage", "people resolved StacksUpstreamDown");
  await heard("behind", "people resolved StacksNoUpstreamUp");
  await heard("refused", "people resolved StacksApiUnauthorized");
});

test(`neither an outage nor a stuck cluster fired the spike alert, ${NEEDED}`, async () => {
  const ever = await alerting.query(
    'count by (network) (count_over_time(ALERTS{alertname="StacksFeeSpike", alertstate="firing"}[1h]))',
  );

  expect(ever.map(({ metric }) => metric.network)).toEqual(["rush"]);
  // The outage has ended, and the values of the alert are known again.
  expect(await holds(`${WAITING_RATIO.replace("{", '{network="outage", ')}`)).toBe(true);
});
