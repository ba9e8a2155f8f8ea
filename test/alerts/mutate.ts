// Mutation test of the rules: promtool has to detect each change. Writes docs/alert-tests.md. Run by "npm run mutate";
// with an argument, only for the rules whose names contain it.
import { writeFile } from "node:fs/promises";
import { alerts } from "../../alerts/index.ts";
import type { PrometheusRule as Rule } from "../../alerts/prometheus-rules.ts";
import { closureOf, type Scenario, trials } from "../support/promtool.ts";
import { type Change, changesOf, nameOf } from "./changes.ts";
import { lineOf, PAGE, readResults, render } from "./mutation-page.ts";
import { rules } from "./rules.ts";
import { scenarios } from "./scenarios/index.ts";

const CONCURRENCY = 2;
const CHUNK = 40;

interface Mutant {
  readonly rule: Rule;
  readonly change: Change;
  readonly rules: readonly Rule[];
  /** Scenarios that can detect it, the fast ones first. */
  readonly killers: readonly Scenario[];
}

function mutantsOf(rule: Rule): Mutant[] {
  const dependent = new Set(
    alerts.map(({ alert }) => alert as string).filter((alert) => closureOf(alert, rules).includes(rule)),
  );
  const killers = scenarios.filter(({ alert }) => dependent.has(alert)).sort((a, b) => (a.every ?? 1) - (b.every ?? 1));
  return changesOf(rule).map((change) => ({
    rule,
    change,
    killers,
    rules: rules.map((other) => (other === rule ? { ...rule, ...change.by } : other)),
  }));
}

/** Tests each mutant with its scenario of this round; returns the survivors. */
async function survivorsOf(mutants: readonly Mutant[], round: number): Promise<Mutant[]> {
  const chunks = Array.from({ length: Math.ceil(mutants.length / CHUNK) }, (_, index) =>
    mutants.slice(index * CHUNK, (index + 1) * CHUNK),
  );
  const left: Mutant[] = [];
  const work = async () => {
    for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) {
      const outputs = await trials(
        chunk.map(({ killers, rules }) => ({ scenarios: killers.slice(round, round + 1), rules })),
      );
      for (const [index, mutant] of chunk.entries()) {
        const text = outputs[index] ?? "";
        if (text === "") left.push(mutant);
        else if (!text.includes("exp:")) throw new Error(`the mutant ${mutant.change.what} is not a rule: ${text}`);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return left;
}

/** Without a change, every scenario has to pass: a failing one would detect everything. */
async function assertPassing(killers: readonly Scenario[]): Promise<void> {
  const outputs = await trials(killers.map((scenario) => ({ scenarios: [scenario], rules })));
  const failing = outputs.flatMap((text, index) => (text === "" ? [] : [`${killers[index]?.name}: ${text}`]));
  if (failing.length > 0) throw new Error(`these scenarios fail without a change:\n${failing.join("\n")}`);
}

const say = (line: string) => process.stdout.write(`${line}\n`);

async function main(only = ""): Promise<void> {
  const began = performance.now();
  const tested = rules.filter((rule) => nameOf(rule).includes(only));
  const mutants = tested.flatMap(mutantsOf);
  await assertPassing([...new Set(mutants.flatMap(({ killers }) => killers))]);
  const survivors: Mutant[] = [];
  let open = mutants;
  for (let round = 0; open.length > 0; round += 1) {
    survivors.push(...open.filter(({ killers }) => killers.length <= round));
    open = await survivorsOf(
      open.filter(({ killers }) => killers.length > round),
      round,
    );
    say(`round ${round + 1}: ${open.length + survivors.length} of ${mutants.length} not detected yet`);
  }
  const results = readResults();
  for (const rule of tested) {
    const undetected = survivors.filter((mutant) => mutant.rule === rule).map(({ change }) => lineOf(change));
    for (const line of undetected) say(`not detected: ${nameOf(rule)}, ${line}`);
    results.set(nameOf(rule), { changes: mutants.filter((mutant) => mutant.rule === rule).length, undetected });
  }
  await writeFile(PAGE, render(results));
  const detected = mutants.length - survivors.length;
  say(`${detected} of ${mutants.length} changes were detected; ${Math.round((performance.now() - began) / 1000)} s`);
  process.exitCode = survivors.length > 0 ? 1 : 0;
}

await main(process.argv[2]);
