// The boards, in the order of the documents.
import { addresses } from "./addresses.ts";
import type { Board } from "./board.ts";
import { contracts } from "./contracts.ts";
import { exporter } from "./exporter.ts";
import { fees } from "./fees.ts";
import { spikes } from "./spike.ts";

/** Every board. A new one is a file and one line here. */
export const boards: readonly Board[] = [fees, spikes, addresses, contracts, exporter];
