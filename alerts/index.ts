// All rules.
import { addresses } from "./addresses.ts";
import { chain } from "./chain.ts";
import { contracts } from "./contracts.ts";
import { exporter } from "./exporter.ts";
import { fees } from "./fees.ts";
import type { Alert, Recording, Subject } from "./model.ts";
import { DEFAULTS, filled } from "./values.ts";

/** The subjects with tokens, in the order of the documentation. */
export const declared: readonly Subject[] = [fees, addresses, contracts, chain, exporter];

/** The subjects with the default values. */
export const subjects: readonly Subject[] = filled(declared, DEFAULTS);

/** All recording rules. */
export const recordings: readonly Recording[] = subjects.flatMap(({ baselines, recordings }) => [
  ...baselines,
  ...recordings,
]);

/** All alerts, including those that are disabled by default. */
export const alerts: readonly Alert[] = subjects.flatMap(({ alerts }) => alerts);
