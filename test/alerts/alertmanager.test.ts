// The example configuration in a real Alertmanager: one problem gives one notification.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { alerts } from "../../alerts/index.ts";
import { inhibitions } from "../../alerts/inhibitions.ts";
import { ALERTMANAGER, Alertmanager, groupOf, type Labels } from "../support/alertmanager.ts";
import { describeWith } from "../support/installed.ts";

describeWith(ALERTMANAGER)("with Alertmanager (Debian: apt-get install prometheus-alertmanager)", () => {
  let alertmanager: Alertmanager;
  beforeAll(async () => {
    alertmanager = await Alertmanager.start();
  });
  afterAll(() => alertmanager[Symbol.asyncDispose]());

  /** Firing alerts of a network, with the labels of all subjects. Those on the shards of a job have none. */
  const firing = (names: readonly string[], network: string): readonly Labels[] =>
    names.map((alertname) => ({
      alertname,
      severity: alerts.find(({ alert }) => alert === alertname)?.severity ?? "",
      job: network,
      ...(!alertname.startsWith("StacksShard") && { instance: network, network, name: "payer", address: "SP1" }),
    }));
  const everything = alerts.map(({ alert }) => alert);

  test.each([...new Set(inhibitions.map(({ source }) => source))])(
    "%s inhibits its targets, and nothing of another network",
    async (source) => {
      const targets = inhibitions.filter((one) => one.source === source).flatMap((one) => one.targets);
      const bystanders = everything.filter(
        (name) => name !== source && !inhibitions.some((other) => other.source === name),
      );
      const routed = await alertmanager.route([...firing([source, ...bystanders], "here"), ...firing(bystanders, "b")]);
      const inhibited = routed.filter(({ receiver }) => receiver === undefined).map(({ labels }) => labels);

      expect(inhibited.map(({ alertname }) => alertname).toSorted()).toEqual(
        bystanders.filter((name) => targets.includes(name)).toSorted(),
      );
      expect(inhibited.length).toBeGreaterThan(0);
      expect(new Set(inhibited.map(({ job }) => job))).toEqual(new Set(["here"]));
    },
  );

  test.each([
    { cause: "StacksUpstreamDown", others: everything.filter((name) => name !== "StacksApiUnauthorized") },
    { cause: "StacksApiUnauthorized", others: everything },
  ])("$cause gives one notification, a page, while other alerts fire", async ({ cause, others }) => {
    const routed = await alertmanager.route(
      firing(
        others.filter((name) => !/^Stacks(Exporter|Shard)/.test(name)),
        "n",
      ),
    );
    const notified = routed.filter(({ receiver }) => receiver !== undefined);

    expect(notified.map(({ labels, receiver }) => [labels.alertname, receiver])).toEqual([[cause, "pager"]]);
  });

  test("two exporters that are down are two pages", async () => {
    const routed = await alertmanager.route(
      ["a", "b"].flatMap((job) => firing(["StacksExporterDown"], "n").map((labels) => ({ ...labels, job }))),
    );

    expect(new Set(routed.map(groupOf)).size).toBe(2);
  });

  test.each([
    ["critical", "pager"],
    ["warning", "team"],
    ["info", "record"],
  ])("an alert of severity %s goes to %s, and the heartbeat to its own receiver", async (severity, receiver) => {
    const routed = await alertmanager.route([
      { alertname: "StacksFeeSpike", severity },
      { alertname: "Watchdog", severity: "none" },
    ]);

    expect(Object.fromEntries(routed.map(({ labels, receiver }) => [labels.alertname, receiver]))).toEqual({
      StacksFeeSpike: receiver,
      Watchdog: "heartbeat",
    });
  });
});
