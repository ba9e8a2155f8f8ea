// The table of contents of the rules.
import { addresses } from "./addresses.ts";
import { chain } from "./chain.ts";
import { contracts } from "./contracts.ts";
import { exporter } from "./exporter.ts";
import { fees } from "./fees.ts";
import type { Alert, Recording, Subject } from "./model.ts";

/** The subjects, in the order of the documents. */
export const subjects: readonly Subject[] = [fees, addresses, contracts, chain, exporter];

/** Every recorded series. */
export const recordings: readonly Recording[] = subjects.flatMap(({ baselines, recordings }) => [
  ...baselines,
  ...recordings,
]);

/** Every alert, the optional ones among them. */
export const alerts: readonly Alert[] = subjects.flatMap(({ alerts }) => alerts);
