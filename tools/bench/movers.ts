// A day of a watch list in virtual time: the time from the confirmation of each movement to its count, and the
// requests. The API is the simulator. The exporter runs in this process, with real requests.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Place } from "../../simulator/chain/block.ts";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import type { App } from "../../src/app.ts";
import { addresses } from "../../src/collectors/addresses/addresses.ts";
import type { Observation } from "../../src/collectors/addresses/state.ts";
import { StateFile } from "../../src/storage/state-file.ts";
import { createApp } from "../../test/support/app.ts";
import { VirtualClock } from "./virtual-clock.ts";

const START = Date.UTC(2026, 10, 21);
const HOUR = 3_600_000;
const CONFIRMATIONS = 6;

/** The simulated day. */
export interface DayOptions {
  readonly targets: number;
  /** Number of them that take part in transactions; the others never do. */
  readonly active: number;
  readonly hasFeed: boolean;
  readonly hours: number;
  /** Hour in which a rush of half an hour begins. @default none */
  readonly rushAt?: number;
  readonly seed?: number;
}

/** Ages in seconds, from the confirmation of a transaction to the poll that counts it. */
export interface Ages {
  readonly movements: number;
  readonly counted: number;
  readonly median: number;
  readonly p99: number;
  readonly worst: number;
}

export interface Day {
  readonly transactions: number;
  /** Requests with the budget of a free key. */
  readonly requests: number;
  readonly byOperation: Readonly<Record<string, number>>;
  /** Movements with the address as sender, sponsor, recipient or called contract. */
  readonly direct: Ages;
  /** Movements by a contract. */
  readonly byContract: Ages;
  /** Longest time between two polls of the same address, hours. */
  readonly longestPollGap: number;
  /** Movements that were confirmed an hour or longer before the end, and are not counted, or are counted twice. */
  readonly wrong: readonly string[];
  readonly seconds: number;
}

/** The counted transactions of an address at each poll. */
interface Counted {
  /** Lowest height that counts. */
  readonly from: number;
  readonly polls: { readonly at: number; readonly total: number }[];
}

/** Simulates a day. */
export async function simulateDay(options: DayOptions): Promise<Day> {
  const began = performance.now();
  const clock = new VirtualClock(START);
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-bench-"));
  const simulator = await startSimulator({
    seed: options.seed ?? 24,
    history: 400,
    now: () => clock.now(),
    keepBlocks: 1_000_000,
    activity: 1 / 3,
  });
  const { accounts } = simulator.chain;
  // The active ones are spread evenly.
  const activeBefore = (place: number) => Math.floor((place * options.active) / options.targets);
  const list = Array.from({ length: options.targets }, (_, place) =>
    activeBefore(place + 1) > activeBefore(place)
      ? accounts.occasional(activeBefore(place))
      : accounts.unused(1_000_000 + place),
  );
  const counted = new Map<string, Counted>();
  const { samples } = addresses;
  addresses.samples = (observation, network, target) => {
    note(counted, target.key, observation, clock.now());
    return samples(observation, network, target);
  };
  try {
    const open = (budget: string) => {
      const stateFile = new StateFile(join(folder, "state.db"), { log: { warn: () => undefined }, clock });
      return createApp(configOf(simulator.url, list, budget, options), undefined, { clock, stateFile });
    };
    await firstRound(await open("{ per_minute: 100000, per_month: unlimited }"));
    const firstHeight = simulator.chain.height;
    const before = simulator.log.total;
    const countsBefore = simulator.log.counts();
    const app = await open("free_key");
    await app.start();
    const end = clock.now() + options.hours * HOUR;
    for (let hour = 0; clock.now() < end; hour += 1) {
      if (hour === options.rushAt) simulator.chain.begin("spike");
      await clock.run(Math.min(end, clock.now() + HOUR));
    }
    const requests = simulator.log.total - before;
    const byOperation = Object.entries(simulator.log.counts()).map(
      ([key, count]) => [key, count - (countsBefore[key] ?? 0)] as const,
    );
    simulator.advance(0);
    const stopped = app.stop();
    await clock.run(end + 10_000);
    await stopped;
    const direct: Movement[] = [];
    const byContract: Movement[] = [];
    for (const movement of movementsOf(simulator, list, counted, firstHeight)) {
      (movement.isDirect ? direct : byContract).push(movement);
    }
    return {
      transactions: simulator.chain.ledger.transactions.total,
      requests,
      byOperation: Object.fromEntries(byOperation.filter(([, count]) => count > 0)),
      direct: agesOf(direct),
      byContract: agesOf(byContract),
      longestPollGap: longestGap(counted, end - options.hours * HOUR, end),
      wrong: wrongCounts(simulator, list, counted),
      seconds: (performance.now() - began) / 1000,
    };
  } finally {
    addresses.samples = samples;
    await simulator.close();
    rmSync(folder, { recursive: true });
  }
}

const configOf = (url: string, list: readonly string[], budget: string, { hasFeed }: DayOptions) =>
  `listen: 127.0.0.1:0
max_series: 1000000
networks:
  - name: m
    url: ${url}
    confirmations: ${CONFIRMATIONS}
    budget: ${budget}
    addresses: [${list.map((address) => `{ address: ${address} }`).join(", ")}]
collectors:
  addresses: {}
  transactions: { enabled: ${hasFeed} }
`;

// With an unlimited budget, so that every address is known when the day begins.
async function firstRound(app: App): Promise<void> {
  const failed = await app.pollOnce();
  if (failed.length > 0) throw new Error(failed.map(({ what, why }) => `${what}: ${why}`).join("\n"));
  await app.stop();
}

function note(counted: Map<string, Counted>, key: string, { floor, totals }: Observation, at: number): void {
  const known = counted.get(key) ?? { from: floor.height, polls: [] };
  known.polls.push({ at, total: Object.values(totals.transactions).reduce((sum, count) => sum + count, 0) });
  counted.set(key, known);
}

interface Movement {
  readonly isDirect: boolean;
  /** Milliseconds; undefined while it is not counted. */
  readonly age: number | undefined;
}

function isDirect({ tx }: Place, address: string): boolean {
  const { payload } = tx;
  if (tx.sender === address || tx.sponsor === address) return true;
  return payload.type === "token_transfer"
    ? payload.recipient === address
    : payload.type === "contract_call" && payload.contract === address;
}

/** The movements of an address that count, oldest first. */
function placesOf({ chain }: Simulator, address: string, { from }: Counted): readonly Place[] {
  const highest = chain.height - CONFIRMATIONS + 1;
  return chain.ledger.principals
    .of(address)
    .entries.filter(({ block }) => block.height >= from && block.height <= highest);
}

function* movementsOf(
  simulator: Simulator,
  list: readonly string[],
  counted: ReadonlyMap<string, Counted>,
  firstHeight: number,
): Generator<Movement> {
  for (const address of list) {
    const known = counted.get(address);
    if (known === undefined) continue;
    for (const [place, movement] of placesOf(simulator, address, known).entries()) {
      if (movement.block.height <= firstHeight) continue;
      const confirmedAt =
        (simulator.chain.ledger.atHeight(movement.block.height + CONFIRMATIONS - 1)?.time ?? 0) * 1000;
      const at = known.polls.find(({ total }) => total > place)?.at;
      yield { isDirect: isDirect(movement, address), age: at === undefined ? undefined : at - confirmedAt };
    }
  }
}

function agesOf(movements: readonly Movement[]): Ages {
  // A movement that is not counted is older than all others.
  const ages = movements.map(({ age = Number.POSITIVE_INFINITY }) => age / 1000).sort((a, b) => a - b);
  const at = (part: number) => ages[Math.min(ages.length - 1, Math.ceil(part * ages.length) - 1)] ?? Number.NaN;
  return {
    movements: ages.length,
    counted: ages.filter((age) => Number.isFinite(age)).length,
    ...{ median: at(0.5), p99: at(0.99), worst: at(1) },
  };
}

function longestGap(counted: ReadonlyMap<string, Counted>, from: number, to: number): number {
  let longest = 0;
  for (const { polls } of counted.values()) {
    const times = [from, ...polls.map(({ at }) => at).filter((at) => at > from), to];
    for (const [place, at] of times.slice(1).entries()) longest = Math.max(longest, at - (times[place] as number));
  }
  return longest / HOUR;
}

// The total of the last poll is that of the transactions which had their confirmations then.
function wrongCounts(simulator: Simulator, list: readonly string[], counted: ReadonlyMap<string, Counted>): string[] {
  return list.flatMap((address) => {
    const known = counted.get(address);
    const last = known?.polls.at(-1);
    if (known === undefined || last === undefined) return [`${address} was not polled`];
    const places = placesOf(simulator, address, known);
    const confirmed = (seconds: number) =>
      places.filter(({ block }) => {
        const time =
          simulator.chain.ledger.atHeight(block.height + CONFIRMATIONS - 1)?.time ?? Number.POSITIVE_INFINITY;
        return time * 1000 <= last.at - seconds * 1000;
      }).length;
    // The view of the chain can be some minutes old.
    const [min, max] = [confirmed(600), confirmed(0)];
    const isRight = last.total >= min && last.total <= max;
    return isRight ? [] : [`${address}: ${last.total} counted, expected ${min} to ${max}`];
  });
}
