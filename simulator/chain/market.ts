// Demand for block space, second by second: ordinary demand, and scenarios that raise it. Knows fees, not blocks or
// nonces.
import { buildCall, buildMint } from "../tx-builders/call.ts";
import { randomSender, type TxContext } from "../tx-builders/context.ts";
import { buildDeploy } from "../tx-builders/deploy.ts";
import { buildPoison, buildTransfer } from "../tx-builders/transfer.ts";
import { OCCASIONAL_ACCOUNTS } from "./accounts.ts";
import { drawFee } from "./fees.ts";
import type { Origin, UnsignedTx } from "./transaction.ts";

/** A period of unusual demand: a mint rush, cheap calls by the thousand, or well paid nonce gaps. */
export type ScenarioKind = "spike" | "flood" | "stuck";

/** A scenario in virtual Unix seconds. `strength` multiplies the usual intensity. */
export interface Scenario {
  readonly kind: ScenarioKind;
  readonly from: number;
  readonly until: number;
  readonly strength: number;
}

/** Options of a scenario. */
export interface ScenarioOptions {
  /** Duration of the demand, virtual seconds. The backlog takes longer to drain. @default per kind */
  readonly seconds?: number;
  /** Multiplies the intensity. @default 1 */
  readonly strength?: number;
}

/** A transaction that a sender submits; times in virtual Unix seconds. */
export interface Submission {
  readonly unsigned: UnsignedTx;
  readonly origin: Origin;
  readonly fee: number;
  readonly readyAt: number;
  readonly expiresAt: number;
}

const DAY = 86_400;
const USUAL_SECONDS: Readonly<Record<ScenarioKind, number>> = { spike: 1800, flood: 1200, stuck: 3 * 3600 };
const ARRIVALS_PER_SECOND = 0.7;
// Nonce gaps that any mempool holds, and how long they wait on average.
const BACKGROUND = 28;
const BACKGROUND_SECONDS = 4 * 3600;
// Nonce gaps of a stuck cluster of strength 1.
const CLUSTER = 110;
/** After this time the mempool drops a transaction. */
export const MEMPOOL_SECONDS = 2560 * 60;
// Average delay until a miner considers a transaction.
const GOSSIP_SECONDS = 8;
// The unmined transactions of a mint rush expire within this time after its end.
const SPIKE_EXPIRY_SECONDS = 1200;
// A flood pauses at this mempool size, which leaves room for other transactions in the bounded mempool.
const FLOOD_LIMIT = 4000;

// Shares of the types; the rest are calls. Rare types are more common among nonce gaps, which are never mined.
interface Mix {
  readonly poison: number;
  readonly deploy: number;
  readonly transfer: number;
}
const MIX: Mix = { poison: 0.0003, deploy: 0.01, transfer: 0.55 };
const GAP_MIX: Mix = { poison: 0.03, deploy: 0.06, transfer: 0.41 };

// The weekly pattern: a factor around 1, highest in the afternoon (UTC), lower on weekends.
function seasonalFactor(now: number): number {
  const hour = (now % DAY) / 3600;
  const weekday = Math.floor(now / DAY + 4) % 7;
  const weekend = weekday === 0 || weekday === 6 ? 0.85 : 1;
  return weekend * (1 + 0.35 * Math.sin(((hour - 9) / 24) * 2 * Math.PI));
}

// Arrivals per second of a mint rush: highest at the start, then decaying.
function mintRate({ from, until, strength }: Scenario, now: number): number {
  return 6 * strength * Math.exp((-1.5 * (now - from)) / (until - from));
}

function build(context: TxContext, sender: string, { poison, deploy, transfer }: Mix): UnsignedTx {
  const kind = context.random.next();
  if (kind < poison) return buildPoison(context, sender);
  if (kind < poison + deploy) return buildDeploy(context, sender);
  if (kind < poison + deploy + transfer) return buildTransfer(context, sender);
  return buildCall(context, sender);
}

/** The market of one chain. */
export class Market {
  /** Running scenarios; ended ones are removed by `arrivals`. */
  scenarios: Scenario[] = [];
  /** Cheapest fee of a call in the last full block, µSTX; undefined while blocks have room. */
  entryPrice: number | undefined;
  readonly #context: TxContext;
  readonly #gaps: TxContext;
  readonly #activity: number;
  #gapCount = 0;

  /**
   * `gaps` has its own random stream: nonce gaps do not change the content of blocks.
   * @param activity multiplies ordinary demand
   */
  constructor(context: TxContext, gaps: TxContext, activity = 1) {
    this.#context = context;
    this.#gaps = gaps;
    this.#activity = activity;
  }

  /** Starts a scenario and returns the submissions that arrive at once: the nonce gaps of a stuck cluster. */
  start(kind: ScenarioKind, now: number, { seconds, strength = 1 }: ScenarioOptions): Submission[] {
    const scenario = { kind, from: now, until: now + (seconds ?? USUAL_SECONDS[kind]), strength };
    this.scenarios.push(scenario);
    if (kind !== "stuck") return [];
    return Array.from({ length: Math.round(CLUSTER * strength) }, () => ({
      ...this.#gap("stuck", now),
      expiresAt: scenario.until,
    }));
  }

  /** Arrivals of the `seconds` seconds up to `now`, given the size of the mempool. */
  *arrivals(now: number, seconds: number, poolSize: number): Generator<Submission> {
    const { random } = this.#context;
    const expected = (perSecond: number) => random.poisson(perSecond * seconds);
    for (let left = expected(ARRIVALS_PER_SECOND * this.#activity * seasonalFactor(now)); left > 0; left -= 1) {
      yield this.#submit("market", build(this.#context, randomSender(this.#context), MIX), now);
    }
    const gaps = this.#gaps.random.poisson((BACKGROUND / BACKGROUND_SECONDS) * seconds);
    for (let left = gaps; left > 0; left -= 1) yield this.#gap("background", now);
    if (this.scenarios.length === 0) return;
    this.scenarios = this.scenarios.filter(({ until }) => until > now);
    for (const scenario of this.scenarios) {
      if (scenario.kind === "spike") {
        for (let left = expected(mintRate(scenario, now)); left > 0; left -= 1) {
          const submission = this.#submit("spike", buildMint(this.#context, this.#occasionalSender()), now);
          yield { ...submission, expiresAt: scenario.until + random.int(0, SPIKE_EXPIRY_SECONDS) };
        }
      } else if (scenario.kind === "flood" && poolSize < FLOOD_LIMIT) {
        for (let left = expected(12 * scenario.strength); left > 0; left -= 1) {
          yield this.#submit("flood", buildMint(this.#context, this.#occasionalSender()), now);
        }
      }
    }
  }

  /** The nonce gaps of an ordinary mempool. */
  background(now: number): Submission[] {
    return Array.from({ length: BACKGROUND }, () => this.#gap("background", now));
  }

  // A transaction whose nonce is too high: the one before it never arrives.
  #gap(origin: "background" | "stuck", now: number): Submission {
    const { random, accounts } = this.#gaps;
    this.#gapCount += 1;
    const unsigned = build(this.#gaps, accounts.unused(this.#gapCount), GAP_MIX);
    const expiresAt = Math.ceil(now + random.exponential(BACKGROUND_SECONDS));
    const fee = drawFee(random, origin, unsigned.payload.type, undefined);
    return { unsigned, origin, fee, readyAt: Infinity, expiresAt };
  }

  #occasionalSender(): string {
    const { random, accounts } = this.#context;
    return accounts.occasional(random.int(0, OCCASIONAL_ACCOUNTS - 1));
  }

  #submit(origin: Origin, unsigned: UnsignedTx, now: number): Submission {
    const { random } = this.#context;
    return {
      unsigned,
      origin,
      fee: drawFee(random, origin, unsigned.payload.type, this.entryPrice),
      readyAt: now + Math.round(random.exponential(GOSSIP_SECONDS)),
      expiresAt: now + MEMPOOL_SECONDS,
    };
  }
}
