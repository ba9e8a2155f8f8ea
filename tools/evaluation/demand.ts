// The demand for block space, a few seconds at a time. It depends on the published percentiles of the pool only.
import type { Random } from "../../simulator/chain/random.ts";
import type { Incident } from "./incidents.ts";
import type { Transaction, Type } from "./pool.ts";
import { type FeeSpread, REGIMES, type Regime, rhythm, type Swing, type World } from "./world.ts";

/** The percentiles of the API in µSTX; NaN while nothing waits. */
export interface Published {
  readonly low: number;
  readonly medium: number;
  readonly high: number;
  /** Transactions that wait. */
  readonly waiting: number;
  /** The lowest rate in the last full block, µSTX for an average call. */
  readonly price: number;
}

/** Receives a transaction. */
export type Send = (transaction: Transaction) => void;

const MOOD_SECONDS = 600;
// Unmined transactions of a rush are withdrawn within this time.
const REGRET_SECONDS = 1200;
// A rush ends with this share (e to the minus that) of its first arrivals.
const FATIGUE = 1.5;
const MIN_FEE = 180;
// Deviation of the logarithm of the cost of calls of one function.
const WITHIN_SIGMA = 0.2;

/** A slowly changing factor: its logarithm is pulled back to 0 (Ornstein–Uhlenbeck, taken every ten minutes). */
class Mood {
  readonly #random: Random;
  readonly #keep: number;
  readonly #push: number;
  #level = 0;
  #until = 0;

  constructor(random: Random, { sigma, seconds }: Swing) {
    this.#random = random;
    this.#keep = Math.exp(-MOOD_SECONDS / seconds);
    this.#push = sigma * Math.sqrt(1 - this.#keep ** 2);
  }

  at(now: number): number {
    while (this.#until <= now) {
      this.#level = this.#level * this.#keep + Math.log(this.#random.logNormal(1, this.#push));
      this.#until += MOOD_SECONDS;
    }
    return Math.exp(this.#level);
  }
}

/** Progress of a surge: 0 to 1. */
function swell({ from, until, ramp }: Extract<Incident, { kind: "surge" }>, now: number): number {
  return Math.max(0, Math.min(1, (now - from) / ramp, (until - now) / ramp));
}

/** The factor by which shifts have raised all fees by then. */
export function shiftFactor(incidents: readonly Incident[], now: number): number {
  let factor = 1;
  for (const incident of incidents) if (incident.kind === "shift" && now >= incident.from) factor *= incident.factor;
  return factor;
}

/** The demand of one trace. */
export class Demand {
  readonly #random: Random;
  readonly #world: World;
  /** Nonce gaps that usually wait. */
  readonly #gaps: number;
  readonly #incidents: readonly Incident[];
  readonly #mood: Mood;
  readonly #gapMood: Mood;
  /** Of calls of each function. */
  readonly #costs: readonly number[];
  #now = 0;
  #clusters: readonly Extract<Incident, { kind: "whale" | "stuck" }>[];

  constructor(random: Random, moods: Random, world: World, regime: Regime, incidents: readonly Incident[]) {
    this.#random = random;
    this.#world = world;
    this.#gaps = REGIMES[regime];
    this.#incidents = incidents;
    this.#mood = new Mood(moods, world.people.mood);
    this.#gapMood = new Mood(moods, world.gaps.mood);
    this.#clusters = incidents.filter((incident) => "count" in incident);
    const { functions, cost, costSigma } = world.chain;
    const length = functions === 0 ? 0 : functions + incidents.length;
    this.#costs = Array.from({ length }, () => moods.logNormal(cost.contract_call, costSigma));
  }

  /** The nonce gaps that wait when the trace begins. */
  begin(send: Send): void {
    for (let left = this.#gaps; left >= 1; left -= 1) this.#gap(0, 1, send);
  }

  /** Everything that arrives in the `seconds` seconds before `now`. */
  arrive(now: number, seconds: number, published: Published, send: Send): void {
    this.#now = now;
    const scale = shiftFactor(this.#incidents, now);
    const { perSecond, deterredBy } = this.#world.people;
    const queue = Math.max(0, published.waiting - this.#gaps);
    const people = (perSecond * rhythm(now) * this.#mood.at(now)) / (1 + queue / deterredBy);
    this.#times(people * seconds, () => this.#ordinary(now, scale, published, send));
    const gaps = (this.#gaps / this.#world.gaps.seconds) * this.#gapMood.at(now);
    this.#times(gaps * seconds, () => this.#gap(now, scale, send));
    for (const incident of this.#incidents) {
      if (now < incident.from || now >= incident.until) continue;
      if (incident.kind === "surge") {
        const more = people * (incident.factor - 1) * swell(incident, now);
        this.#times(more * seconds, () => this.#ordinary(now, scale * incident.urgency, published, send));
      } else if (incident.kind === "rush" || incident.kind === "flash" || incident.kind === "war") {
        const { kind, from, until, ramp, perSecond, sigma } = incident;
        const fee = { median: incident.fee, sigma };
        const fatigue = kind === "flash" ? 1 : Math.exp((-FATIGUE * (now - from)) / (until - from));
        const growth = now - from < ramp ? (now - from) / ramp : 1;
        const bid = kind === "war" ? published.price * incident.outbid : 0;
        const worth = kind === "war" ? incident.worth : undefined;
        this.#times(perSecond * growth * fatigue * seconds, () => {
          if (worth !== undefined && bid > this.#fee({ ...worth, median: worth.median * incident.fee }, scale)) return;
          const leavesAt = until + this.#random.int(0, REGRET_SECONDS);
          this.#send(send, "contract_call", Math.max(bid, this.#fee(fee, scale)), leavesAt, true, undefined, incident);
        });
      } else if (incident.kind === "flood" || incident.kind === "whim") {
        const fee = Math.round(Math.round(this.#world.defaultFee * incident.fee) * scale);
        const leavesAt = now + this.#world.chain.expirySeconds;
        const sender = incident.kind === "whim" ? incident.from : undefined;
        this.#times(incident.perSecond * seconds, () =>
          this.#send(send, "contract_call", fee, leavesAt, true, sender, incident),
        );
      }
    }
    for (const { count, fee, until } of this.#clusters.filter(({ from }) => now >= from)) {
      for (let left = Math.round(count); left > 0; left -= 1) {
        this.#send(send, this.#type(), this.#fee(fee, 1), until, false);
      }
    }
    this.#clusters = this.#clusters.filter(({ from }) => now < from);
  }

  #times(mean: number, happen: () => void): void {
    for (let left = this.#random.poisson(mean); left > 0; left -= 1) happen();
  }

  #ordinary(now: number, scale: number, published: Published, send: Send): void {
    const type = this.#type();
    const leavesAt = now + this.#world.chain.expirySeconds;
    const { free } = this.#world.people;
    if (free > 0 && this.#random.chance(free)) {
      this.#send(send, type, 0, leavesAt);
      return;
    }
    const isFollowing = this.#random.chance(this.#world.people.following);
    const named = isFollowing ? this.#followed(published) : Number.NaN;
    const fee = Number.isNaN(named) ? this.#usualFee(type, scale) : Math.max(MIN_FEE, Math.round(named));
    this.#send(send, type, fee, leavesAt);
  }

  #send(
    send: Send,
    type: Type,
    fee: number,
    leavesAt: number,
    canBeMined = true,
    // The nth sender in proportion to 1 / n.
    sender = Math.floor(this.#world.people.senders ** this.#random.next()),
    incident?: Incident,
  ): void {
    const { cost, costSigma } = this.#world.chain;
    const called = type === "contract_call" ? this.#called(incident) : undefined;
    const mean = called === undefined ? cost[type] : (this.#costs[called] as number);
    const sigma = type !== "contract_call" ? 0 : called === undefined ? costSigma : WITHIN_SIGMA;
    const drawn = sigma > 0 ? this.#random.logNormal(mean, sigma) : mean;
    const costs = { cost: drawn, expected: called === undefined ? drawn : mean, calledFunction: called?.toString() };
    send({ type, sender, fee: Math.round(fee), ...costs, at: this.#now, leavesAt, canBeMined });
  }

  /** Number of a function: each incident has its own. */
  #called(incident: Incident | undefined): number | undefined {
    const { functions } = this.#world.chain;
    if (functions === 0) return undefined;
    if (incident !== undefined) return functions + this.#incidents.indexOf(incident);
    return Math.floor(functions ** this.#random.next());
  }

  #followed({ low, medium, high }: Published): number {
    const { payingLow, payingMedium } = this.#world.people;
    const choice = this.#random.next();
    if (choice < payingLow) return low;
    return choice < payingLow + payingMedium ? medium : high;
  }

  #usualFee(type: Type, scale: number): number {
    const { callFee, deployFee, transferFee, atDefault } = this.#world.people;
    if (type === "contract_call") return this.#fee(callFee, scale);
    if (type === "smart_contract") return this.#fee(deployFee, scale);
    if (this.#random.chance(atDefault)) return Math.round(this.#world.defaultFee * scale);
    return this.#fee(transferFee, scale);
  }

  #gap(now: number, scale: number, send: Send): void {
    const { fee, seconds } = this.#world.gaps;
    const leavesAt = now + this.#random.exponential(seconds);
    this.#send(send, this.#type(), this.#fee(fee, scale), leavesAt, false);
  }

  #type(): Type {
    const { transfers, deploys } = this.#world.people;
    const kind = this.#random.next();
    if (kind < transfers) return "token_transfer";
    return kind < transfers + deploys ? "smart_contract" : "contract_call";
  }

  #fee({ median, sigma }: FeeSpread, scale: number): number {
    return Math.max(MIN_FEE, Math.round(this.#random.logNormal(median * scale, sigma)));
  }
}
