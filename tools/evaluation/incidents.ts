// Incidents of the market. The evaluation of fee events does not use this list, but the price to be mined.
import type { Random } from "../../simulator/chain/random.ts";
import type { FeeSpread, Range, World } from "./world.ts";

interface Lasting {
  readonly from: number;
  readonly until: number;
}
/** Arrivals a second at the start, and what they pay. */
export interface Crowd extends Lasting {
  readonly kind: "rush" | "flash";
  readonly perSecond: number;
  readonly fee: FeeSpread;
}
/** Factors of ordinary demand and of what is paid, reached after a ramp. */
export interface Surge extends Lasting {
  readonly kind: "surge";
  readonly factor: number;
  readonly urgency: number;
  readonly rampSeconds: number;
}
/** Transfers a second, all at one fee in µSTX. */
export interface Flood extends Lasting {
  readonly kind: "flood";
  readonly perSecond: number;
  readonly fee: number;
}
/** Transactions that cannot be mined and appear at once. */
export interface Cluster extends Lasting {
  readonly kind: "whale" | "stuck";
  readonly count: number;
  readonly fee: FeeSpread;
}
/** Everything costs `factor` times as much. */
export interface Shift extends Lasting {
  readonly kind: "shift";
  readonly factor: number;
}
/** No samples. */
export interface Outage extends Lasting {
  readonly kind: "outage";
}
/** Something that happens; times in seconds of the trace. */
export type Incident = Crowd | Surge | Flood | Cluster | Shift | Outage;

const FOUR_WEEKS = 28 * 86_400;
const KINDS = ["rush", "flash", "surge", "flood", "whale", "stuck", "shift", "outage"] as const;

/** Between two numbers, equally often in each octave. */
function between(random: Random, [low, high]: Range): number {
  return low * (high / low) ** random.next();
}

function draw(random: Random, world: World, kind: Incident["kind"], from: number, end: number): Incident {
  const lasting = (range: Range) => ({ from, until: from + Math.round(between(random, range)) });
  switch (kind) {
    case "rush":
    case "flash": {
      const { lasts, perSecond, fee, sigma } = world[kind];
      const size = { ...lasting(lasts), perSecond: between(random, perSecond) };
      return { kind, ...size, fee: { median: between(random, fee), sigma } };
    }
    case "surge": {
      const { lasts, factor, urgency, ramp } = world.surge;
      const size = { ...lasting(lasts), factor: between(random, factor), urgency: between(random, urgency) };
      return { kind, ...size, rampSeconds: between(random, ramp) };
    }
    case "flood": {
      const { lasts, perSecond, fee } = world.flood;
      const size = { ...lasting(lasts), perSecond: between(random, perSecond) };
      return { kind, ...size, fee: Math.round(world.defaultFee * between(random, fee)) };
    }
    case "whale":
    case "stuck": {
      const { lasts, count, fee } = world[kind];
      return { kind, ...lasting(lasts), count: Math.round(between(random, count)), fee };
    }
    case "shift":
      return { kind, from, until: end, factor: between(random, world.shift.factor) };
    case "outage":
      return { kind, ...lasting(world.outage.lasts) };
  }
}

/** Everything that happens in `seconds` seconds. */
export function drawIncidents(random: Random, world: World, seconds: number): readonly Incident[] {
  return KINDS.flatMap((kind) => {
    const count = random.poisson((world[kind].perFourWeeks * seconds) / FOUR_WEEKS);
    return Array.from({ length: count }, () => draw(random, world, kind, random.int(0, seconds - 1), seconds));
  });
}
