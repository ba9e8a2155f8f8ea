// docs/benchmarks-movers.md: simulated days of watch lists with the budget of a free key. `npm run bench -- movers`.
import { writeFileSync } from "node:fs";
import { type Ages, type Day, type DayOptions, simulateDay } from "./movers.ts";
import { figure, table } from "./table.ts";

interface Scenario extends DayOptions {
  readonly name: string;
}

const LONG = { targets: 5000, hours: 24, hasFeed: true };

/** The simulated days. */
export const SCENARIOS: readonly Scenario[] = [
  { ...LONG, name: "without the collector `transactions`", active: 140, hasFeed: false },
  { ...LONG, name: "900 are active", active: 900 },
  { ...LONG, name: "650 are active", active: 650 },
  { ...LONG, name: "520 are active", active: 520 },
  { ...LONG, name: "140 are active, and half an hour of a rush", active: 140, rushAt: 12 },
  { ...LONG, name: "140 are active", active: 140 },
  { ...LONG, name: "40 addresses, all active", targets: 40, active: 40 },
];

/** Simulates the days, prints the page, and writes it. */
export async function writeMoversPage(): Promise<void> {
  const days: Day[] = [];
  for (const scenario of SCENARIOS) {
    process.stderr.write(`${scenario.name}\n`);
    days.push(await simulateDay(scenario));
  }
  const page = pageOf(days);
  writeFileSync(new URL("../../docs/benchmarks-movers.md", import.meta.url), page);
  console.log(page);
}

const seconds = (age: number): string => (Number.isFinite(age) ? figure(age) : "–");
const countsOf = ({ counted, movements }: Ages): string => `${figure(counted)} of ${figure(movements)}`;

/** The page of the days of `SCENARIOS`. */
export function pageOf(days: readonly Day[]): string {
  const rows = days.map((day, place) => ({ day, name: SCENARIOS[place]?.name ?? "" }));
  return `<!-- Written by "npm run bench -- movers". Do not edit. -->

# How old movements are

Simulated days in virtual time: the exporter runs with real requests against the simulator, and the clock jumps to the
next timer. So the ages do not depend on the machine. Assumptions: 5,000 watched addresses, all of them polled before
the day begins; the budget \`free_key\` with its default schedules; 6 confirmations, which take about 50 seconds; about
17,000 transactions a day without a rush. The active addresses take part in two or three transactions a day each, more
in the afternoon; the others in none.

Age: from the block that gives a movement its last confirmation to the end of the poll that counts it. A movement that
was not counted before the end of the day is older than all others: "–" is an age beyond the end of the day.

## Movements with the address as a party

Sender, sponsor, recipient or called contract. 900 active addresses need more than the budget of a day: early polls
wait, and none is lost. The six hours of requests that the budget holds back cover shorter excesses, such as a rush.

${table(
  ["Day", "Counted", "Median s", "p99 s", "Longest s"],
  rows.map(({ name, day: { direct } }) => [
    name,
    countsOf(direct),
    ...[direct.median, direct.p99, direct.worst].map(seconds),
  ]),
)}

## Movements by a contract

They wait for the round robin. At 5,000 addresses a round takes two days, so a part is not counted in a day.

${table(
  ["Day", "Counted", "Median s", "p99 s"],
  rows.map(({ name, day: { byContract } }) => [
    name,
    countsOf(byContract),
    ...[byContract.median, byContract.p99].map(seconds),
  ]),
)}

## Requests

The budget allows 4,799 requests a day, and once the 1,209 of a full bucket, with which the day begins: together 150,000
in 31 days. 24 hours between two polls: some addresses are not polled in the day. Wrong counters: addresses whose
totals at their last poll differ from those of the chain.

${table(
  ["Day", "Requests", "Longest time between two polls of an address", "Wrong counters"],
  rows.map(({ name, day }) => [
    name,
    figure(day.requests),
    `${figure(day.longestPollGap)} h`,
    figure(day.wrong.length),
  ]),
)}
`;
}
