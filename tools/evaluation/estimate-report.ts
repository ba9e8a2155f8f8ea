// `npm run eval-estimates` writes the results in docs/fee-estimate.md. It takes minutes, so no test runs it.
import { readFileSync, writeFileSync } from "node:fs";
import {
  type Observer,
  type Played,
  play,
  type Share,
  scoreEstimates,
  type TargetScore,
  together,
} from "./estimates.ts";
import { seedsOf } from "./seeds.ts";
import { REGIMES, type Regime, WORLD, type World } from "./world.ts";

const DAYS_OF_A_TRACE = 7;

interface Market {
  readonly units: number;
  readonly regime: Regime;
}

const MARKETS: readonly Market[] = [
  { units: 750, regime: "large" },
  { units: 750, regime: "none" },
  { units: 750, regime: "huge" },
  { units: 216, regime: "large" },
  { units: 216, regime: "huge" },
  { units: 72, regime: "large" },
];
const MINUTES = [1, 2.5, 5] as const;

/** Blocks of another capacity, with as many users and incidents as fill them to the same degree. */
function worldOf(tenureUnits: number): World {
  const part = tenureUnits / WORLD.chain.tenureUnits;
  const scaled = <Crowd extends { readonly perSecond: readonly [number, number] }>(crowd: Crowd): Crowd => {
    const [low, high] = crowd.perSecond;
    return { ...crowd, perSecond: [low * part, high * part] };
  };
  const { people, chain, rush, flash, flood } = WORLD;
  return {
    ...WORLD,
    people: { ...people, perSecond: people.perSecond * part, deterredBy: people.deterredBy * part },
    chain: { ...chain, tenureUnits },
    rush: scaled(rush),
    flash: scaled(flash),
    flood: scaled(flood),
  };
}

function quantile(values: readonly number[], part: number): string {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.floor(part * (sorted.length - 1))]?.toFixed(1) ?? "none";
}

const percent = ({ inTime, all }: Share): string => (all === 0 ? "none" : (inTime / all).toFixed(2));
const whole = (value: number) => value.toLocaleString("en-US");

const cells = ({ full, room, overpayment }: TargetScore): string[] => [
  percent(full),
  whole(full.all),
  percent(room),
  quantile(overpayment, 0.5),
  quantile(overpayment, 0.9),
];

const HEADER = [
  "Transactions in a tenure, nonce gaps",
  "Polls every",
  ...["10m", "1h"].flatMap((target) => [`${target}: full`, "of", "room", "overpaid, median", "p90"]),
  "No estimate",
];

function rowOf(what: string, played: readonly Played[], observer: Observer): string[] {
  const scores = together(played.map((one) => scoreEstimates(one, observer)));
  console.log(
    what,
    observer,
    JSON.stringify(scores, (name, value) => (name === "overpayment" ? undefined : value)),
  );
  const absent = (scores["10m"].absent / scores["10m"].polls).toFixed(3);
  const row = [what, `${observer.every / 60} min`, ...cells(scores["10m"]), ...cells(scores["1h"]), absent];
  console.log(row.join(" | "));
  return row;
}

function table(): string {
  const rows: string[][] = [];
  for (const { units, regime } of MARKETS) {
    const played = seedsOf("estimates").map((seed) => play(seed, regime, DAYS_OF_A_TRACE, worldOf(units)));
    const what = `${units}, ${whole(REGIMES[regime])}`;
    const observers = MINUTES.map((minutes) => ({ every: minutes * 60, behind: minutes * 30, useFactor: 1 }));
    for (const observer of observers) rows.push(rowOf(what, played, observer));
    if (units !== 750 || regime !== "large") continue;
    const [, , rarely] = observers as [Observer, Observer, Observer];
    rows.push(rowOf(`${what}, use of blocks unknown`, played, { ...rarely, useFactor: undefined }));
    rows.push(rowOf(`${what}, use reported at 40 %`, played, { ...rarely, useFactor: 0.4 }));
  }
  const line = (row: readonly string[]) => `| ${row.join(" | ")} |`;
  return [line(HEADER), line(HEADER.map((_, column) => (column === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

const START = "<!-- Written by npm run eval-estimates: -->";
const END = "<!-- End of the written part. -->";

const file = new URL("../../docs/fee-estimate.md", import.meta.url);
const page = readFileSync(file, "utf8");
const [before, after] = [page.indexOf(START), page.indexOf(END)];
if (before < 0 || after < before) throw new Error(`docs/fee-estimate.md has no "${START}" and "${END}"`);
writeFileSync(file, `${page.slice(0, before)}${START}\n\n${table()}\n\n${page.slice(after)}`);
