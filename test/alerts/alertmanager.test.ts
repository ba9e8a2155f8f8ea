// The example configuration in a real Alertmanager: one problem gives one notification.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { alerts } from "../../alerts/index.ts";
import { inhibitions } from "../../alerts/inhibitions.ts";
import { type Daemon, startDaemon } from "../support/daemon.ts";
import { describeWith } from "../support/installed.ts";
import { until } from "../support/program.ts";
import { startWebhook, type Webhook } from "../support/webhook.ts";

const PROGRAM = "prometheus-alertmanager";
const suite = describeWith(PROGRAM);

suite("with Alertmanager (Debian: apt-get install prometheus-alertmanager)", () => {
  let folder: string;
  let webhook: Webhook;
  let alertmanager: Daemon;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "stacks-exporter-alertmanager-"));
    webhook = await startWebhook();
    const example = parse(
      readFileSync(fileURLToPath(new URL("../../alerts/generated/alertmanager.yaml", import.meta.url)), "utf8"),
    ) as { route: { group_wait: string }; receivers: { name: string }[] };
    const config = join(folder, "alertmanager.yaml");
    const receivers = example.receivers.map(({ name }) => ({
      name,
      webhook_configs: [{ url: `${webhook.url}/${name}` }],
    }));
    // JSON is YAML too.
    writeFileSync(config, JSON.stringify({ ...example, receivers, route: { ...example.route, group_wait: "1s" } }));
    alertmanager = await startDaemon(PROGRAM, [
      `--config.file=${config}`,
      `--storage.path=${folder}`,
      "--cluster.listen-address=",
    ]);
  });
  afterAll(async () => {
    await alertmanager.stop();
    webhook.stop();
    rmSync(folder, { recursive: true });
  });

  /** The notifications so far: name and network of each alert. */
  const received = () =>
    webhook.notifications.flatMap(({ alerts }) => alerts.map(({ labels }) => `${labels.alertname} ${labels.network}`));

  /** Sends firing alerts, with the labels of all subjects. */
  async function fire(names: readonly string[], network: string): Promise<void> {
    const body = names.map((alertname) => ({
      labels: {
        alertname,
        severity: alerts.find(({ alert }) => alert === alertname)?.severity ?? "",
        job: "stacks",
        instance: network,
        network,
        name: "payer",
        address: "SP1",
      },
    }));
    const { status } = await fetch(`${alertmanager.url}/api/v2/alerts`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(status).toBe(200);
  }

  async function inhibited(network: string): Promise<string[]> {
    const response = await fetch(`${alertmanager.url}/api/v2/alerts?filter=network%3D${network}`);
    const all = (await response.json()) as { labels: { alertname: string }; status: { inhibitedBy: string[] } }[];
    return all.filter(({ status }) => status.inhibitedBy.length > 0).map(({ labels }) => labels.alertname);
  }

  const everything = alerts.map(({ alert }) => alert);

  test.each(inhibitions)(
    "$source inhibits its targets, and nothing of another network",
    async ({ source, targets }) => {
      const bystanders = everything.filter(
        (name) => name !== source && !inhibitions.some((other) => other.source === name),
      );
      await fire([source, ...bystanders], `here-${source}`);
      await fire(bystanders, `elsewhere-${source}`);

      const here = await inhibited(`here-${source}`);
      expect(here.sort()).toEqual(bystanders.filter((name) => targets.includes(name)).sort());
      expect(here.length).toBeGreaterThan(0);
      expect(await inhibited(`elsewhere-${source}`)).toEqual([]);
    },
  );

  test.each([
    {
      network: "dead",
      cause: "StacksUpstreamDown",
      others: everything.filter((name) => name !== "StacksApiUnauthorized"),
    },
    { network: "refused", cause: "StacksApiUnauthorized", others: everything },
  ])("a $network API gives one notification while other alerts fire", async ({ network, cause, others }) => {
    await fire(
      others.filter((name) => !name.startsWith("StacksExporter")),
      network,
    );
    await until(async () => received().includes(`${cause} ${network}`) || undefined, "the notification");
    // An alert that fires later and waits as long: when it has arrived, all notifications before it have too.
    const last = `beside-${network}`;
    await fire(["StacksFeeSpike"], last);
    await until(async () => received().includes(`StacksFeeSpike ${last}`) || undefined, "the last notification");

    expect(received().filter((text) => text.endsWith(` ${network}`))).toEqual([`${cause} ${network}`]);
  });
});
