// All dashboards, in the order of the documentation.
import { addresses } from "./addresses.ts";
import type { Board } from "./board.ts";
import { contracts } from "./contracts.ts";
import { exporter } from "./exporter.ts";
import { fees } from "./fees.ts";

/** All dashboards. To add a dashboard, add a file and one line here. */
export const boards: readonly Board[] = [fees, addresses, contracts, exporter];
