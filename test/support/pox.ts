import type { pox } from "../../src/collectors/pox.ts";
import { dataOf } from "./data.ts";

/** A response of `/v2/pox` in the shape of the node's source: with numbers of 64 bits, and epochs without a limit. */
export const POX: Awaited<ReturnType<typeof pox.observe>> = dataOf("pox.json", import.meta.url);
