// All rules.
import { addresses } from "./addresses.ts";
import { chain } from "./chain.ts";
import { contracts } from "./contracts.ts";
import { exporter } from "./exporter.ts";
import { fees } from "./fees.ts";
import type { Alert, Recording, Subject } from "./model.ts";

/** The subjects, in the order of the documentation. */
export const subjects: readonly Subject[] = [fees, addresses, contracts, chain, exporter];

/** All recording rules. */
export const recordings: readonly Recording[] = subjects.flatMap(({ baselines, recordings }) => [
  ...baselines,
  ...recordings,
]);

/** All alerts, including the optional ones. */
export const alerts: readonly Alert[] = subjects.flatMap(({ alerts }) => alerts);
