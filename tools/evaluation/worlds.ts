// Worlds with other assumptions than the one used to choose the thresholds: how much the results depend on them.
import { WORLD, type World } from "./world.ts";

/** A changed assumption. */
export interface OtherWorld {
  readonly what: string;
  readonly world: World;
}

const { people, chain, flood, stuck, rush, surge } = WORLD;

/** One assumption changed at a time. */
export const OTHER_WORLDS: readonly OtherWorld[] = [
  { what: "no user follows the published percentiles", world: { ...WORLD, people: { ...people, following: 0 } } },
  { what: "six of ten users follow them", world: { ...WORLD, people: { ...people, following: 0.6 } } },
  { what: "ordinary demand uses 60 % of the blocks", world: { ...WORLD, chain: { ...chain, tenureUnits: 500 } } },
  {
    what: "rushes and surges half as strong",
    world: {
      ...WORLD,
      rush: { ...rush, perSecond: [1, 4] },
      surge: { ...surge, factor: [1.5, 4] },
    },
  },
  { what: "floods pay at most the suggestion of wallets", world: { ...WORLD, flood: { ...flood, fee: [0.3, 1] } } },
  {
    what: "three times as many stuck clusters",
    world: {
      ...WORLD,
      stuck: { ...stuck, perFourWeeks: 3 * stuck.perFourWeeks },
    },
  },
];
