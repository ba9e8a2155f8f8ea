// All rules at once, on a page with every family: a problem gives one alert, a quiet day none.
import { expect, test } from "@jest/globals";
import { describeWith } from "../support/installed.ts";
import { gone, hold, type Scenario, trace, trials } from "../support/promtool.ts";
import { rules } from "./rules.ts";
import { type Line, nameOf, page, quietly } from "./whole-page.ts";

const suite = describeWith("promtool");

/** After this it happens: by then there are baselines. Minutes. */
const CALM = 300;
const REST = 100;
/** Values of a collector that fails stay this long. Minutes. */
const MAX_AGE = 6;
const UP = 'up{job="stacks", instance="exporter"}';

const times = Array.from({ length: 20 }, (_, index) => CALM + 5 * index);
const at = (minutes: readonly number[], ...names: readonly string[]): Scenario["expect"] =>
  minutes.map((at) => ({ at, firing: names.map((alertname) => ({ alertname })) }));

function scenario(name: string, then: (line: Line) => string, up: string, expect: Scenario["expect"]): Scenario {
  const series = Object.fromEntries(page.map((line) => [nameOf(line), trace(quietly(line, CALM), then(line))]));
  return { name, alert: "*", series: { ...series, [UP]: trace(hold(1, CALM), up) }, expect };
}

/** The last value before it happened, for some minutes more. */
const stays = (line: Line, minutes: number) => hold(line.from + line.step * (CALM - 1), minutes);

const ZERO_WHEN_DEAD: ReadonlySet<string> = new Set([
  "stacks_up",
  "stacks_exporter_collector_success",
  "stacks_exporter_upstream_up",
]);

function deadApi(line: Line): string {
  const { name, kind, isOwn, labels } = line;
  if (!isOwn) return kind === "gauge" ? trace(stays(line, MAX_AGE), gone(REST - MAX_AGE)) : stays(line, REST);
  if (ZERO_WHEN_DEAD.has(name)) return hold(0, REST);
  if (name.endsWith("_collector_state") || name.endsWith("_collector_targets"))
    return hold(labels.state === "degraded" ? 1 : 0, REST);
  if (name.endsWith("_failures_total") && name.includes("collector")) return quietly({ ...line, step: 1 }, REST, CALM);
  return line.step === 60 ? stays(line, REST) : quietly(line, REST, CALM);
}

const cases: readonly Scenario[] = [
  scenario("a quiet day, from the first minute on", (line) => quietly(line, REST, CALM), hold(1, REST), [
    ...at([0, 5, 10, 20, 40, 60, 90, 120, 180, 240]),
    ...at(times),
  ]),
  scenario("the API dies: one alert", deadApi, hold(1, REST), [
    ...at(times.filter((minute) => minute < CALM + 5)),
    ...at(
      times.filter((minute) => minute >= CALM + 5),
      "StacksUpstreamDown",
    ),
  ]),
  scenario("the exporter dies: one alert", () => gone(REST), hold(0, REST), [
    ...at(times.filter((minute) => minute < CALM + 5)),
    ...at(
      times.filter((minute) => minute >= CALM + 5),
      "StacksExporterDown",
    ),
  ]),
  scenario(
    "the exporter starts again, with what it kept: none",
    (line) => trace(gone(4), quietly(line, REST - 4, CALM + 4)),
    trace(hold(0, 4), hold(1, REST - 4)),
    at(times),
  ),
  scenario(
    "the exporter starts again, with nothing: none",
    (line) => trace(gone(4), quietly(line, REST - 4, line.kind === "counter" ? 0 : CALM + 4)),
    trace(hold(0, 4), hold(1, REST - 4)),
    at(times),
  ),
];

test("the page has every kind of series on it", () => {
  expect(page.length).toBeGreaterThan(300);
  expect(page.filter(({ step }) => step > 0).length).toBeGreaterThan(50);
});

suite("with promtool (Debian: apt-get install prometheus)", () => {
  test.each(cases)("$name", async (one) => {
    expect(await trials([one], rules)).toEqual([""]);
  });
});
