// Compares text with a committed file. `npm run golden` rewrites the files; their diff is what Prometheus will see.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect } from "@jest/globals";
import { type AnyCollector, type Target, wholeChain } from "../../src/collectors/collector.ts";
import { Exposition } from "../../src/exposition/exposition.ts";

const isRewriting = process.env.GOLDEN === "write";

export function expectGolden(name: string, text: string): void {
  const file = new URL(`../golden/${name}.prom`, import.meta.url);
  if (isRewriting) writeFileSync(file, text);
  expect(text).toBe(existsSync(file) ? readFileSync(file, "utf8") : `(no golden file ${name}.prom: npm run golden)`);
}

/** The part of the page for one observation. */
export async function textOf(
  collector: AnyCollector,
  observation: unknown,
  network = "mainnet",
  target: Target = wholeChain({ confirmations: 6 }),
): Promise<string> {
  const exposition = new Exposition(collector.families);
  exposition.set("x", collector.samples(observation, network, target));
  return exposition.page("classic").toString();
}
