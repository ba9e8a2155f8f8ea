import { z } from "zod";
import { operation } from "../api/operation.ts";
import { DIMENSIONS, mapDimensions } from "../chain/block-source.ts";
import type { Sample } from "../exposition/family.ts";
import type { Collector } from "./collector.ts";
import { ofChain } from "./subjects.ts";

// Testnets have more STX than mainnet, and amounts above 2^53 are rounded.
const amount = z.number().nonnegative().max(1e17);
const height = z.int().nonnegative();
const cycle = z.object({ id: z.int().nonnegative(), min_threshold_ustx: amount, stacked_ustx: amount });
// Numbers of the first epochs are those of 64 bits, so they are rounded.
const limit = z.number().nonnegative();

const poxInfo = operation({
  name: "pox",
  path: "/v2/pox",
  isOptional: true,
  body: z.object({
    current_cycle: cycle,
    next_cycle: cycle.extend({ prepare_phase_start_block_height: height, reward_phase_start_block_height: height }),
    current_epoch: z.string(),
    epochs: z.array(z.object({ epoch_id: z.string(), block_limit: z.object(mapDimensions(() => limit)) })),
  }),
  maxBodyBytes: 2 ** 16,
});

const cycleLabels = { cycle: { about: "reward cycle", values: ["current", "next"] } };
const source = (fields: string) => `${fields} of GET /v2/pox, polled`;

const families = {
  cycle: ofChain.gauge({
    name: "stacks_chain_pox_cycle",
    help: "Number of the current reward cycle.",
    source: source("current_cycle.id"),
  }),
  phaseStart: ofChain.gauge({
    name: "stacks_chain_pox_phase_start_burn_block_height",
    help:
      "Burn block height at which a phase of the next reward cycle begins. STX that are staked before its prepare " +
      "phase count for the cycle.",
    source: source("next_cycle.{prepare,reward}_phase_start_block_height"),
    labels: { phase: { about: "phase of the cycle", values: ["prepare", "reward"] } },
  }),
  staked: ofChain.gauge({
    name: "stacks_chain_pox_staked_microstx",
    help: "STX that are staked for a reward cycle. In microSTX.",
    source: source("{current,next}_cycle.stacked_ustx"),
    labels: cycleLabels,
  }),
  threshold: ofChain.gauge({
    name: "stacks_chain_pox_threshold_microstx",
    help: "STX that a signer needs to take part in a reward cycle. In microSTX.",
    source: source("{current,next}_cycle.min_threshold_ustx"),
    labels: cycleLabels,
  }),
};

/** Reward cycles, and the limits of the current epoch, from the node behind the API (`pox`). */
export const pox = {
  name: "pox",
  about: "Reward cycles, staked STX, and the limits of the current epoch, from the node behind the API.",
  isOptIn: true,
  schedule: { keyless: "every 10m", free_key: "every 10m" },
  priority: 3,
  operations: [poxInfo],
  families: Object.values(families),

  observe: async ({ api }) => (await api.get(poxInfo, { path: {} })).body,

  views({ current_epoch, epochs }) {
    const limits = epochs.find(({ epoch_id }) => epoch_id === current_epoch)?.block_limit;
    const isKnown = limits !== undefined && DIMENSIONS.every((dimension) => limits[dimension] > 0);
    return { tenureLimits: isKnown ? limits : undefined };
  },

  *samples({ current_cycle, next_cycle }, network): Iterable<Sample> {
    yield families.cycle.at({ network }, current_cycle.id);
    yield families.phaseStart.at({ network, phase: "prepare" }, next_cycle.prepare_phase_start_block_height);
    yield families.phaseStart.at({ network, phase: "reward" }, next_cycle.reward_phase_start_block_height);
    for (const [cycle, { stacked_ustx, min_threshold_ustx }] of [
      ["current", current_cycle],
      ["next", next_cycle],
    ] as const) {
      yield families.staked.at({ network, cycle }, stacked_ustx);
      yield families.threshold.at({ network, cycle }, min_threshold_ustx);
    }
  },
} satisfies Collector<z.infer<typeof poxInfo.body>, object>;
