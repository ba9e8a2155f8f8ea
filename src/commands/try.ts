// Shows what the event rules of a configuration make of the newest events of each contract, and why.
import type { Watched } from "../collectors/collector.ts";
import type { ListedEvent } from "../collectors/contracts/event-source.ts";
import { ERRORS, type EventView, type Result, resultOf, valueAt, viewOf } from "../collectors/event-rules/evaluate.ts";
import type { Found } from "../collectors/event-rules/path.ts";
import type { Condition, EventRule } from "../collectors/event-rules/rule.ts";
import { shorten } from "../config/errors.ts";
import { type EventFlags, lastOf, networkOf, readEvents } from "./events.ts";
import { CommandError, type Io } from "./io.ts";
import { loadConfig } from "./load-config.ts";
import { withApp } from "./with-app.ts";

const MAX_EXAMPLES = 3;

/** Prints the trial of every contract with rules: of one network, or of all. */
export async function tryRules(flags: EventFlags, io: Io): Promise<number> {
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
    ...rules.flatMap((rule) => {
      const tried = views.map(({ id, view }) => ({ id, view, result: resultOf(rule, view) }));
      return formatRule(rule, tried);
    }),
  ].join("\n");
}

interface Tried {
  readonly id: string;
  readonly view: EventView;
  readonly result: Result | undefined;
}

function formatRule(rule: EventRule, tried: readonly Tried[]): string[] {
  const matching = tried.filter(({ result }) => result !== undefined);
  const others = tried.filter(({ result }) => result === undefined);
  const errors = Object.entries(ERRORS).flatMap(([error, about]) => {
    const found = matching.filter(({ result }) => result?.errors?.some((one) => one === error));
    return found.length === 0 ? [] : [`  error ${error}: ${countOf(found)}: ${about}`];
  });
  return [
    `rule ${rule.family}: ${matching.length} match`,
    ...matching.slice(0, MAX_EXAMPLES).map(({ id, result }) => `  ${id}: ${sampleText(rule, result)}`),
    ...errors,
    ...[...Map.groupBy(others, ({ view }) => reasonAgainst(rule, view))].map(
      ([reason, events]) => `  no match: ${countOf(events)}: ${reason}`,
    ),
  ];
}

const countOf = (events: readonly Tried[]): string => `${events.length}, such as ${events[0]?.id}`;

function sampleText({ family, labels }: EventRule, result: Result | undefined): string {
  const sample = result?.sample;
  if (sample === undefined) return ["no sample", ...(result?.errors ?? [])].join(": ");
  const pairs = labels.map(({ name }, index) => `${name}=${quoted(sample.labels[index] ?? "")}`);
  const verb = family.kind === "gauge" ? "sets" : "adds";
  return `${verb} ${sample.value}${pairs.length === 0 ? "" : ` at ${pairs.join(", ")}`}`;
}

/** The first condition that an event does not meet, and what was found instead. */
function reasonAgainst({ conditions }: EventRule, view: EventView): string {
  // There is one, because the event does not match.
  const { path, operator } = conditions.find(({ path, test }) => !test(valueAt(view, path))) as Condition;
  return `${path.text} ${JSON.stringify(operator)}, found ${foundText(valueAt(view, path))}`;
}

function foundText(found: Found): string {
  if (found === "none") return "nothing";
  if (found === "missing") return "another shape";
  return found.text === undefined ? `a value of type ${found.kind}` : `${found.kind} ${quoted(found.text)}`;
}

// The text is from the chain.
const quoted = (text: string): string => JSON.stringify(shorten(text));
