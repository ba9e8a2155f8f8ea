// Scenarios from the YAML files of this folder. An alert has its usual `labels` when it fires, series that are `given`
// in each scenario, and scenarios by name. A scenario has series, the given ones that it is `without`, and what to
// `expect`; with `testnet`, the series of mainnet are there a second time, but for these. Times are minutes.
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { recordings } from "../../../alerts/index.ts";
import { familyOf } from "../../../alerts/series.ts";
import { climb, gone, missing, type Scenario } from "../../support/promtool.ts";

/** Samples by series: the name of `series.yaml`, and the values of its labels. */
export type Samples = Readonly<Record<string, string | number>>;
type Labels = Readonly<Record<string, string>>;
interface Settings {
  readonly expect: string;
  readonly without?: readonly string[];
  readonly testnet?: Samples;
  readonly every?: number;
  readonly sampled?: number;
}
interface About {
  readonly labels: Labels;
  readonly given?: Samples;
  readonly [scenario: string]: object | undefined;
}

const yamlOf = (file: string): unknown => parse(readFileSync(new URL(file, import.meta.url), "utf8"));
const NAMES = yamlOf("series.yaml") as Labels;
const TARGET = { job: "stacks", instance: "exporter" };
const USUAL = { network: "mainnet", name: "payer", address: "SP1", contract_id: "SP1.oracle" };
const OF_CONTRACT = { ...USUAL, name: "oracle" };

/** Labels that the series of a metric have besides those of the target. */
const declaredBy = (metric: string): readonly string[] =>
  recordings.find(({ record }) => record === metric)?.labels ?? familyOf(metric)?.labelNames ?? [];

/** The selector of a series, with all labels that identify it. */
function selectorOf(series: string, network: string): string {
  const [name = "", ...values] = series.split(" ");
  const [metric, ...names] = NAMES[name]?.split(" ") ?? [];
  if (metric === undefined) throw new Error(`series.yaml: expected ${name}, found ${Object.keys(NAMES).join(", ")}`);
  const declared = declaredBy(metric);
  const usual = declared.includes("contract_id") ? OF_CONTRACT : USUAL;
  const labels = {
    ...TARGET,
    ...Object.fromEntries(Object.entries({ ...usual, network }).filter(([label]) => declared.includes(label))),
    ...Object.fromEntries(values.map((value, index) => [names[index], value])),
  };
  return `${metric}{${Object.entries(labels)
    .map(([label, value]) => `${label}="${value}"`)
    .join(", ")}}`;
}

/** A number of minutes, `2d` for two days, `1d+20` for a day and 20 minutes. */
function minutesOf(text = ""): number {
  const [, days = "0", rest = "0"] = /^(?:(\d+)d\+?)?(\d+(?:\.\d+)?)?$/.exec(text) ?? [];
  return 1440 * Number(days) + Number(rest);
}

const PART = /^(gone|none|-?[\d.]+(?:e\d+)?)([+-][\d.]+(?:e\d+)?)?(?:\*([\dd+]+))?$/;

/**
 * Samples as promtool reads them. `5*20` is 5 for 20 minutes, `0+60*20` climbs by 60 a minute, `gone*20` has left the
 * page, `none*20` not yet, and `9(5*20 7*2)` the same nine times. A last part without a number of minutes continues
 * to the end.
 */
function samplesOf(text: string, end: number): string {
  let at = 0;
  return text
    .replace(/(\d+)\(([^)]*)\)/g, (_, times, of) => new Array(Number(times)).fill(of).join(" "))
    .split(" ")
    .map((part) => {
      const [, value, step = "0", count] = PART.exec(part) ?? [];
      if (value === undefined) throw new Error(`${text}: expected samples, found ${part}`);
      const minutes = count === undefined ? Math.max(1, end - at) : minutesOf(count);
      at += minutes;
      if (value === "gone") return gone(minutes);
      return value === "none" ? missing(minutes) : climb(Number(value), Number(step), minutes);
    })
    .join(" ");
}

/** The alert is not firing up to this minute, checked every five minutes. */
const never = (upTo: number): Scenario["expect"] =>
  [...Array.from({ length: Math.ceil(upTo / 5) }, (_, index) => index * 5), upTo].map((at) => ({ at, firing: [] }));

/** `quiet 10 20; firing 21; firing asset=stx + asset=sbtc 30 40; quiet to 90`, every five minutes up to there. */
function expectationsOf(text: string, usual: Labels): Scenario["expect"] {
  return text.split("; ").flatMap((part) => {
    const [what, ...words] = part.split(" ");
    if (words[0] === "to") return never(minutesOf(words[1]));
    const named = words.filter((word) => /[=+]/.test(word) && !/^\d/.test(word));
    const sets = named.join(" ").split(" + ");
    const alerts =
      named.length === 0 ? [usual] : sets.map((set) => Object.fromEntries(set.split(" ").map((one) => one.split("="))));
    return words
      .filter((word) => !named.includes(word))
      .map((at) => ({ at: minutesOf(at), firing: what === "quiet" ? [] : alerts }));
  });
}

/** Whether a series is of an address of the watch list. */
export const isOfAddress = (series: string): boolean =>
  NAMES[series.split(" ")[0] as string]?.startsWith("stacks_address_") === true;

/** The scenarios of an alert, with the beginning of their names. */
export function scenariosOf(alert: string, { labels, given, ...scenarios }: About, of = ""): readonly Scenario[] {
  return Object.entries(scenarios).map(([name, scenario]) => {
    const { expect: text, without = [], testnet, every, sampled, ...own } = scenario as Settings & Samples;
    const expect = expectationsOf(text, labels);
    const end = Math.ceil(Math.max(...expect.map(({ at }) => at)) / (sampled ?? 1)) + 1;
    const isThere = ([series]: readonly [string, unknown]) =>
      !without.includes(series) && !without.includes(series.split(" ")[0] as string);
    const mainnet = { ...Object.fromEntries(Object.entries(given ?? {}).filter(isThere)), ...own };
    const on = (network: string, series: Samples) =>
      Object.entries(series).map(([of, samples]) => [selectorOf(of, network), samplesOf(String(samples), end)]);
    return {
      name: `${alert}: ${of}${name}`,
      alert,
      ...(every === undefined ? {} : { every }),
      ...(sampled === undefined ? {} : { sampled }),
      series: Object.fromEntries([
        ...(testnet === undefined ? [] : on("testnet", { ...mainnet, ...testnet })),
        ...on("mainnet", mainnet),
      ]),
      expect,
    };
  });
}

/** The scenarios of a file. */
export const readScenarios = (file: string): readonly Scenario[] =>
  Object.entries(yamlOf(file) as Record<string, About>).flatMap(([alert, about]) => scenariosOf(alert, about));
