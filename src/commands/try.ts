// Shows what the event rules of a configuration make of the newest events of each contract, and why.
import type { Watched } from "../collectors/collector.ts";
import type { ListedEvent } from "../collectors/contracts/event-source.ts";
import { ERRORS, type EventView, type Result, resultOf, valueAt, viewOf } from "../collectors/event-rules/evaluate.ts";
import type { Found } from "../collectors/event-rules/path.ts";
import { accepts, type Condition, type EventRule } from "../collectors/event-rules/rule.ts";
import { lastOf, networkOf, quoted, readEvents } from "./events.ts";
import { CommandError, type Io } from "./io.ts";
import { type Flags, loadConfig } from "./load-config.ts";
import { withApp } from "./with-app.ts";

// Different samples of one rule. There can be one for each event.
const MAX_SAMPLES = 3;

/** Prints the trial of every contract with rules: of one network, or of all. */
export async function tryRules(flags: Flags, io: Io): Promise<number> {
  const last = lastOf(flags.last);
  const loaded = await loadConfig(flags, io, { part: "whole" });
  const { networks } = loaded.config;
  const chosen = flags.network === undefined ? networks : [networkOf(networks, flags.network)];
  const tried = chosen.flatMap((network) =>
    network.contracts.filter(({ rules = [] }) => rules.length > 0).map((contract) => ({ network, contract })),
  );
  if (tried.length === 0) throw new CommandError("there is no event rule: no contract of the configuration has events");
  return withApp(loaded, io, async (app) => {
    for (const { network, contract } of tried) {
      const events = await readEvents(app, network, contract.principal, last);
      io.out(`${formatTrial(network.name, contract, events)}\n`);
    }
    return 0;
  });
}

/** The trial of one contract as text. @param events newest first */
export function formatTrial(
  network: string,
  { name, principal, rules = [] }: Watched,
  events: readonly ListedEvent[],
): string {
  const views = events.map((event) => ({ id: event.id, view: viewOf(event) }));
  return [
    `network ${network}, contract ${name} (${principal}): the newest ${events.length} events`,
    ...rules.flatMap((rule) => formatRule(rule, views)),
  ].join("\n");
}

/** What a rule makes of events, each result once. */
function formatRule(rule: EventRule, events: readonly { readonly id: string; readonly view: EventView }[]): string[] {
  const tried = events.map(({ id, view }) => ({ id, view, result: resultOf(rule, view) }));
  const textOf = ({ view, result }: (typeof tried)[number]) =>
    result === undefined ? `no match: ${reasonAgainst(rule, view)}` : sampleText(rule, result);
  const linesOf = (some: typeof tried) =>
    [...Map.groupBy(some, textOf)].map(([text, same]) => `  ${same.length}, such as ${same[0]?.id}: ${text}`);
  const matching = tried.filter(({ result }) => result !== undefined);
  const sampled = matching.filter(({ result }) => result?.sample !== undefined);
  const samples = linesOf(sampled);
  const others = tried.filter((one) => !sampled.includes(one));
  return [
    `rule ${rule.family}: ${matching.length} match`,
    ...samples.slice(0, MAX_SAMPLES),
    ...(samples.length > MAX_SAMPLES ? [`  and ${samples.length - MAX_SAMPLES} other samples`] : []),
    ...linesOf(others),
  ];
}

function sampleText({ family, labels }: EventRule, { sample, errors = [] }: Result): string {
  const because = errors.map((error) => `: ${error}, ${ERRORS[error]}`).join("");
  if (sample === undefined) return `no sample${because}`;
  const pairs = labels.map(({ name }, index) => `${name}=${quoted(sample.labels[index] ?? "")}`);
  const verb = family.kind === "gauge" ? "sets" : "adds";
  return `${verb} ${sample.value}${pairs.length === 0 ? "" : ` at ${pairs.join(", ")}`}${because}`;
}

/** The first condition that an event does not meet, and what was found instead. */
function reasonAgainst({ conditions }: EventRule, view: EventView): string {
  // There is one, because the event does not match.
  const { path, operator } = conditions.find(
    ({ path, operator }) => !accepts(operator, valueAt(view, path)),
  ) as Condition;
  return `${path.text} ${JSON.stringify(operator)}, found ${foundText(valueAt(view, path))}`;
}

function foundText(found: Found): string {
  if (found === "none") return "nothing";
  if (found === "missing") return "another shape";
  return found.text === undefined ? `a value of type ${found.kind}` : `${found.kind} ${quoted(found.text)}`;
}
