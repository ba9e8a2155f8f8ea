// One trouble, one notification: the example configuration in a real Alertmanager, with a receiver that counts.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { alerts } from "../../alerts/index.ts";
import { inhibitions } from "../../alerts/inhibitions.ts";
import { describeWith } from "../support/installed.ts";
import { until } from "../support/program.ts";

const PROGRAM = "prometheus-alertmanager";
const suite = describeWith(PROGRAM);

interface Notification {
  readonly alerts: readonly { readonly status: string; readonly labels: Readonly<Record<string, string>> }[];
}

suite("with Alertmanager (Debian: apt-get install prometheus-alertmanager)", () => {
  let folder: string;
  let receiver: Server;
  let alertmanager: ChildProcess;
  let address: string;
  const received: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "stacks-exporter-alertmanager-"));
    receiver = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const { alerts } = JSON.parse(Buffer.concat(parts).toString()) as Notification;
      received.push(...alerts.map(({ labels }) => `${labels.alertname} ${labels.network}`));
      response.end();
    });
    receiver.listen(0, "127.0.0.1");
    await once(receiver, "listening");
    const { port } = receiver.address() as { port: number };
    const example = parse(
      readFileSync(fileURLToPath(new URL("../../alerts/generated/alertmanager.yaml", import.meta.url)), "utf8"),
    ) as { route: { group_wait: string }; receivers: { name: string }[] };
    const config = join(folder, "alertmanager.yaml");
    const receivers = example.receivers.map(({ name }) => ({
      name,
      webhook_configs: [{ url: `http://127.0.0.1:${port}/${name}` }],
    }));
    // JSON is YAML too.
    writeFileSync(config, JSON.stringify({ ...example, receivers, route: { ...example.route, group_wait: "1s" } }));
    const free = createServer().listen(0, "127.0.0.1");
    await once(free, "listening");
    address = `127.0.0.1:${(free.address() as { port: number }).port}`;
    await new Promise((resolve) => free.close(resolve));
    alertmanager = spawn(
      PROGRAM,
      [
        `--config.file=${config}`,
        `--storage.path=${folder}`,
        `--web.listen-address=${address}`,
        "--cluster.listen-address=",
      ],
      { stdio: "ignore" },
    );
    await until(() => fetch(`http://${address}/-/ready`).then(({ ok }) => ok || undefined), "readiness");
  });
  afterAll(async () => {
    alertmanager.kill("SIGTERM");
    await once(alertmanager, "close");
    receiver.close();
    receiver.closeAllConnections();
    rmSync(folder, { recursive: true });
  });

  /** Lets alerts fire; labels that a real one would have, whatever its subject. */
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
    const { status } = await fetch(`http://${address}/api/v2/alerts`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(status).toBe(200);
  }

  async function silenced(network: string): Promise<string[]> {
    const answer = await fetch(`http://${address}/api/v2/alerts?filter=network%3D${network}`);
    const all = (await answer.json()) as { labels: { alertname: string }; status: { inhibitedBy: string[] } }[];
    return all.filter(({ status }) => status.inhibitedBy.length > 0).map(({ labels }) => labels.alertname);
  }

  const everything = alerts.map(({ alert }) => alert as string);

  test.each(inhibitions)(
    "$source silences what it should, and nothing of another network",
    async ({ source, targets }) => {
      const bystanders = everything.filter(
        (name) => name !== source && !inhibitions.some((other) => other.source === name),
      );
      await fire([source, ...bystanders], `here-${source}`);
      await fire(bystanders, `elsewhere-${source}`);

      const here = await silenced(`here-${source}`);
      expect(here.sort()).toEqual(bystanders.filter((name) => targets.includes(name)).sort());
      expect(here.length).toBeGreaterThan(0);
      expect(await silenced(`elsewhere-${source}`)).toEqual([]);
    },
  );

  test.each([
    {
      network: "dead",
      cause: "StacksUpstreamDown",
      others: everything.filter((name) => name !== "StacksApiUnauthorized"),
    },
    { network: "refused", cause: "StacksApiUnauthorized", others: everything },
  ])("a $network API is one notification, whatever else still fires", async ({ network, cause, others }) => {
    await fire(
      others.filter((name) => !name.startsWith("StacksExporter")),
      network,
    );
    await until(async () => received.includes(`${cause} ${network}`) || undefined, "the notification");
    // Another one that has to wait as long: when it has arrived, all of the others have had their turn.
    const last = `beside-${network}`;
    await fire(["StacksFeeSpike"], last);
    await until(async () => received.includes(`StacksFeeSpike ${last}`) || undefined, "the one sent last");

    expect(received.filter((text) => text.endsWith(` ${network}`))).toEqual([`${cause} ${network}`]);
  });
});
