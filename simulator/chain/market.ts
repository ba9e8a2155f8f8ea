// Demand for block space: who wants what, second by second. Knows scenarios and fees, not blocks or nonces.
import { buildCall, buildMint } from "../tx-builders/call.ts";
import { anySender, type TxContext } from "../tx-builders/context.ts";
import { buildDeploy } from "../tx-builders/deploy.ts";
import { buildPoison, buildTransfer } from "../tx-builders/transfer.ts";
import { OCCASIONAL_ACCOUNTS } from "./accounts.ts";
import { drawFee } from "./fees.ts";
import {
  CLUSTER,
  floodRate,
  mintRate,
  rhythm,
  type Scenario,
  type ScenarioKind,
  type ScenarioOptions,
  USUAL_SECONDS,
} from "./scenario.ts";
import type { Origin, UnsignedTx } from "./transaction.ts";

/** A draft with its price and its patience; times in virtual Unix seconds. */
export interface Submission {
  readonly draft: UnsignedTx;
  readonly origin: Origin;
  readonly fee: number;
  readonly readyAt: number;
  readonly expiresAt: number;
}

const ARRIVALS_PER_SECOND = 0.7;
const BACKGROUND = 28;
const BACKGROUND_SECONDS = 4 * 3600;
const MEMPOOL_SECONDS = 2560 * 60;
// Seconds between gossip and the miner's look, on average.
const GOSSIP_SECONDS = 8;
// When everything is minted, the latecomers withdraw within this time.
const REGRET_SECONDS = 1200;
// A flood stops pouring here, so that other transactions still find a place in the bounded pool.
const FLOOD_BOUND = 4000;

// Shares of the types; the rest are calls. Odd things are more common among what never gets mined.
interface Mix {
  readonly poison: number;
  readonly deploy: number;
  readonly transfer: number;
}
const MIX: Mix = { poison: 0.0003, deploy: 0.01, transfer: 0.55 };
const GAP_MIX: Mix = { poison: 0.03, deploy: 0.06, transfer: 0.41 };

/** The market of one chain. */
export class Market {
  /** Running scenarios; ended ones are removed by `arrivals`. */
  scenarios: Scenario[] = [];
  /** Cheapest fee in the last full block, µSTX; undefined while blocks have room. */
  entryPrice: number | undefined;
  readonly #context: TxContext;
  readonly #gaps: TxContext;
  #strangers = 0;

  /** `gaps` has a stream of its own: what never gets mined leaves the blocks exactly as they would be without it. */
  constructor(context: TxContext, gaps: TxContext) {
    this.#context = context;
    this.#gaps = gaps;
  }

  /** Begins a scenario. */
  start(kind: ScenarioKind, now: number, { seconds, strength }: ScenarioOptions): Scenario {
    const scenario = { kind, from: now, until: now + (seconds ?? USUAL_SECONDS[kind]), strength: strength ?? 1 };
    this.scenarios.push(scenario);
    return scenario;
  }

  /** What arrives in `seconds` seconds up to `now`, given the number that already wait. */
  *arrivals(now: number, seconds: number, waiting: number): Generator<Submission> {
    const { random } = this.#context;
    const expected = (perSecond: number) => random.poisson(perSecond * seconds);
    for (let left = expected(ARRIVALS_PER_SECOND * rhythm(now)); left > 0; left -= 1) yield this.#ordinary(now);
    const gaps = this.#gaps.random.poisson((BACKGROUND / BACKGROUND_SECONDS) * seconds);
    for (let left = gaps; left > 0; left -= 1) yield this.gap("background", now);
    if (this.scenarios.length === 0) return;
    this.scenarios = this.scenarios.filter(({ until }) => until > now);
    for (const scenario of this.scenarios) {
      if (scenario.kind === "spike") {
        for (let left = expected(mintRate(scenario, now)); left > 0; left -= 1) {
          const submission = this.#submission("spike", buildMint(this.#context, this.#occasional()), now);
          yield { ...submission, expiresAt: scenario.until + random.int(0, REGRET_SECONDS) };
        }
      } else if (scenario.kind === "flood" && waiting < FLOOD_BOUND) {
        for (let left = expected(floodRate(scenario)); left > 0; left -= 1) {
          yield this.#submission("flood", buildTransfer(this.#context, this.#occasional()), now);
        }
      }
    }
  }

  /** The nonce gaps that any mempool carries around. */
  *background(now: number): Generator<Submission> {
    for (let left = BACKGROUND; left > 0; left -= 1) yield this.gap("background", now);
  }

  /** A cluster of well paid transactions that can never be mined. */
  *cluster(scenario: Scenario): Generator<Submission> {
    for (let left = Math.round(CLUSTER * scenario.strength); left > 0; left -= 1) {
      yield { ...this.gap("stuck", scenario.from), expiresAt: scenario.until };
    }
  }

  /** A transaction whose nonce is too high: nobody sends the one before it. */
  gap(origin: "background" | "stuck", now: number): Submission {
    const { random, accounts } = this.#gaps;
    this.#strangers += 1;
    const sender = accounts.unused(this.#strangers);
    const draft = this.#any(this.#gaps, sender, GAP_MIX);
    const expiresAt = Math.ceil(now + random.exponential(BACKGROUND_SECONDS));
    const fee = drawFee(random, origin, draft.payload.type, undefined);
    return { draft, origin, fee, readyAt: Infinity, expiresAt };
  }

  #occasional(): string {
    const { random, accounts } = this.#context;
    return accounts.occasional(random.int(0, OCCASIONAL_ACCOUNTS - 1));
  }

  #ordinary(now: number): Submission {
    return this.#submission("market", this.#any(this.#context, anySender(this.#context), MIX), now);
  }

  #any(context: TxContext, sender: string, { poison, deploy, transfer }: Mix): UnsignedTx {
    const kind = context.random.next();
    if (kind < poison) return buildPoison(context, sender);
    if (kind < poison + deploy) return buildDeploy(context, sender);
    if (kind < poison + deploy + transfer) return buildTransfer(context, sender);
    return buildCall(context, sender);
  }

  #submission(origin: Origin, draft: UnsignedTx, now: number): Submission {
    const { random } = this.#context;
    return {
      draft,
      origin,
      fee: drawFee(random, origin, draft.payload.type, this.entryPrice),
      readyAt: now + Math.round(random.exponential(GOSSIP_SECONDS)),
      expiresAt: now + MEMPOOL_SECONDS,
    };
  }
}
