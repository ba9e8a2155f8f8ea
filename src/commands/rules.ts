// Writes the recording rules and alerts, with labels of the watch lists of a configuration.
import { stringify } from "yaml";
import { alerts, subjects } from "../../alerts/index.ts";
import { type JoinedLabels, takenLabels, withJoinedLabels } from "../../alerts/joined-labels.ts";
import { metricsOf } from "../../alerts/needed-metrics.ts";
import { alertGroups, type PrometheusGroup, recordingGroups } from "../../alerts/prometheus-rules.ts";
import { targetsOf, type Watched } from "../collectors/collector.ts";
import { collectorOf, collectors } from "../collectors/index.ts";
import type { Config } from "../config/config.ts";
import { parseUrl } from "../config/values.ts";
import { CommandError, type Io } from "./io.ts";
import { type ConfigFlags, loadConfigFile } from "./load-config.ts";
import { writeOutput } from "./output.ts";

/** The options of the command. */
export interface RulesFlags extends ConfigFlags {
  /** Output file. @default standard output */
  readonly output?: string;
  readonly optional?: boolean;
  readonly runbookUrl?: string;
}

/** Writes the rules. Labels that cannot be added, and alerts without data, are reported on standard error. */
export async function rules(flags: RulesFlags, io: Io): Promise<number> {
  const { config } = await loadConfigFile(flags, io, "whole");
  const groups = [
    ...recordingGroups(subjects),
    ...alertGroups(subjects, false, runbooksOf(flags)),
    ...(flags.optional ? alertGroups(subjects, true, runbooksOf(flags)) : []),
  ];
  const labels = labelsOf(config);
  for (const label of takenLabels(groups, labels)) {
    io.err(`the label ${label} is not added: series of alerts, or the rules, have a label of that name\n`);
  }
  for (const line of alertsWithoutData(groups, config)) io.err(`${line}\n`);
  const text = `# Written by "stacks-exporter rules". Alerts about addresses and contracts have the labels of their info series.
${stringify({ groups: withJoinedLabels(groups, labels) }, { lineWidth: 0 })}`;
  await writeOutput(flags.output, text, io);
  return 0;
}

function runbooksOf({ runbookUrl }: RulesFlags): string | undefined {
  if (runbookUrl === undefined) return undefined;
  const url = parseUrl(runbookUrl);
  if (url !== undefined) return url;
  throw new CommandError(`--runbook-url: expected an http or https URL, found ${JSON.stringify(runbookUrl)}`);
}

/** Names of the labels of the info series: the group, and the additional labels of any entry. */
function labelsOf({ networks }: Config): JoinedLabels {
  const of = (watched: readonly Watched[]) => [
    ...new Set(["group", ...watched.flatMap(({ labels }) => Object.keys(labels))]),
  ];
  return {
    address: of(networks.flatMap(({ addresses }) => addresses)),
    contract_id: of(networks.flatMap(({ contracts }) => contracts)),
  };
}

/** One line for each alert that needs series of a collector that is not polled. */
function alertsWithoutData(groups: readonly PrometheusGroup[], { networks }: Config): string[] {
  const polled = new Set(
    networks.flatMap((network) =>
      network.collectors
        .filter(({ name, options }) => targetsOf(collectorOf(name), network, options).length > 0)
        .map(({ name }) => name),
    ),
  );
  const ownerOf = (metric: string) =>
    collectors.find(({ families }) => families.some(({ name }) => name === metric))?.name;
  return groups
    .flatMap(({ rules }) => rules)
    .flatMap(({ alert, expr }) => {
      const oneOf = alerts.find((declared) => declared.alert === alert)?.needsOneOf ?? [];
      const isEnough = (owner: string) => oneOf.includes(owner) && oneOf.some((name) => polled.has(name));
      const off = [...metricsOf(expr)]
        .flatMap((metric) => ownerOf(metric) ?? [])
        .filter((name) => !polled.has(name) && !isEnough(name));
      const names = [...new Set(off)].sort().join(", ");
      return alert === undefined || names === "" ? [] : [`${alert} lacks series: no data of the collector ${names}`];
    });
}
