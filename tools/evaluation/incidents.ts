// Incidents of the market. The evaluation of fee events does not use this list, but the price to be mined.
import type { Random } from "../../simulator/chain/random.ts";
import type { Range, World } from "./world.ts";

const KINDS = ["rush", "flash", "surge", "flood", "war", "whim", "whale", "stuck", "shift", "outage"] as const;
type Kind = (typeof KINDS)[number];

/** Assumptions of a world about an incident, with one number of each range. */
type Drawn<Assumed> = {
  readonly [Name in keyof Assumed]: Assumed[Name] extends Range ? number : Assumed[Name];
};
/** An incident of a kind; times in seconds of the trace. */
type IncidentOf<One extends Kind> = {
  readonly kind: One;
  readonly from: number;
  readonly until: number;
} & Drawn<World[One]>;
/** Something that happens. */
export type Incident = { [One in Kind]: IncidentOf<One> }[Kind];

const FOUR_WEEKS = 28 * 86_400;

/** Between two numbers, equally often in each octave. */
function between(random: Random, [low, high]: Range): number {
  return low * (high / low) ** random.next();
}

function draw(random: Random, world: World, kind: Kind, seconds: number): Incident {
  const from = random.int(0, seconds - 1);
  const isRange = (value: unknown): value is Range => Array.isArray(value);
  const drawn: Readonly<Record<string, unknown>> = Object.fromEntries(
    Object.entries(world[kind]).map(([name, value]) => [name, isRange(value) ? between(random, value) : value]),
  );
  // What has no end lasts as long as the trace.
  const until = drawn.lasts === undefined ? seconds : from + Math.round(Number(drawn.lasts));
  return { kind, from, until, ...drawn } as Incident;
}

/** Everything that happens in `seconds` seconds. */
export function drawIncidents(random: Random, world: World, seconds: number): readonly Incident[] {
  return KINDS.flatMap((kind) => {
    const count = random.poisson((world[kind].perFourWeeks * seconds) / FOUR_WEEKS);
    return Array.from({ length: count }, () => draw(random, world, kind, seconds));
  });
}
