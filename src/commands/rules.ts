// Writes the recording rules and alerts, with labels of the watch lists of a configuration.
import { stringify } from "yaml";
import { subjects } from "../../alerts/index.ts";
import { type JoinedLabels, takenLabels, withJoinedLabels } from "../../alerts/joined-labels.ts";
import { alertGroups, recordingGroups } from "../../alerts/prometheus-rules.ts";
import type { Watched } from "../collectors/collector.ts";
import type { Config } from "../config/config.ts";
import { parseUrl } from "../config/values.ts";
import { CommandError, type Io, writeOutput } from "./io.ts";
import { type ConfigFlags, loadConfig } from "./load-config.ts";

/** The options of the command. */
export interface RulesFlags extends ConfigFlags {
  /** Output file. @default standard output */
  readonly output?: string;
  readonly optional?: boolean;
  readonly runbookUrl?: string;
}

/** Writes the rules. Labels that cannot be added are reported on standard error. */
export async function rules(flags: RulesFlags, io: Io): Promise<number> {
  const { config } = await loadConfig(flags, io, { part: "whole" });
  const groups = [
    ...recordingGroups(subjects),
    ...alertGroups(subjects, false, runbooksOf(flags)),
    ...(flags.optional ? alertGroups(subjects, true, runbooksOf(flags)) : []),
  ];
  const labels = labelsOf(config);
  for (const label of takenLabels(groups, labels)) {
    io.err(`the label ${label} is not added: series of alerts, or the rules, have a label of that name\n`);
  }
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
    ...new Set(["group", ...watched.flatMap(({ labels }) => Object.keys(labels)).sort()]),
  ];
  return {
    address: of(networks.flatMap(({ addresses }) => addresses)),
    contract_id: of(networks.flatMap(({ contracts }) => contracts)),
  };
}
