// What can happen to demand, beyond the ordinary.

/** A period of unusual demand. */
export type ScenarioKind = "spike" | "flood" | "stuck";

/** One such period, in virtual Unix seconds; `strength` multiplies the usual intensity. */
export interface Scenario {
  readonly kind: ScenarioKind;
  readonly from: number;
  readonly until: number;
  readonly strength: number;
}

/** How a scenario can be adjusted. */
export interface ScenarioOptions {
  /** How long demand lasts, virtual seconds. The backlog takes longer to drain. @default per kind */
  readonly seconds?: number;
  /** Multiplies the intensity. @default 1 */
  readonly strength?: number;
}

/** Usual length of each kind, in seconds. A stuck cluster stays until somebody calms the market. */
export const USUAL_SECONDS: Readonly<Record<ScenarioKind, number>> = { spike: 1800, flood: 1200, stuck: 3 * 3600 };

/** Transactions in a stuck cluster of strength 1. */
export const CLUSTER = 110;

const DAY = 86_400;

/** Arrivals per second of a mint rush: all at once, then less and less. */
export function mintRate({ from, until, strength }: Scenario, now: number): number {
  return 6 * strength * Math.exp((-1.5 * (now - from)) / (until - from));
}

/** Arrivals per second of a flood of cheap transfers. */
export function floodRate({ strength }: Scenario): number {
  return 12 * strength;
}

/** The rhythm of the week: a factor around 1, highest in the afternoon (UTC) and lower on weekends. */
export function rhythm(now: number): number {
  const hour = (now % DAY) / 3600;
  const weekday = Math.floor(now / DAY + 4) % 7;
  const weekend = weekday === 0 || weekday === 6 ? 0.85 : 1;
  return weekend * (1 + 0.35 * Math.sin(((hour - 9) / 24) * 2 * Math.PI));
}
