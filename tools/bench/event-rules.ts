// Event rules: events a second on one core, and the series that they make.
import { Cl } from "@stacks/transactions";
import { loadDecoder } from "../../src/collectors/event-rules/clarity-value.ts";
import { evaluate, type RawEvent } from "../../src/collectors/event-rules/evaluate.ts";
import { ruleSamples } from "../../src/collectors/event-rules/samples.ts";
import { addResults, type TotalsOfRules } from "../../src/collectors/event-rules/totals.ts";
import { collectors } from "../../src/collectors/index.ts";
import { formatErrors } from "../../src/config/errors.ts";
import { configLoader } from "../../src/config/load.ts";
import { seriesPerSample } from "../../src/exposition/family.ts";

const EVENTS = ["swap", "add-liquidity", "remove-liquidity", "claim"] as const;
const ADDRESS = "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7";
// Events of one poll with the default number of pages.
const EVENTS_PER_POLL = 500;

/** Twenty rules: for each kind of event a count, a sum, a gauge, a histogram, and one with another operator. */
const rules = EVENTS.flatMap((event, index) => {
  const name = event.replaceAll("-", "_");
  const match = [
    { path: "topic", equals: "print" },
    { path: "value.event", equals: event },
  ];
  const value = { path: "value.amount-in" };
  const operators = [
    { path: "value.pool-id", regex: "stx-.*" },
    { path: "value.amount-in", range: { min: 1 } },
    { path: "value.referrer", exists: true },
    { path: "value.result.ok", in: [1, 2, 3] },
  ];
  return [
    {
      metric: `amm_${name}_events_total`,
      type: "counter",
      help: "H.",
      match,
      labels: { pool: { path: "value.pool-id" } },
    },
    {
      metric: `amm_${name}_in_units_total`,
      type: "counter",
      help: "H.",
      match,
      value,
      labels: { pool: { path: "value.pool-id" } },
    },
    { metric: `amm_${name}_last_units`, type: "gauge", help: "H.", match, value: { path: "value.amount-out" } },
    { metric: `amm_${name}_size_units`, type: "histogram", help: "H.", match, value, buckets: [1e6, 1e9, 1e12] },
    {
      metric: `amm_${name}_special_total`,
      type: "counter",
      help: "H.",
      match: [...match, operators[index]],
      labels: { token: { path: "value.token-x", max: 10 } },
    },
  ];
});

/** An event of a decentralised exchange: a tuple with eight fields. */
const eventOf = (n: number): RawEvent => ({
  topic: "print",
  hex: `0x${Cl.serialize(
    Cl.tuple({
      event: Cl.stringAscii(EVENTS[n % EVENTS.length] ?? ""),
      "amount-in": Cl.uint(10n ** 12n + BigInt(n)),
      "amount-out": Cl.uint(2n ** 70n + BigInt(n)),
      "pool-id": Cl.stringAscii(`stx-${n % 10_000}`),
      "token-x": Cl.principal(`${ADDRESS}.token-${n % 20}`),
      sender: Cl.principal(ADDRESS),
      referrer: n % 2 === 0 ? Cl.none() : Cl.some(Cl.uint(n)),
      result: n % 3 === 0 ? Cl.error(Cl.uint(101)) : Cl.ok(Cl.uint(n % 5)),
    }),
  ).replace(/^0x/, "")}`,
});

/** Evaluates and counts events with twenty rules, in polls of 500. */
export async function measureEventRules(count = 100_000) {
  const text = JSON.stringify({
    networks: [{ name: "m", url: "http://m", contracts: [{ contract_id: `${ADDRESS}.amm`, events: rules }] }],
  });
  const loaded = await configLoader({ text, file: "bench.yaml", env: {}, readFile: () => "", collectors })();
  if (!loaded.ok) throw new Error(formatErrors(loaded.errors));
  const compiled = loaded.config.networks[0]?.contracts[0]?.rules ?? [];
  const decode = await loadDecoder();
  const events = Array.from({ length: count }, (_, n) => eventOf(n));
  const identity = { network: "m", name: "amm", contract_id: `${ADDRESS}.amm` };
  let totals: TotalsOfRules = {};
  let results = 0;
  // CPU time of the process, which depends less on other processes than elapsed time.
  const before = process.cpuUsage();
  for (let at = 0; at < count; at += EVENTS_PER_POLL) {
    const counted = events.slice(at, at + EVENTS_PER_POLL).map((event, index) => ({
      results: evaluate(compiled, event, decode),
      rank: at + index,
    }));
    for (const one of counted) results += one.results.length;
    totals = addResults(totals, compiled, counted, 10_000);
  }
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  const samples = [...ruleSamples(compiled, totals, identity)];
  return {
    rules: compiled.length,
    eventsPerSecond: count / seconds,
    resultsPerEvent: results / count,
    series: samples.reduce((total, { family }) => total + seriesPerSample(family), 0),
    stateBytes: JSON.stringify(totals, (_, value) => (typeof value === "bigint" ? String(value) : value)).length,
  };
}
