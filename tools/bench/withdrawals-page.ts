// docs/benchmarks-withdrawals.md: a simulated day of an exchange with a free key. `npm run bench -- withdrawals`.
import { writeFileSync } from "node:fs";
import { figure, table } from "./table.ts";
import { type Delays, type ExchangeOptions, simulateExchange } from "./withdrawals.ts";

const DAY: ExchangeOptions = {
  wallets: 40,
  hours: 24,
  perHour: 1,
  trouble: { underpaid: 0.02, gaps: 0.02, dropped: 0.02 },
};

const at = (delays: Delays, part: number) => delays[Math.ceil(part * delays.length) - 1] ?? Number.NaN;
const row = (name: string, delays: Delays) => [
  name,
  figure(delays.filter((delay) => Number.isFinite(delay)).length),
  figure(delays.length),
  ...[0.5, 0.99, 1].map((part) => figure(at(delays, part))),
];

/** Simulates the day, prints the page, and writes it. */
export async function writeWithdrawalsPage(): Promise<void> {
  const day = await simulateExchange(DAY);
  const { month, byOperation } = day;
  const page = `<!-- Written by "npm run bench -- withdrawals". Do not edit. -->

# How soon a stuck withdrawal is seen

A simulated day in virtual time: the exporter runs with real requests against the simulator, and the clock jumps to the
next timer, so the delays do not depend on the machine. ${DAY.wallets} wallets with \`waiting: true\` and \`min_balance\`, the
budget \`free_key\` with its default schedules, about 17,000 transactions of the chain in the day. The wallets send
${figure(day.withdrawals)} transfers; about 2 % of them
pay too little and are replaced after half an hour, about as many follow a missing nonce that arrives after half an
hour, and about as many pay too little and are dropped after half an hour.

## Delays

${table(
  ["From … to the metric", "Seen", "Of", "Median s", "p99 s", "Longest s"],
  [
    row("the receipt of a transaction that a poll has known", day.seen),
    row("the receipt of the transaction behind a missing nonce", day.gaps),
    row("the replacement", day.replaced),
    row("the drop", day.dropped),
  ],
)}

A transaction that is mined before a poll has known it is not in the first row. Those that waited for five and a half
minutes or longer, and that no poll has known: ${figure(day.missed)}.

## Requests

${table(
  ["What", "Requests in 31 days"],
  [
    ["the budget", figure(150_000)],
    ["`plan`, with quiet addresses", figure(month.plan[0])],
    ["`plan`, with busy addresses", figure(month.plan[1])],
    ["the collector `waiting` on this day, times 31", figure(month.measured)],
  ],
)}

The budget allows 4,799 requests a day, and once the 1,209 of a full bucket, with which the day begins: early polls of
addresses and balances after each withdrawal use what is left. Of the ${figure(day.requests)} requests of the day:

${table(
  ["Operation", "Requests"],
  Object.entries(byOperation)
    .toSorted(([, a], [, b]) => b - a)
    .map(([operation, count]) => [`\`${operation}\``, figure(count)]),
)}
`;
  writeFileSync(new URL("../../docs/benchmarks-withdrawals.md", import.meta.url), page);
  console.log(page);
}
