// Demand for block space: who wants what, second by second. Knows scenarios and fees, not blocks or nonces.
import { draftAnyCall, draftMint } from "../drafts/calls.ts";
import { draftDeploy } from "../drafts/deploys.ts";
import { anySender, type Desk } from "../drafts/desk.ts";
import { draftPoison, draftTransfer } from "../drafts/transfers.ts";
import { CROWD } from "./cast.ts";
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
import type { Draft, Origin } from "./transaction.ts";

/** A draft with its price and its patience; times in virtual Unix seconds. */
export interface Wish {
  readonly draft: Draft;
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
  readonly #desk: Desk;
  readonly #gaps: Desk;
  #strangers = 0;

  /** `gaps` has a stream of its own: what never gets mined leaves the blocks exactly as they would be without it. */
  constructor(desk: Desk, gaps: Desk) {
    this.#desk = desk;
    this.#gaps = gaps;
  }

  /** Begins a scenario. */
  start(kind: ScenarioKind, now: number, { seconds, strength }: ScenarioOptions): Scenario {
    const scenario = { kind, from: now, until: now + (seconds ?? USUAL_SECONDS[kind]), strength: strength ?? 1 };
    this.scenarios.push(scenario);
    return scenario;
  }

  /** What arrives in `seconds` seconds up to `now`, given the number that already wait. */
  *arrivals(now: number, seconds: number, waiting: number): Generator<Wish> {
    const { random } = this.#desk;
    const expected = (perSecond: number) => random.poisson(perSecond * seconds);
    for (let left = expected(ARRIVALS_PER_SECOND * rhythm(now)); left > 0; left -= 1) yield this.#ordinary(now);
    const gaps = this.#gaps.random.poisson((BACKGROUND / BACKGROUND_SECONDS) * seconds);
    for (let left = gaps; left > 0; left -= 1) yield this.gap("background", now);
    if (this.scenarios.length === 0) return;
    this.scenarios = this.scenarios.filter(({ until }) => until > now);
    for (const scenario of this.scenarios) {
      if (scenario.kind === "spike") {
        for (let left = expected(mintRate(scenario, now)); left > 0; left -= 1) {
          const wish = this.#wish("spike", draftMint(this.#desk, this.#crowd()), now);
          yield { ...wish, expiresAt: scenario.until + random.int(0, REGRET_SECONDS) };
        }
      } else if (scenario.kind === "flood" && waiting < FLOOD_BOUND) {
        for (let left = expected(floodRate(scenario)); left > 0; left -= 1) {
          yield this.#wish("flood", draftTransfer(this.#desk, this.#crowd()), now);
        }
      }
    }
  }

  /** The nonce gaps that any mempool carries around. */
  *background(now: number): Generator<Wish> {
    for (let left = BACKGROUND; left > 0; left -= 1) yield this.gap("background", now);
  }

  /** A cluster of well paid transactions that can never be mined. */
  *cluster(scenario: Scenario): Generator<Wish> {
    for (let left = Math.round(CLUSTER * scenario.strength); left > 0; left -= 1) {
      yield { ...this.gap("stuck", scenario.from), expiresAt: scenario.until };
    }
  }

  /** A transaction whose nonce is too high: nobody sends the one before it. */
  gap(origin: "background" | "stuck", now: number): Wish {
    const { random, cast } = this.#gaps;
    this.#strangers += 1;
    const sender = cast.stranger(this.#strangers);
    const draft = this.#any(this.#gaps, sender, GAP_MIX);
    const expiresAt = Math.ceil(now + random.exponential(BACKGROUND_SECONDS));
    const fee = drawFee(random, origin, draft.payload.type, undefined);
    return { draft, origin, fee, readyAt: Infinity, expiresAt };
  }

  #crowd(): string {
    const { random, cast } = this.#desk;
    return cast.crowd(random.int(0, CROWD - 1));
  }

  #ordinary(now: number): Wish {
    return this.#wish("market", this.#any(this.#desk, anySender(this.#desk), MIX), now);
  }

  #any(desk: Desk, sender: string, { poison, deploy, transfer }: Mix): Draft {
    const kind = desk.random.next();
    if (kind < poison) return draftPoison(desk, sender);
    if (kind < poison + deploy) return draftDeploy(desk, sender);
    if (kind < poison + deploy + transfer) return draftTransfer(desk, sender);
    return draftAnyCall(desk, sender);
  }

  #wish(origin: Origin, draft: Draft, now: number): Wish {
    const { random } = this.#desk;
    return {
      draft,
      origin,
      fee: drawFee(random, origin, draft.payload.type, this.entryPrice),
      readyAt: now + Math.round(random.exponential(GOSSIP_SECONDS)),
      expiresAt: now + MEMPOOL_SECONDS,
    };
  }
}
