// Compares text with a committed file. `npm run golden` rewrites the files; their diff is what Prometheus will see.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect } from "@jest/globals";

const isRewriting = process.env.GOLDEN === "write";

/** Expects the text of `test/golden/NAME.prom`. */
export function expectGolden(name: string, text: string): void {
  const file = new URL(`../golden/${name}.prom`, import.meta.url);
  if (isRewriting) writeFileSync(file, text);
  expect(text).toBe(existsSync(file) ? readFileSync(file, "utf8") : `(no golden file ${name}.prom: npm run golden)`);
}
