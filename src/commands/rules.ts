// Writes the recording rules and alerts, with labels of the watch lists of a configuration, and the dashboards.
import { join } from "node:path";
import { stringify } from "yaml";
import { type JoinedLabels, takenLabels, withJoinedLabels } from "../../alerts/joined-labels.ts";
import { rulesWith, ruleTemplate } from "../../alerts/prometheus-rules.ts";
import { boardWith } from "../../dashboards/board.ts";
import { boards } from "../../dashboards/index.ts";
import type { Watched } from "../collectors/collector.ts";
import type { Config } from "../config/settings.ts";
import { CommandError, type Io, writeOutput } from "./io.ts";
import { type Flags, loadConfig } from "./load-config.ts";
import { readValues } from "./rule-values.ts";

/** Writes the rules. Labels that cannot be added are reported on standard error. */
export async function rules(flags: Flags, io: Io): Promise<number> {
  const { config } = await loadConfig(flags, io, { part: "whole" });
  const { externalUrl } = config;
  const values = await readValues(flags.values, externalUrl ? { runbookUrl: `${externalUrl}/runbooks` } : {});
  const own = Object.keys(values.additionalLabels).filter((label) => label !== "severity");
  const [clashing] = takenLabels(ruleTemplate, { address: own, contract_id: [] }, { ...values, additionalLabels: {} });
  if (clashing !== undefined)
    throw new CommandError(`additionalLabels.${clashing}: series of alerts, or the rules, have a label of that name`);
  const labels = labelsOf(config);
  for (const label of takenLabels(ruleTemplate, labels, values)) {
    if (label === values.clusterLabel || label === values.namespaceLabel)
      throw new CommandError(`the label ${label} of a watch list: rules join by a label of that name`);
    io.err(`the label ${label} is not added: series of alerts, or the rules, have a label of that name\n`);
  }
  const groups = rulesWith(values, withJoinedLabels(ruleTemplate, labels, values));
  const text = `# Written by "stacks-exporter rules". Alerts about addresses and contracts have the labels of their info series.
${stringify({ groups }, { lineWidth: 0 })}`;
  await writeOutput(flags.output, text, io);
  const { boards: folder } = flags;
  if (folder === undefined) return 0;
  for (const board of boards) {
    const text = `${JSON.stringify(boardWith(board, values))}\n`;
    await writeOutput(join(folder, `${board.uid}.json`), text, io, "--boards");
  }
  return 0;
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
