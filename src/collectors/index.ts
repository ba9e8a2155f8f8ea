// The table of contents: every subject, and every family that a subject may emit.
import type { Family } from "../exposition/family.ts";
import { addresses } from "./addresses/addresses.ts";
import { blocks } from "./blocks/blocks.ts";
import type { AnyCollector } from "./collector.ts";
import { contracts } from "./contracts/contracts.ts";
import { fees } from "./fees.ts";
import { mempool } from "./mempool.ts";

/** The subjects, in the order of the page. A new one is one line here. */
export const collectors = [fees, mempool, blocks, addresses, contracts] as readonly AnyCollector[];

/** The families of all subjects, each once, in the order of the page. */
export const collectorFamilies: readonly Family[] = [...new Set(collectors.flatMap(({ families }) => families))];

/** The subject of that name; throws when there is none, which a checked configuration rules out. */
export function collectorOf(name: string): AnyCollector {
  const found = collectors.find((collector) => collector.name === name);
  if (found === undefined) throw new Error(`there is no collector ${name}`);
  return found;
}
