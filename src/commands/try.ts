// Shows what the event rules of a configuration make of the newest events of each contract, and why.

import type { Watched } from "../collectors/collector.ts";
import type { ListedEvent } from "../collectors/contracts/event-source.ts";
import { type Addition, adderOf } from "../collectors/counted.ts";
import type { Condition } from "../collectors/event-rules/condition.ts";
import { addResults, familiesOfRules, placesOfRules, ruleFamilies } from "../collectors/event-rules/counted.ts";
import { ERRORS, EventView, type Result, resultOf } from "../collectors/event-rules/evaluate.ts";
import type { Found } from "../collectors/event-rules/path.ts";
import type { EventRule } from "../collectors/event-rules/rule.ts";
import { shorten } from "../config/errors.ts";
import { Exposition } from "../exposition/exposition.ts";
import { Totals } from "../store/totals.ts";
import { withBudgets } from "./command-budgets.ts";
import type { EventFlags } from "./events.ts";
import { CommandError, type Io } from "./io.ts";
import { loadConfigFile } from "./load-config.ts";
import { lastOf, networkOf, readEvents } from "./read-events.ts";

const MAX_EXAMPLES = 3;

/** Prints the trial of every contract with rules: of one network, or of all. */
export async function tryRules(flags: EventFlags, io: Io): Promise<number> {
  const last = lastOf(flags.last);
  const { config } = await loadConfigFile(flags, io, "whole");
  const { networks } = config;
  const chosen = flags.network === undefined ? networks : [networkOf(networks, flags.network)];
  const tried = chosen.flatMap((network) =>
    network.contracts.filter(({ rules = [] }) => rules.length > 0).map((contract) => ({ network, contract })),
  );
  if (tried.length === 0) throw new CommandError("there is no event rule: no contract of the configuration has events");
  return withBudgets(config, io, async (budgets) => {
    for (const [index, { network, contract }] of tried.entries()) {
      const events = await readEvents(network, contract.principal, last, budgets, io);
      io.out(`${index === 0 ? "" : "\n"}${formatTrial(network.name, contract, events)}\n`);
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
  const views = events.map((event) => ({ id: event.id, view: new EventView(event) }));
  const matched = new Set<string>();
  const trials = rules.map((rule, index) => {
    const results = views.map(({ id, view }) => ({ id, view, result: resultOf(rule, view) }));
    for (const { id, result } of results) if (result !== undefined) matched.add(id);
    return [`rule ${index + 1}, ${rule.family}`, ...formatRule(rule, results).map((line) => `  ${line}`)];
  });
  const additions: Addition[] = [];
  for (const { view } of views.toReversed()) {
    const results = rules.flatMap((rule) => resultOf(rule, view) ?? []);
    addResults(adderOf(additions), rules, results);
  }
  const families = familiesOfRules(rules);
  const policy = {
    families: new Map([...families, ...ruleFamilies.map((family) => [family.name, family] as const)]),
    places: placesOfRules(rules),
    identity: { network, name, contract_id: principal },
  };
  const totals = new Totals(policy, [], [], 0, Number.POSITIVE_INFINITY);
  for (const addition of additions) totals.add(addition);
  const exposition = new Exposition([...families.values()]);
  exposition.set(
    name,
    [...totals.samples()].filter(({ family }) => !ruleFamilies.includes(family)),
  );
  const samples = exposition
    .page("classic")
    .toString()
    .split("\n")
    .filter((line) => /^[^#]/.test(line));
  return [
    `network ${network}, contract ${name} (${principal}): the newest ${events.length} events`,
    `${matched.size} of them match a rule`,
    ...trials.flatMap((lines) => ["", ...lines]),
    "",
    samples.length === 0 ? "these events make no sample" : "samples of these events:",
    ...samples.map((line) => `  ${line}`),
  ].join("\n");
}

interface Tried {
  readonly id: string;
  readonly view: EventView;
  readonly result: Result | undefined;
}

function formatRule(rule: EventRule, tried: readonly Tried[]): string[] {
  const matching = tried.filter(({ result }) => result !== undefined);
  const failed = Map.groupBy(
    tried.filter(({ result }) => result === undefined),
    ({ view }) => reasonAgainst(rule, view),
  );
  const errors = Object.entries(ERRORS).flatMap(([error, about]) => {
    const found = matching.filter(({ result }) => result?.errors?.some((one) => one === error));
    return found.length === 0 ? [] : [`error ${error}: ${countOf(found)}: ${about}`];
  });
  return [
    `${matching.length} matched`,
    ...matching.slice(0, MAX_EXAMPLES).map(({ id, result }) => `  ${id}: ${sampleText(rule, result)}`),
    ...errors,
    ...[...failed]
      .sort(([, a], [, b]) => b.length - a.length)
      .slice(0, 2 * MAX_EXAMPLES)
      .map(([reason, events]) => `no match: ${countOf(events)}: ${reason}`),
  ];
}

const countOf = (events: readonly Tried[]): string => `${events.length}, such as ${events[0]?.id}`;

function sampleText({ family, labels }: EventRule, result: Result | undefined): string {
  const sample = result?.sample;
  if (sample === undefined) return ["no sample", ...(result?.errors ?? [])].join(": ");
  const pairs = labels.map(({ name }, index) => `${name}=${JSON.stringify(shorten(sample.labels[index] ?? ""))}`);
  const verb = { counter: "adds", gauge: "sets", histogram: "observes" }[family.kind];
  return `${verb} ${sample.value}${pairs.length === 0 ? "" : ` at ${pairs.join(", ")}`}`;
}

/** The first condition that an event does not meet, and what was found instead. */
function reasonAgainst({ conditions }: EventRule, view: EventView): string {
  // There is one, because the event does not match.
  const failed = conditions.find(({ path, test }) => !test(view.at(path))) as Condition;
  return `${conditionText(failed)}, found ${foundText(view.at(failed.path))}`;
}

function conditionText({ path, operator }: Condition): string {
  if ("range" in operator) {
    const { min, max } = operator.range;
    return [
      path.text,
      "range",
      ...(min === undefined ? [] : ["from", min]),
      ...(max === undefined ? [] : ["to", max]),
    ].join(" ");
  }
  const [[name, wanted] = ["", ""]] = Object.entries(operator);
  return `${path.text} ${name} ${shorten(JSON.stringify(wanted))}`;
}

function foundText(found: Found): string {
  if (found === "none") return "nothing";
  if (found === "missing") return "another shape";
  return found.text === undefined
    ? `a value of type ${found.kind}`
    : `${found.kind} ${JSON.stringify(shorten(found.text))}`;
}
