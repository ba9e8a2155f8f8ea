// Writes a dashboard for the event rules of a configuration.
import { boardWith } from "../../dashboards/board.ts";
import { eventRulesBoard } from "../../dashboards/event-rules.ts";
import { ruleFamilies } from "../collectors/index.ts";
import { CommandError, type Io, writeOutput } from "./io.ts";
import { type Flags, loadConfig } from "./load-config.ts";

/** Writes the dashboard. Contracts of the same name on several networks share a row. */
export async function board(flags: Flags, io: Io): Promise<number> {
  const { networks } = (await loadConfig(flags, io, { part: "whole" })).config;
  const ruled = networks.flatMap(({ contracts }) => contracts.filter(({ rules = [] }) => rules.length > 0));
  if (ruled.length === 0) throw new CommandError("there is no event rule: no contract of the configuration has events");
  const rows = [...Map.groupBy(ruled, ({ name }) => name)].map(([name, contracts]) => ({
    name,
    families: ruleFamilies([{ contracts }]),
  }));
  const text = `${JSON.stringify(boardWith(eventRulesBoard(rows)), undefined, 2)}\n`;
  await writeOutput(flags.output, text, io);
  return 0;
}
